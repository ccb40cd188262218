"""A stream that is open on both sides: its data, and its commands one by one."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.drivers.adb import shell
from pytest_mobileagent.program.adb.splitter import splitter_of

if TYPE_CHECKING:
    from pytest_mobileagent.program.adb.log import RawLog
    from pytest_mobileagent.program.watching import Command, Passage, Watcher


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from pytest_mobileagent.program.adb.services import Service
    from pytest_mobileagent.program.adb.splitter import Piece, Reading
    from pytest_mobileagent.program.adb.wire import Stream
    from pytest_mobileagent.program.watching import Command

    # Asks whether a command may pass that was sent on the stream to a service.
    Ask = Callable[[str, Command], Awaitable["Passing"]]


# How long data that the program sent before it left may take to reach the device.
_LEAVING_SECONDS = 10.0


class Conversation:
    """The data that a program and a service of the device exchange.

    `opened` is what was asked when the stream was opened; whatever the program says that is a
    command of its own is asked by `ask`. `error` says how it failed: a shell's exit status, or why
    it was refused in the middle.
    """

    def __init__(
        self, stream: Stream, device: Service, service: str, reading: Reading, opened: Passing
    ) -> None:
        self.error = ""
        self._stream = stream
        self._device = device
        self._service = service
        self._gate = splitter_of(service, reading)
        self._opened = opened
        self._frames = shell.FrameReader() if service.startswith("shell,v2") else None
        self._unanswered: list[Passing] = []

    async def hold(self, ask: Ask) -> None:
        """Pass data on both ways until either side has closed the stream."""
        sending = asyncio.create_task(self._send(ask))
        receiving = asyncio.create_task(self._receive())
        leaving = asyncio.create_task(self._stream.ended())
        try:
            await asyncio.wait({sending, receiving, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done() or receiving.exception():
                await asyncio.wait({sending}, timeout=_LEAVING_SECONDS)
                if sending.done() and not sending.result():
                    await receiving  # the device takes no more, but may have something to say
                else:
                    await _cancel(sending, receiving)
                    await self._device.finish()
        finally:
            await _cancel(sending, receiving, leaving)
            self._opened.end(self.error)
            self._answered()
        await self._stream.finish()

    async def _send(self, ask: Ask) -> bool:
        """Pass on what the program sends until it closes the stream or is refused.

        Return False if the device stopped accepting data before that.
        """
        try:
            while data := await self._stream.read():
                if not await self._admit(self._gate.feed(data), ask):
                    return True
            await self._admit(self._gate.rest(), ask)
        except OSError:
            return False
        return True

    async def _admit(self, pieces: Iterable[Piece], ask: Ask) -> bool:
        """Pass pieces on; return False if the command of one was refused."""
        for data, commands in pieces:
            asked: list[Passing] = []
            for command in commands:
                passing = await ask(self._service, command)
                if passing.refused:
                    await self._refuse(passing.refused, asked)
                    return False
                asked.append(passing)
            await self._device.write(data)
            self._wait_for_answer(asked)
        return True

    async def _refuse(self, refusal: str, asked: Iterable[Passing]) -> None:
        self.error = refusal
        for passing in asked:
            passing.end(refusal)
        if self._frames is not None and self._frames.between_frames:
            with contextlib.suppress(BrokenPipeError):
                await self._stream.write(shell.failure(refusal))

    def _wait_for_answer(self, asked: list[Passing]) -> None:
        self._unanswered += asked
        if self._gate.seconds is not None:
            loop = asyncio.get_running_loop()
            for passing in asked:
                loop.call_later(self._gate.seconds, passing.end)

    async def _receive(self) -> None:
        """Pass on what the device sends until it closes the stream."""
        while data := await self._device.read():
            content = data if self._frames is None else self._unframed(data)
            if self._unanswered and self._gate.answers(content):
                self._answered()
            await self._stream.write(data)

    def _unframed(self, data: bytes) -> bytes:
        """Return what a shell writes; note that it has ended before the program can know."""
        assert self._frames is not None
        content = b""
        for kind, part in self._frames.feed(data):
            if kind != shell.EXIT:
                content += part
                continue
            self.error = f"exit status {part[0]}" if part.strip(b"\0") else ""
            self._opened.end(self.error)
        return content

    def _answered(self) -> None:
        for passing in self._unanswered:
            passing.end()
        self._unanswered.clear()


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Passing:
    """A command that was sent on the stream to a service, from the moment of the request."""

    def __init__(self, log: RawLog, service: str, command: Command) -> None:
        self.refused = ""
        self._log = log
        self._service = service
        self._command = command
        self._at = log.now()
        self._passage: Passage | None = None
        self._ended = False

    async def ask(self, watcher: Watcher) -> None:
        """Wait until the command may pass, or is `refused`."""
        try:
            self._passage = await watcher.command(self._command)
        except BaseException:
            self.end("it was cut off while it waited")
            raise
        self.refused = self._passage.refused or self._command.refused
        if self.refused:
            self.end()

    def end(self, error: str = "") -> None:
        """Report that it has ended, unless that was already reported."""
        if self._ended:
            return
        self._ended = True
        if self._passage is not None and not self.refused:
            self._passage.done(error)
        self._log.write(self._at, self._service, self._command, refused=self.refused, error=error)
