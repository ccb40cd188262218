"""What real devices print, from `outputs/*.toml`, and phones and servers that print it again.

README.md says what an entry contains.
"""

from __future__ import annotations

import contextlib
import shlex
import socket
import subprocess
import tempfile
import threading
import tomllib
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.shell import ScriptOutput, Shell
from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FOLDER = Path(__file__).parent / "outputs"
SERIAL = "R5CT1234567"
PNG = bytes.fromhex(  # a picture of one black pixel
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)


@dataclass(frozen=True)
class Output:
    """One output of one device; `read` is what we read from it, None if that is nothing."""

    command: str
    source: str
    found: str
    android: str
    maker: str
    output: str = ""
    also: dict[str, str] = field(default_factory=dict)
    status: int = 0
    stderr: str = ""
    read: Any = None
    raises: str = ""
    note: str = ""

    @property
    def shell(self) -> Shell:
        """A shell of the device, which prints this output."""
        return _Shell(self)

    @cached_property
    def raw(self) -> bytes:
        """The output as bytes, with a picture for the word {PNG}."""
        return self.output.encode().replace(b"{PNG}", PNG)

    def run(self, script: str, timeout: float = 9.0) -> ScriptOutput:
        """Run a script as the driver's shell does, where the command prints this output."""
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for number, (command, text) in enumerate([*self.also.items(), ("", "")]):
                stdout = Path(folder, f"{number}.out")
                stdout.write_bytes(text.encode() if command else self.raw)
                printed = f"cat {shlex.quote(str(stdout))}"
                if not command:
                    stderr = f"printf %s {shlex.quote(self.stderr)} >&2"
                    printed = f"{stderr}; {printed}; return {self.status}"
                lines.append((command or self.command, printed))
            programs = {command.split()[0] for command, _ in lines}
            stubs = "".join(_stub(name, lines) for name in sorted(programs))
            done = subprocess.run(
                ["/bin/sh", "-c", f"{stubs}( {script}\n) </dev/null 2>&1"],
                stdout=subprocess.PIPE,
                check=False,
                timeout=timeout,
            )
        return ScriptOutput(done.stdout, done.returncode)

    def text(self, script: str) -> str:
        """Run a script, and return its output as text."""
        return self.run(script).text

    def check(self, reader: Callable[[], Any]) -> None:
        """Check that a reader of the product reads what the entry says, or fails as it says."""
        if self.raises:
            with pytest.raises((MobileAgentError, ValueError)) as caught:
                reader()
            assert self.raises in f"{caught.type.__name__}: {caught.value}"
        else:
            read = reader()
            assert (list(read) if isinstance(read, tuple) else read) == self.read


class _Shell(Shell):
    def __init__(self, output: Output) -> None:
        super().__init__(Address(SERIAL))
        self._output = output

    def run_all(self, scripts: Sequence[str], timeout: float = 9.0) -> list[ScriptOutput]:
        return [self._output.run(script, timeout) for script in scripts]


def _stub(program: str, lines: Sequence[tuple[str, str]]) -> str:
    """Return a shell function that prints the outputs of one program."""
    cases = [(command, printed) for command, printed in lines if command.split()[0] == program]
    exact = [f"{shlex.quote(command)}) {printed};;" for command, printed in cases]
    any_other = f"*) {cases[-1][1]};;"
    return f'{program}() {{ case "{program} $*" in {" ".join([*exact, any_other])} esac; }}\n'


def read_outputs(command: str) -> list[Output]:
    """Return the entries of one data file."""
    known = {each.name for each in fields(Output)}
    file = tomllib.loads((FOLDER / f"{command}.toml").read_text("utf-8"))
    entries = [{"command": file["command"], **entry} for entry in file["output"]]
    assert all(entry.keys() <= known for entry in entries), command
    return [Output(**entry) for entry in entries]


def outputs_of(command: str) -> pytest.MarkDecorator:
    """Run a test once for each output of a command, as the parameter `entry`."""
    entries = read_outputs(command)
    names = [f"{one.maker} {one.android} {number}" for number, one in enumerate(entries)]
    return pytest.mark.parametrize("entry", entries, ids=names)


@contextlib.contextmanager
def adb_server(*answers: bytes) -> Iterator[Address]:
    """Yield the address of a device of an adb server that gives these answers to requests."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_serve, args=(listener, answers), daemon=True).start()
        yield Address(SERIAL, "127.0.0.1", listener.getsockname()[1])


def _serve(listener: socket.socket, answers: Sequence[bytes]) -> None:
    with contextlib.suppress(OSError):
        stream = listener.accept()[0]
        with stream:
            for answer in answers:
                size = int(stream.recv(4, socket.MSG_WAITALL), 16)
                stream.recv(size, socket.MSG_WAITALL)
                stream.sendall(answer)


def block(text: str) -> bytes:
    """Return a text as adb sends it: after its length in four hexadecimal digits."""
    raw = text.encode()
    return f"{len(raw):04x}".encode() + raw
