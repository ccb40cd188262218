"""Tests that the kernel alone contains hostile drafts; the checks in Python are disabled here.

Each body below returns if its attack succeeds; the check would then hold.
"""

from __future__ import annotations

import importlib
import os
import socket
import textwrap
from functools import partial
from pathlib import Path

import pytest

from pytest_mobileagent import isolation as kernel
from pytest_mobileagent.draft import inside
from pytest_mobileagent.draft.inside import answer, prepare
from pytest_mobileagent.draft.sandbox import SandboxLimits

pytestmark = pytest.mark.skipif(bool(kernel.unsupported()), reason=kernel.unsupported())

# Loaded beforehand, as if a check needed them; otherwise no attack could be tried.
TOOLS = (
    "ctypes", "gc", "importlib.util", "mmap", "multiprocessing", "pathlib", "resource", "signal",
    "socket", "subprocess", "tempfile", "threading", "urllib.request",
)  # fmt: skip

FILES = {
    "reads a file": "open('/etc/passwd').read()",
    "reads by number": "import os; os.read(os.open('/etc/passwd', os.O_RDONLY), 1)",
    "reads by a path": "import pathlib; pathlib.Path('/etc/hosts').read_bytes()",
    "reads the code": "import pytest_mobileagent; open(pytest_mobileagent.__file__).read()",
    "reads a module": "import antigravity",
    "lists a folder": "import os; os.listdir('/')",
    "asks for a file": "import os; os.stat('/etc/passwd')",
    "asks quietly for a file": "import os; assert os.path.exists('/etc/passwd')",
    "reads a link": "import os; os.readlink('/proc/self/exe')",
    "reads its environment": "open('/proc/self/environ').read()",
    "reads its parent's environment": "import os; open(f'/proc/{PARENT}/environ').read()",
    "reads its parent's memory": "open(f'/proc/{PARENT}/mem', 'rb').read(1)",
    "reads a file that it was given": "import os; os.lseek(GIVEN, 0, 0)",
    "writes a file": "open(FOLDER + '/new', 'w')",
    "makes a folder": "import os; os.mkdir(FOLDER + '/new')",
    "makes a pipe of a name": "import os; os.mkfifo(FOLDER + '/new')",
    "removes a folder": "import os; os.rmdir(FOLDER)",
    "renames a folder": "import os; os.rename(FOLDER, FOLDER + '2')",
    "changes rights": "import os; os.chmod(FOLDER, 0)",
    "makes a temporary file": "import tempfile; tempfile.TemporaryFile()",
    "makes a file of memory": "import os; os.memfd_create('x')",
    "changes its folder": "import os; os.chdir('/')",
}
NETWORKS = {
    "makes a socket": "import socket; socket.socket()",
    "connects": "import socket; socket.create_connection(('127.0.0.1', PORT), 1)",
    "makes a pair": "import socket; socket.socketpair()",
    "connects here": "import socket; socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
    "asks for a name": "import socket; socket.getaddrinfo('localhost', 80)",
    "asks for a page": "import urllib.request as u; u.urlopen(f'http://127.0.0.1:{PORT}')",
}
PROCESSES = {
    "forks": "import os; os.fork()",
    "forks until nothing goes": "import os\nwhile True:\n    os.fork()",
    "runs a command": "import subprocess; subprocess.run(['true'])",
    "runs a shell": "import os; assert os.system('true') == 0",
    "spawns": "import os; os.posix_spawn('/bin/true', ['true'], {})",
    "becomes another program": "import os; os.execv('/bin/true', ['true'])",
    "starts a thread": "import threading; threading.Thread(target=print).start()",
    "kills its parent": "import os; os.kill(PARENT, 9)",
    "asks for its parent": "import os; os.kill(PARENT, 0)",
    "kills everyone": "import os; os.kill(-1, 0)",
    "kills its group": "import os; os.killpg(0, 0)",
    "stops its parent": "import os; os.setpriority(os.PRIO_PROCESS, PARENT, 19)",
    "takes more": "import resource as r; r.setrlimit(r.RLIMIT_AS, (-1, -1))",
    "limits its parent": "import resource as r; r.prlimit(PARENT, r.RLIMIT_CPU, (1, 1))",
}
LIBRARY = "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
NATIVE = {
    "runs a shell": "assert c.system(b'true') == 0",
    "opens a file": "assert c.open(b'/etc/passwd', 0) >= 0",
    "makes a socket": "assert c.socket(2, 1, 0) >= 0",
    "traces its parent": "assert c.ptrace(16, PARENT, 0, 0) == 0",
    "leaves the sandbox": "assert c.prctl(22, 0, 0, 0, 0) == 0",
    "makes a namespace": "assert c.unshare(0x10000000) == 0",
    "becomes root": "assert c.setuid(0) == 0",
    "mounts": "assert c.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0",
    "makes a ring": "assert c.syscall(425, 8, ctypes.create_string_buffer(200)) >= 0",
    "reads memory of others": "assert c.syscall(310, PARENT, 0, 0, 0, 0, 0) >= 0",
    "looks at events": "assert c.syscall(298, ctypes.create_string_buffer(200), 0, -1, -1, 0) >= 0",
    "takes another name": "assert c.prctl(15, b'name') == 0",
    "takes the machine's memory": "assert c.madvise(None, 0, 4) == 0",
    "has a second set of calls": "assert c.syscall(0x40000000 + 39) > 0",
    "reads address zero": "ctypes.string_at(0)",
}
ENDINGS = {
    "says that nothing can be shut off": """\
        import os
        os.write(3, b'{"unavailable": "this system has no seccomp"}')
        os._exit(0)""",
    "ends well": "import os; os._exit(0)",
    "ends by an error of none": "raise SystemExit(0)",
    "ends as if by the keyboard": "raise KeyboardInterrupt",
    "says more than it is asked": "import os; os.write(3, b'{\"holds\": true}')",
    "says too much": "import os\nwhile True:\n    os.write(3, b'x' * 65536)",
    "closes all and stays": "import os; os.closerange(0, 9)\nwhile True:\n    pass",
    "recurses": "def f():\n    f()\nf()",
    "takes memory": "x = bytearray(8 << 30)",
    "takes memory slowly": "x = ['x']\nwhile True:\n    x = x + x",
    "takes memory for a number": "x = 1 << (1 << 40)",
}
ENDLESS = {
    "loops": "while True:\n    pass",
    "sleeps": "import time; time.sleep(1000)",
    "loops whatever comes": """\
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass""",
    "computes": "import re; re.fullmatch('(a|a)*b', 'a' * 60)",
    "ignores signals": """\
        import signal
        for each in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
        while True:
            pass""",
}
# Opens a file with a 32-bit system call, which has a different number (x86-64 only).
OLD_CALL = """\
        import ctypes, mmap
        code = bytes.fromhex('b805000000' '31db' '31c9' 'cd80' 'c3')
        page = mmap.mmap(-1, 4096, prot=7)
        page.write(code)
        start = ctypes.addressof(ctypes.c_char.from_buffer(page))
        ctypes.CFUNCTYPE(ctypes.c_int)(start)()"""


