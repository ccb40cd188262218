"""Programs that end properly, and programs that do everything to avoid it.

Also, programs in containers, with a stand-in for Docker.
"""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.program.launch import ProgramProcess, contained, engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[..., ProgramProcess]

# One file contains all programs; the first argument is the name of the function to run.
PROGRAMS = """
import ctypes, os, signal, subprocess, sys, time
from pathlib import Path

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
left = Path("left")

def say(pid=None):
    new = left.with_suffix(f".{os.getpid()}")  # its own: several say at once
    new.write_text(str(os.getpid() if pid is None else pid))
    new.rename(left)

def hang():
    say(); time.sleep(600)

def prints():
    print("out"); print(repr(sys.stdin.read()))
    print(os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid())
    key = os.environ["OPENAI_API_KEY"]
    print("key " + key + ".", key[:9], file=sys.stderr); sys.exit(3)
def binary(): os.write(1, bytes(range(256)))
def much():
    for _ in range(100): os.write(1, b"x" * (1 << 20))
    os.write(1, b"the end")
def closes_its_output():
    os.closerange(0, 3); hang()
def ignores_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    hang()
def stops():
    say(); os.kill(os.getpid(), signal.SIGSTOP)
def child(): say(subprocess.Popen(SLEEP).pid)
def child_that_holds_its_output(): say(subprocess.Popen(SLEEP, start_new_session=True).pid)
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: os.execve(SLEEP[0], SLEEP, {})
        os._exit(0)
    os.wait()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try: fields = entry.read_text().rpartition(")")[2].split()
        except OSError: continue
        if int(fields[1]) == os.getppid() and int(entry.parent.name) != os.getpid():
            say(entry.parent.name)
def kills_its_parent():
    if os.fork() == 0:
        os.setsid(); hang()
    while not left.exists(): time.sleep(0.01)
    os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)
def killed(): os.kill(os.getpid(), signal.SIGKILL)
def bye(*_): print("bye", flush=True); os._exit(7)
def asked():
    signal.signal(signal.SIGTERM, bye)
    hang()
def asked_while_it_is_stopped():
    signal.signal(signal.SIGTERM, bye)
    stops(); hang()

globals()[sys.argv[1]]()
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def said(folder: Path) -> int:
    """Wait until a program has reported a process, and return the process id."""
    deadline = time.monotonic() + 20
    while not (folder / "left").exists():
        assert time.monotonic() < deadline, "the program has not begun"
        time.sleep(0.005)
    return int((folder / "left").read_text())


def marked(process: ProgramProcess) -> list[int]:
    """Return the process ids of all running processes with a program's mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if process.mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Starts one of the programs above, which ends with the test at the latest."""
    (tmp_path / "programs.py").write_text(PROGRAMS)
    started: list[ProgramProcess] = []

    def run(name: str, **options: object) -> ProgramProcess:
        words = [sys.executable, "-S", "programs.py", name]
        environment = dict(os.environ) | {"OPENAI_API_KEY": "sk-very-secret-123"}
        process = ProgramProcess(
            words,
            tmp_path,
            environment,
            tmp_path / "program",
            **options,  # type: ignore[arg-type]
        )
        started.append(process)
        process.start()
        return process

    yield run
    for process in started:
        process.end(0)
        assert not marked(process)


@pytest.mark.parametrize(
    ("name", "status", "out", "err"),
    [
        ("prints", 3, b"out\n''\nTrue True\n", "key …. sk-very-s\n".encode()),
        ("killed", -signal.SIGKILL, b"", b""),
        ("binary", 0, bytes(range(256)), b""),
    ],
)
def test_output_and_status_are_recorded_without_secrets(run, name, status, out, err):
    process = run(name)
    assert process.wait(30) == status
    process.end()
    assert (process.stdout.read_bytes(), process.stderr.read_bytes()) == (out, err)


def test_a_running_program_has_no_status(run):
    process = run("hang")
    assert process.wait(0.01) is None
    assert not process.is_over
    process.end()
    assert process.wait(0) == -signal.SIGTERM
    assert process.is_over


@pytest.mark.parametrize("name", ["asked", "asked_while_it_is_stopped"])
def test_a_program_may_end_by_itself_when_asked(run, tmp_path, name):
    process = run(name)
    said(tmp_path)
    process.end(grace=20)
    assert process.status == 7
    assert process.stdout.read_text() == "bye\n"


def test_beginning_and_end_of_long_output_are_kept(run):
    process = run("much", recorded=1 << 20)
    assert process.wait(60) == 0
    process.end()
    kept = process.stdout.read_bytes()
    assert len(kept) < 2.2 * (1 << 20)
    assert kept.startswith(b"xxx")
    assert kept.endswith(b"the end")
    assert "bytes are left out" in kept.decode()


