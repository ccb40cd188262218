"""The terminal between a keyboard and a shell: echo, line editing, Ctrl-C and line ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from pytest_mobileagent.virtual.shell.script import INTERRUPT
from pytest_mobileagent.virtual.shell.streams import Pipe

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

_INTERRUPTED = 130
_INTERRUPT, _END, _TAB, _KILL_LINE = 0x03, 0x04, 0x09, 0x15
_LONGEST_LINE = 4095  # limit of Linux for a line being edited
_BACKSPACES = (0x08, 0x7F)


class Terminal:
    """Converts keys to lines for `stdin`, and displays them and the shell's output."""

    def __init__(self, keyboard: Reader, screen: Writer) -> None:
        self.stdin = Pipe()
        self.stdout = _Screen(screen)
        self._keyboard = keyboard
        self._screen = screen
        self._line = bytearray()
        self._job: asyncio.Task[int] | None = None

    async def __aenter__(self) -> Self:
        self._typing = asyncio.create_task(self._type())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._typing.cancel()
        await asyncio.gather(self._typing, return_exceptions=True)

    async def run(self, work: Coroutine[None, None, int]) -> int:
        """Run a shell; Ctrl-C ends it or, if it is interactive, the command it is running."""
        self._job = asyncio.create_task(work)
        try:
            await asyncio.wait({self._job})
            return _INTERRUPTED if self._job.cancelled() else self._job.result()
        finally:
            self._job.cancel()

    async def _type(self) -> None:
        try:
            while keys := await self._keyboard.read():
                for key in keys:
                    await self._press(key)
        except BrokenPipeError:
            pass  # the client has disconnected
        await self.stdin.close_write()

    async def _press(self, key: int) -> None:
        if key in b"\r\n":
            await self._screen.write(b"\r\n")
            await self._enter(b"\n")
        elif key == _END and not self._line:
            await self.stdin.close_write()
        elif key == _END:
            await self._enter()
        elif key == _INTERRUPT:
            await self._interrupt()
        elif key in _BACKSPACES:
            await self._erase(1)
        elif key == _KILL_LINE:
            await self._erase(len(self._line.decode(errors="replace")))
        elif len(self._line) < _LONGEST_LINE:
            self._line.append(key)
            printable = key >= 0x20 or key == _TAB
            await self._screen.write(bytes([key]) if printable else b"^" + bytes([key + 0x40]))

    async def _enter(self, end: bytes = b"") -> None:
        line = bytes(self._line) + end
        self._line.clear()
        await self.stdin.write(line)

    async def _erase(self, characters: int) -> None:
        text = self._line.decode(errors="surrogateescape")
        gone = text[len(text) - characters :] if characters else ""
        self._line = bytearray(text.removesuffix(gone).encode(errors="surrogateescape"))
        await self._screen.write(b"\b \b" * len(gone))

    async def _interrupt(self) -> None:
        self._line.clear()
        await self._screen.write(b"^C\r\n")
        if self._job:
            self._job.cancel(INTERRUPT)


class _Screen:
    """A writer that starts every line at the left edge, as a terminal driver does."""

    def __init__(self, screen: Writer) -> None:
        self._screen = screen

    async def write(self, data: bytes) -> None:
        await self._screen.write(data.replace(b"\n", b"\r\n"))
