"""A phone that is lent to a program through a separate adb server, with every command recorded.

The server reaches the phone through an adbd of our own. Some tools tap an element by its id; the
element's position is looked up and recorded instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Raw
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.device.drivers.adb import shell
from pytest_mobileagent.errors import DeviceError, HostError
from pytest_mobileagent.program.adb.adbd import Adbd, cancel
from pytest_mobileagent.program.adb.conversation import AdbConversation, Passing, splitter_of
from pytest_mobileagent.program.adb.own_server import AdbServer, write_shims
from pytest_mobileagent.program.adb.services import (
    Reverses,
    ask_service,
    banner,
    failure,
    open_service,
    register,
    states,
)
from pytest_mobileagent.program.adb.sight_gate import Gate
from pytest_mobileagent.program.commands import Command, ElementTap
from pytest_mobileagent.program.commands.sockets import read_service
from pytest_mobileagent.screen.sight import hidden_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.program.adb.adbd import Stream
    from pytest_mobileagent.program.commands import Watcher
    from pytest_mobileagent.program.track import RawLog
    from pytest_mobileagent.screen.sight import Sight


class RecordedAdb:
    """The device at an address, lent to one program for one episode.

    The program sees only this device. Each of its commands is parsed, submitted to the `watcher`,
    run by the device, and written to the `log` when it has ended. Everything runs in the event loop
    in which `start` was called. `folder` is created by `start` and removed by `close`. `sees` says
    what the program may see of each screen (see `program.adb.sight_gate`).
    `environment` contains the variables to add to `base`, by default this process's environment.
    """

    def __init__(
        self,
        address: Address,
        watcher: Watcher,
        log: RawLog,
        folder: Path,
        *,
        base: Mapping[str, str] | None = None,
        sees: Sight = "both",
    ) -> None:
        self._address, self._folder = address, folder
        self._watcher, self._log = watcher, log
        self._base = os.environ if base is None else base
        hidden = hidden_part(sees)
        self._gate = None if hidden is None else Gate(address, hidden)
        self._reverses = Reverses(address)
        self._open = AsyncExitStack()
        self.serial = ""  # of the device as the program sees it
        self.port = 0  # of the program's adb server
        self.environment: dict[str, str] = {}

    async def start(self) -> None:
        """Start the program's adb server, and wait until it has the device.

        Raises:
            DeviceError: if the device or its adb server is not available.
            HostError: if this machine has no free port or disk space.
        """
        try:
            self._folder.mkdir(mode=0o700, parents=True)
        except OSError as error:
            msg = f"cannot create a folder for a program's adb server: {error}"
            raise HostError(msg) from error
        try:
            async with AsyncExitStack() as opened:
                opened.callback(shutil.rmtree, self._folder, ignore_errors=True)
                opened.push_async_callback(self._reverses.remove_all)
                self._adbd = adbd = Adbd(await banner(self._address), self._serve)
                opened.push_async_callback(adbd.close)
                await adbd.start()
                key = Path(self._address.home) / ".android"
                self._server = server = AdbServer(self._folder / "home", key)
                opened.push_async_callback(server.close)
                await server.start()
                self.serial, self.port = adbd.serial, server.port
                shims = await asyncio.to_thread(write_shims, self._folder, server.port, self._base)
                self.environment = {**shims, "ANDROID_SERIAL": self.serial}
                attachment = Attachment(self._address, adbd, server.port)
                opened.push_async_callback(attachment.close)
                await attachment.start()
                self._open = opened.pop_all()
        except OSError as error:
            msg = f"device {self._address} cannot be lent to a program: {error}"
            raise HostError(msg) from error

    async def close(self) -> None:
        """End the program's adb server, its forwards, and all of its open streams."""
        await self._open.aclose()

    @property
    def adb(self) -> str:
        """The path of the `adb` that reaches this server."""
        return str(self._folder / "sdk" / "platform-tools" / "adb")

    async def _serve(self, stream: Stream, service: str) -> None:
        """Serve a stream that was opened to a service, to its end.

        Raises:
            OSError: if the program disconnected.
        """
        if service.startswith("shell"):
            stream.accept()  # like adbd; otherwise it would go unnoticed if the program gives up
        command = await self._read(service)
        if self._gate is not None:
            command = self._gate.opening(service, command)
        passing = await self._ask(service, command)
        error = "the stream was cut off"
        try:
            if passing.refused:
                await _refuse(stream, service, passing.refused)
            elif stream.closed:
                error = "the program closed the stream before the command was passed on"
            elif service.startswith("reverse:"):
                error = await self._reverse(stream, service)
            else:
                error = await self._pass(stream, service, passing)
        except DeviceError as refusal:
            error = str(refusal)
        finally:
            passing.end(error)

    async def _read(self, service: str) -> Command:
        """Parse a service; `root:` has no effect if adbd already runs as root."""
        if service == "root:":
            with contextlib.suppress(DeviceError):
                if (await ask_service(self._address, "exec:id -u")).strip() == b"0":
                    return Command(service)
        return read_service(service)

    async def _ask_on_stream(self, service: str, command: Command) -> Passing:
        """Ask for permission for a command that was sent on the stream to a service."""
        if self._gate is not None:
            command = await self._gate.on_stream(command)
        return await self._ask(service, command)

    async def _ask(self, service: str, command: Command) -> Passing:
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
        """Connect a stream with the device, and return how it failed; empty if it did not."""
        to_open = await self._gate.to_open(service) if self._gate else service
        with contextlib.closing(await open_service(self._address, to_open)) as device:
            stream.accept()
            splitter = self._gate.splitter_of(service) if self._gate else splitter_of(service)
            conversation = AdbConversation(stream, device, service, passing, splitter)
            await conversation.run(self._ask_on_stream)
        return conversation.error


