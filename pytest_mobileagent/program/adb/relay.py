"""Streams that a program opens, passed on to the device when the watcher lets them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb import frames
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.program.adb.conversation import Conversation
from pytest_mobileagent.program.adb.elements import with_places
from pytest_mobileagent.program.adb.passing import Passing
from pytest_mobileagent.program.adb.reverses import failure
from pytest_mobileagent.program.adb.services import ask_service, open_service
from pytest_mobileagent.program.watching import Command

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address
    from pytest_mobileagent.program.adb.log import RawLog
    from pytest_mobileagent.program.adb.reading import Reading
    from pytest_mobileagent.program.adb.reverses import Reverses
    from pytest_mobileagent.program.adb.stream import Stream
    from pytest_mobileagent.program.watching import Watcher

_SPEAKING = ("shell:", "root:", "unroot:", "remount:", "tcpip:", "usb:")  # to whoever reads them


class Relay:
    """Serves the streams of one program by services of the device."""

    def __init__(
        self, address: Address, watcher: Watcher, reading: Reading, log: RawLog, reverses: Reverses
    ) -> None:
        self._address = address
        self._watcher = watcher
        self._reading = reading
        self._log = log
        self._reverses = reverses

    async def serve(self, stream: Stream, service: str) -> None:
        """Serve a stream that was opened to a service, to its end.

        Raises:
            OSError: the program went away in the middle.
        """
        if service.startswith("shell"):
            stream.accept()  # as adbd does; only then is it told that the program gives up
        passing = await self.ask(service, await self._read(service))
        error = "it was cut off"
        try:
            if passing.refused:
                await _refuse(stream, service, passing.refused)
            elif stream.closed:
                error = "the program closed it before it was passed on"
            elif service.startswith("reverse:"):
                error = await self._reverse(stream, service)
            else:
                error = await self._pass(stream, service, passing)
        except DeviceError as refusal:
            error = str(refusal)
        finally:
            passing.end(error)

    async def _read(self, service: str) -> Command:
        """Read a service; an adbd that is root's already only says so, instead of restarting."""
        if service == "root:":
            with contextlib.suppress(DeviceError):
                if (await ask_service(self._address, "exec:id -u")).strip() == b"0":
                    return Command(service)
        return self._reading.service(service)

    async def ask(self, service: str, command: Command) -> Passing:
        """Ask whether a command may pass that was sent on the stream to a service."""
        command = await with_places(self._address, service, command)
        passing = Passing(self._log, service, command)
        await passing.ask(self._watcher)
        return passing

    async def _reverse(self, stream: Stream, service: str) -> str:
        reply = await self._reverses.answer(service)
        stream.accept()
        await stream.write(reply)
        await stream.finish()
        return reply[8:].decode("utf-8", "replace") if reply.startswith(b"FAIL") else ""

    async def _pass(self, stream: Stream, service: str, passing: Passing) -> str:
        """Pass a stream on to the device, and return how it failed."""
        with contextlib.closing(await open_service(self._address, service)) as device:
            stream.accept()
            conversation = Conversation(stream, device, service, self._reading, passing)
            await conversation.hold(self.ask)
        return conversation.error


async def _refuse(stream: Stream, service: str, refusal: str) -> None:
    """Close a stream as adbd does that cannot open a service, saying why where that can be said."""
    if service.startswith("shell,v2"):
        await stream.write(frames.failure(refusal))
    elif service.startswith(_SPEAKING):
        stream.accept()
        await stream.write(f"{refusal}\n".encode("utf-8", "replace"))
    elif service.startswith("reverse:"):
        stream.accept()
        await stream.write(failure(refusal))
    await stream.finish()