@pytest.fixture(scope="module")
def episode(make_episode):
    return make_episode()


@pytest.fixture
def tried(episode, monkeypatch, tmp_path):
    """Return a function that tries a body in the sandbox."""
    monkeypatch.setattr(inside, "_refuse", lambda event, arguments: None)
    forked: list[int] = []
    fork = os.fork

    def fork_and_note():
        pid = fork()
        forked.append(pid)
        return pid

    monkeypatch.setattr(inside.os, "fork", fork_and_note)
    for tool in TOOLS:
        importlib.import_module(tool)

    def ask(body, seconds=30.0, **names):
        given = {"PARENT": os.getpid(), "FOLDER": str(tmp_path), **names}
        head = "".join(f"{name} = {value!r}\n" for name, value in given.items())
        source = f"{head}def test_x(episode):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        prepare(source, episode)
        limits = SandboxLimits(seconds, 128 * 1024**2)
        found = inside.ask(partial(answer, source, "test_x", episode, explain=True), limits)
        with pytest.raises(ChildProcessError):  # No child process is left behind.
            os.waitpid(forked[-1], os.WNOHANG)
        assert list(tmp_path.iterdir()) == []
        assert "ModuleNotFoundError" not in found.reason or "antigravity" in found.reason
        return found

    return ask


def flat(table, quick=3):
    """Return a table's bodies; all but the first are marked slow, because each forks a process."""
    marks = [()] * quick + [(pytest.mark.slow,)] * len(table)
    named = zip(table.items(), marks, strict=False)
    return [pytest.param(body, id=name, marks=mark) for (name, body), mark in named]


@pytest.mark.parametrize("body", flat(FILES))
def test_files_are_out_of_reach(tried, body, tmp_path):
    with Path(__file__).open("rb") as file:
        os.set_inheritable(file.fileno(), True)
        found = tried(body, GIVEN=file.fileno())
    assert not found.holds, found
    assert found.broke or "exists" in found.reason