@pytest.mark.parametrize("name", ["hang", "closes_its_output", "ignores_signals", "stops"])
def test_a_program_that_does_not_end_is_killed(run, tmp_path, name):
    process = run(name)
    pid = said(tmp_path)
    began = time.monotonic()
    process.end(grace=0.2)
    assert time.monotonic() - began < 5
    assert not is_alive(pid)
    process.end()


@pytest.mark.parametrize("name", ["child", "child_that_holds_its_output", "daemon"])
def test_processes_left_behind_end_too(run, tmp_path, name):
    process = run(name)
    assert process.wait(30) == 0
    pid = said(tmp_path)
    assert is_alive(pid)
    process.end()
    assert not is_alive(pid)


def test_program_that_kills_its_keeper_is_over_and_leaves_nothing(run, tmp_path):
    process = run("kills_its_parent")
    assert process.wait(30) is None
    assert process.is_over
    process.end()
    assert not is_alive(said(tmp_path))


def test_a_program_that_cannot_start_is_reported(tmp_path):
    for words, folder in ((["/nowhere/at/all"], tmp_path), (["true"], tmp_path / "none")):
        process = ProgramProcess(words, folder, os.environ, tmp_path / "program")
        with pytest.raises(AgentError, match=r"cannot start .*: No such file or directory"):
            process.start()


def test_final_command_runs_at_the_end(run, tmp_path):
    process = run("hang", after=["touch", str(tmp_path / "after")])
    said(tmp_path)
    process.end(grace=0)
    assert (tmp_path / "after").exists()


WORKER = """
import os, sys
from pathlib import Path
from pytest_mobileagent.program.launch import ProgramProcess
folder = Path(sys.argv[1])
words = [sys.executable, "-S", "programs.py", sys.argv[2]]
ProgramProcess(words, folder, os.environ, folder / "program").start()
print("started", flush=True)
os.kill(os.getpid(), 9) if sys.argv[3] == "now" else input()
"""


@pytest.mark.parametrize("name", ["ignores_signals", "daemon"])
def test_killed_pytest_leaves_nothing_behind(tmp_path, name):
    (tmp_path / "programs.py").write_text(PROGRAMS)
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path), name, "later"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        pid = said(tmp_path)
        assert is_alive(pid)
        worker.kill()
    deadline = time.monotonic() + 20
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Runs the command after the image with the given variables, and logs its arguments.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.log"
[ "$1" = version ] && exit 0
[ "$1" = rm ] && exit 0
while [ "$1" != the-image ]; do shift; done
shift
exec sh "$@"
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin" / "docker"
    path.parent.mkdir()
    path.write_text(DOCKER)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    return path


def test_program_runs_in_a_container_that_ends_with_it(docker, tmp_path):
    environment = {**os.environ, "OPENAI_API_KEY": "sk-very-secret", "MOBILEAGENT_GOAL": "go"}
    container = contained(
        ["sh", "-c", 'echo "$MOBILEAGENT_GOAL" "$1"; echo "$PATH"', "x", "a  b"],
        "the-image",
        tmp_path,
        environment,
        run="run 1/2",
        own=["OPENAI_API_KEY", "MOBILEAGENT_GOAL", "PATH", "NONE"],
        paths=[tmp_path / "a,b"],
        search=["/shim"],
    )
    process = ProgramProcess(
        container.words,
        tmp_path,
        container.environment,
        tmp_path / "program",
        after=container.after,
    )
    process.start()
    assert process.wait(30) == 0
    process.end()
    said, path = process.stdout.read_text().splitlines()
    assert said == "go a  b"
    assert path.startswith("/shim:")
    version, run, rm = docker.with_name("docker.log").read_text().splitlines()
    assert version == "version"
    assert "--rm --init --interactive --network=host" in run
    assert "sk-very-secret" not in run
    names = [words.split()[0] for words in run.split("--env ")[1:]]
    assert names == ["MOBILEAGENT_GOAL", "MOBILEAGENT_PATH", "OPENAI_API_KEY"]
    assert container.name.startswith("mobileagent-run-1-2-")
    assert rm == f"rm --force {container.name}"


def test_any_path_can_be_mounted(docker, tmp_path):
    odd = tmp_path / 'a,"b"\nc'
    container = contained(["x"], "image", odd, {}, run="r")
    mount = container.words[container.words.index("--mount") + 1]
    fields = next(csv.reader(io.StringIO(mount, newline="")))
    assert fields == ["type=bind", f"source={odd}", f"target={odd}"]


def test_missing_container_engine_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="install docker or podman"):
        engine()


def test_failing_docker_is_quoted(docker):
    docker.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2; exit 1")
    with pytest.raises(HostError, match="does not work: Cannot connect to the Docker daemon"):
        engine()


def test_podman_is_used_without_docker(docker):
    docker.rename(docker.with_name("podman"))
    assert engine() == str(docker.with_name("podman"))