# Services whose output is text, in which a refusal can be explained.
_WITH_TEXT = ("shell:", "root:", "unroot:", "remount:", "tcpip:", "usb:")


async def _refuse(stream: Stream, service: str, refusal: str) -> None:
    """Close a stream like an adbd that cannot open a service, with the reason where possible."""
    if service.startswith("shell,v2"):
        await stream.write(shell.failure(refusal))
    elif service.startswith(_WITH_TEXT):
        stream.accept()
        await stream.write(f"{refusal}\n".encode("utf-8", "replace"))
    elif service.startswith("reverse:"):
        stream.accept()
        await stream.write(failure(refusal))
    await stream.finish()


_RETRY_SECONDS = 0.2
_START_SECONDS = 20.0


class Attachment:
    """Keeps the adbd connected to the program's adb server while the device is available.

    When the device disappears, its connections end, as if it were attached to that server directly.
    When it is back, or the server has restarted, adbd is registered again.
    """

    def __init__(self, address: Address, adbd: Adbd, server_port: int) -> None:
        self._address, self._adbd, self._server_port = address, adbd, server_port
        self._there = self._listed = False
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Attach adbd, and keep it attached.

        Raises:
            DeviceError: if the device is not available, or the server does not list it in time.
        """
        keeping = (self._follow_device(), self._follow_list(), self._keep_registered())
        self._tasks = [asyncio.create_task(each) for each in keeping]
        try:
            async with asyncio.timeout(_START_SECONDS):
                while not self._listed:
                    await self._change()
        except TimeoutError:
            msg = f"device {self._address} cannot be lent to a program: no adb server lists it"
            raise DeviceError(msg) from None

    async def close(self) -> None:
        """Stop attaching adbd."""
        await cancel(*self._tasks)

    async def _follow_device(self) -> None:
        while True:
            with contextlib.suppress(DeviceError):
                address = self._address
                async for state in states(address.adb_host, address.adb_port, address.serial):
                    self._there = state == "device"
                    if not self._there:
                        self._adbd.drop()
                    self._changed.set()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _follow_list(self) -> None:
        while True:
            with contextlib.suppress(DeviceError):
                async for state in states("127.0.0.1", self._server_port, self._adbd.serial):
                    self._listed = state == "device"
                    self._changed.set()
            self._listed = False
            self._changed.set()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _keep_registered(self) -> None:
        while True:
            if self._there and not self._listed:
                with contextlib.suppress(DeviceError, OSError):
                    await register(self._server_port, self._adbd.port)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_RETRY_SECONDS):
                        await self._change()
            else:
                await self._change()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


_SECONDS = 20.0  # UiAutomator waits up to 10 s while the screen changes, the machine may be busy
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


async def with_places(address: Address, service: str, command: Command) -> Command:
    """Return a command with its taps on elements replaced by taps on pixels, where possible."""
    if not any(isinstance(act, ElementTap) for act in command.acts):
        return command
    acts = [
        await _tap(address, service, act) if isinstance(act, ElementTap) else act
        for act in command.acts
    ]
    return replace(command, acts=tuple(acts))


async def _tap(address: Address, service: str, tap: ElementTap) -> Tap | Raw:
    """Return a tap on the centre of an element, where `element.click()` touches it."""
    try:
        async with asyncio.timeout(_SECONDS):
            value = json.loads(await _get(address, service, f"{tap.path}/rect"))["value"]
            x, y, width, height = (int(value[name]) for name in ("x", "y", "width", "height"))
    except (DeviceError, OSError, EOFError, TimeoutError, ValueError, LookupError, TypeError):
        return Raw(tap.words)
    return Tap(x + width // 2, y + height // 2)


async def _get(address: Address, service: str, path: str) -> bytes:
    """Return the body of the answer of a server on the phone to a GET request."""
    opened = await open_service(address, service)
    with contextlib.closing(opened):
        await opened.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = await opened.reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return await opened.reader.readexactly(int(length[1])) if length else b""