@pytest.mark.parametrize("body", flat(NETWORKS))
def test_networks_are_out_of_reach(tried, body):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        found = tried(body, PORT=server.getsockname()[1])
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not found.holds, found


@pytest.mark.parametrize("body", flat(PROCESSES))
def test_processes_are_out_of_reach(tried, body):
    assert not tried(body).holds


@pytest.mark.parametrize("body", flat(NATIVE))
def test_machine_code_reaches_no_more(tried, body):
    assert not tried(LIBRARY + body).holds


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="such calls are x86-64's")
def test_calls_of_another_kind_end_the_process(tried):
    found = tried(OLD_CALL)
    assert not found.holds
    assert "SIGSYS" in found.reason


@pytest.mark.parametrize("body", flat(ENDINGS))
def test_no_ending_passes_for_an_answer(tried, body):
    found = tried(body)
    assert (found.holds, found.broke) == (False, True)
    assert found.reason


@pytest.mark.parametrize("body", flat(ENDLESS, quick=1))
def test_an_endless_draft_is_ended(tried, body):
    found = tried(body, seconds=0.1)
    assert (found.holds, found.reason) == (False, inside.TOO_LONG)


@pytest.mark.slow  # Some systems take long to clean up such deeply nested processes.
def test_a_process_that_breaks_is_named(tried):
    body = """\
        import sys
        sys.setrecursionlimit(10**9)
        x = ()
        for _ in range(60_000):
            x = (x,)
        repr(x)"""
    found = tried(body)
    assert (found.holds, found.broke) == (False, True)


@pytest.mark.slow  # The kernel counts whole seconds.
def test_time_of_the_processor_ends_it_where_the_clock_does_not(tried, monkeypatch):
    monkeypatch.setattr(inside.time, "monotonic", lambda: 0.0)
    found = tried("while True:\n    pass", seconds=1.0)
    assert (found.holds, found.reason) == (False, inside.TOO_LONG)


def test_nothing_that_a_function_changes_is_there_for_the_next(tried):
    spoil = """\
        import builtins, gc
        from pytest_mobileagent import Screen
        builtins.spoilt = True
        Screen.find = lambda *_, **__: True
        object.__setattr__(episode, 'goal', 'spoilt')"""
    assert tried(spoil).holds
    look = """\
        import builtins
        assert not hasattr(builtins, 'spoilt')
        assert episode.goal != 'spoilt'
        assert episode.screen.find(text='nothing like it') is None"""
    assert tried(look).holds


def test_no_system_call_is_left_but_those_that_are_listed(tried):
    body = """\
        left = []
        nowhere = ctypes.c_void_p(1)  # whatever is done there fails, but otherwise
        for number in range(600):
            ctypes.set_errno(0)
            if number not in LISTED:
                c.syscall(number, nowhere, nowhere, nowhere, nowhere, nowhere, nowhere)
                if ctypes.get_errno() != 1:
                    left.append(number)
        assert not left, left"""
    _, calls = kernel._MACHINES[os.uname().machine]
    probes = [335, 336]  # Kernel-internal calls, which bypass filters; programs cannot call them.
    assert tried(LIBRARY + textwrap.dedent(body), LISTED=[*calls.values(), *probes]).reason == ""


def test_a_long_message_is_cut(tried):
    found = tried("assert False, '\U0001f600' * 10**6")
    assert found.reason.startswith("assert False")
    assert len(found.reason) == 2000


def test_output_of_a_draft_is_discarded(tried, capfd):
    assert tried(
        "import sys; print('x', flush=True); print('y', file=sys.stderr, flush=True)"
    ).holds
    assert capfd.readouterr() == ("", "")


def test_sub_goals_that_fail_let_the_others_be_asked_and_fail_the_check(tried):
    body = """\
        with episode.subgoal('one'):
            assert not episode.screens
        with episode.subgoal('two'):
            assert episode.screens"""
    found = tried(body)
    assert (found.holds, found.broke) == (False, False)
    assert "1 of 2 sub-goals did not hold: one" in found.reason


def test_a_draft_computes_sleeps_and_reads_the_clock(tried):
    body = """\
        import datetime, decimal, math, re, time, unicodedata
        time.sleep(0.001)
        assert datetime.datetime.now() > datetime.datetime.strptime('2020', '%Y')
        assert re.search('é', unicodedata.normalize('NFC', 'é'))
        assert math.isclose(decimal.Decimal('0.1'), 0.1)
        assert episode.screen.find(xpath='//*[@text="0"]')"""
    assert tried(body).reason == ""
