"""An interactive shell: what a program types there, line by line."""

from __future__ import annotations

from pytest_mobileagent.program.commands import script
from pytest_mobileagent.program.commands.shell import read_script
from pytest_mobileagent.program.watching import Command

_LONGEST = 1 << 20  # bytes that wait for the end of their line
_MOST_LINES = 100  # that are taken for one command with an open quote


class ShellSession:
    """Reads the standard input of an interactive shell."""

    def __init__(self) -> None:
        self._rest = b""
        self._open: list[str] = []  # lines of a command that goes on

    def feed(self, data: bytes) -> list[Command]:
        """Return a command for each line that ends in `data`, in order.

        A line after which the shell waits for more, as for the end of a quote, gives a command that
        does nothing; the last of such lines gives what all of them do.
        """
        whole = (self._rest + data).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._rest = whole.split(b"\n")
        if len(self._rest) > _LONGEST:
            lines, self._rest = [*lines, self._rest], b""
        return [self._read(line.decode("utf-8", "replace")) for line in lines]

    def _read(self, line: str) -> Command:
        text = "\n".join([*self._open, line])
        if len(self._open) < _MOST_LINES and _goes_on(text):
            self._open.append(line)
            return Command(line)
        self._open.clear()
        return read_script(text, text)


def _goes_on(text: str) -> bool:
    try:
        script.take_apart(text)
    except script.UnfinishedError:
        return True
    except script.UnreadableError:
        return False
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
