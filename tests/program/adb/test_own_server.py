"""How programs are directed to their own adb server, whichever server they ask for."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import adbutils
import pytest

from pytest_mobileagent.program.adb.own_server import write_shims

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """A server that accepts connections, in place of the program's own adb server."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def environment(server: socket.socket, tmp_path: Path) -> dict[str, str]:
    """The environment of a program with its own `sitecustomize`."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import sys\nsys.theirs = NAME = __name__\n")
    base = {"PYTHONPATH": str(theirs), "PATH": os.environ["PATH"]}
    return base | write_shims(tmp_path / "own folder", server.getsockname()[1], base)


@pytest.fixture
def python(environment: dict[str, str]) -> Callable[[str], None]:
    """Runs code in a Python process with this environment."""

    def python(code: str) -> None:
        words = [sys.executable, "-c", textwrap.dedent(code)]
        subprocess.run(words, env=environment, check=True, timeout=20)

    return python


def accepted(server: socket.socket) -> int:
    """Return how many connections a server has got so far."""
    server.settimeout(0)
    number = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            number += 1
    return number


def test_default_port_leads_to_the_own_server(server, python):
    python(
        """
        import asyncio, socket
        from socket import socket as new
        socket.create_connection(('localhost', 5037))
        socket.socket().connect(('127.0.0.1', 5037))
        new().connect(('', 5037))
        assert socket.socket().connect_ex(('127.0.0.1', 5037)) == 0
        asyncio.run(asyncio.open_connection('127.0.0.1', 5037))
        """
    )
    assert accepted(server) == 5


def test_already_imported_socket_module_is_patched(server, environment):
    hook = Path(environment["PYTHONPATH"].split(os.pathsep)[0], "sitecustomize.py")
    code = (
        f"import socket, runpy; runpy.run_path({str(hook)!r}); "
        "socket.create_connection(('localhost', 5037))"
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True, timeout=20)
    assert accepted(server) == 1


def test_other_ports_are_unchanged(server, python):
    with socket.create_server(("127.0.0.1", 0)) as other:
        python(f"import socket; socket.create_connection({other.getsockname()})")
        assert accepted(other) == 1
    assert accepted(server) == 0


def test_sitecustomize_of_the_program_still_runs(python):
    python(
        """
        import sys
        assert sys.theirs == "sitecustomize"
        import sitecustomize
        assert sitecustomize.NAME == "sitecustomize"
        assert "theirs" in sitecustomize.__file__
        """
    )


def test_python_loads_no_other_modules(environment, tmp_path):
    code = "import sys; print(sorted(sys.modules))"
    del environment["PYTHONPATH"]
    plain = subprocess.check_output([sys.executable, "-c", code], env=environment)
    environment["PYTHONPATH"] = str(tmp_path / "own folder" / "python")
    loaded = subprocess.check_output([sys.executable, "-c", code], env=environment)
    assert set(eval(loaded)) - set(eval(plain)) <= {"sitecustomize", "__future__"}


@pytest.fixture
def node(environment: dict[str, str]) -> Callable[[str], None]:
    """Runs code in a Node process with this environment."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("there is no Node")

    def node(code: str) -> None:
        subprocess.run([program, "-e", code], env=environment, check=True, timeout=20)

    return node


def test_default_port_leads_to_the_own_server_in_node(server, node):
    ways = [
        "net.connect(5037)",
        "net.connect('5037', 'localhost')",
        "net.connect({port: 5037, host: '127.0.0.1'})",
        "new net.Socket().connect(5037, '127.0.0.1')",
        "new net.Socket().connect(5037)",
        "new net.Socket().connect({port: 5037})",
    ]
    node(
        f"const net = require('net'); "
        f"for (const s of [{', '.join(ways)}]) s.on('connect', () => s.destroy())"
    )
    assert accepted(server) == len(ways)


def test_other_ports_are_unchanged_in_node(server, node, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        node(
            f"const net = require('net');"
            f"const s = net.connect({port}, '127.0.0.1', () => {{ s.destroy();"
            f"const pipe = {str(tmp_path / 'pipe')!r};"
            f"const own = net.createServer(() => own.close());"
            f"own.listen(pipe, () => net.connect(pipe).end()) }})"
        )
        assert accepted(other) == 1
    assert accepted(server) == 0


def test_node_options_of_the_user_are_kept(tmp_path):
    variables = write_shims(tmp_path / "own", 1234, {"NODE_OPTIONS": "--max-old-space-size=99"})
    assert variables["NODE_OPTIONS"].endswith(" --max-old-space-size=99")


def test_sdk_of_the_user_remains_available(tmp_path):
    user = tmp_path / "user"
    for path in ("emulator/emulator", "platform-tools/fastboot", "platform-tools/adb"):
        (user / path).parent.mkdir(parents=True, exist_ok=True)
        (user / path).write_text(path)
    variables = write_shims(tmp_path / "own", 1234, {"ANDROID_SDK_ROOT": str(user)})
    sdk = Path(variables["ANDROID_HOME"])
    assert variables["ANDROID_SDK_ROOT"] == str(sdk)
    assert (sdk / "emulator" / "emulator").read_text() == "emulator/emulator"
    assert (sdk / "platform-tools" / "fastboot").read_text() == "platform-tools/fastboot"
    assert (sdk / "platform-tools" / "adb").read_text().startswith("#!/bin/sh")
    assert (user / "platform-tools" / "adb").read_text() == "platform-tools/adb"
    assert variables["PATH"].split(os.pathsep)[0] == str(sdk / "platform-tools")


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["shell", "echo", "a  b", "-P", "5037"], ["shell", "echo", "a  b", "-P", "5037"]),
        (["-P", "5037", "shell", ""], ["shell", ""]),
        (["-H", "a b", "-P5037", "-s", "-d", "get-state"], ["-s", "-d", "get-state"]),
        (["-d", "-s", "x", "-e", "shell", "ls", "-d"], ["-s", "x", "shell", "ls", "-d"]),
        (["-P"], []),
        (["-s"], ["-s"]),
        (["--version"], ["--version"]),
        ([], []),
        (["-s", "x", "kill-server"], None),
        (["start-server"], None),
        (["-s", "kill-server", "shell", "$(x)", "*"], ["-s", "kill-server", "shell", "$(x)", "*"]),
    ],
    ids=lambda words: " ".join(words or []),
)
def test_words_reach_the_real_adb_unchanged_except_for_the_server(
    tmp_path, monkeypatch, given, passed
):
    real = tmp_path / "it's adb"
    real.write_text('#!/bin/sh\necho "$ANDROID_ADB_SERVER_PORT"\nprintf "%s\\0" "$@"\n')
    real.chmod(0o755)
    monkeypatch.setattr(adbutils, "adb_path", lambda: str(real))
    write_shims(tmp_path / "own", 1234, {})
    shim = tmp_path / "own" / "sdk" / "platform-tools" / "adb"
    words = [str(shim), *given]
    done = subprocess.run(words, capture_output=True, check=True, env={"PATH": "/bin:/usr/bin"})
    expected = "" if passed is None else "1234\n" + "".join(f"{word}\0" for word in passed or [""])
    assert done.stdout.decode() == expected
    assert done.stderr == b""
