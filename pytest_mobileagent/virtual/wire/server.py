"""A phone on the network: its console, its adbd, and its registration with an adb server."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, Self

from pytest_mobileagent.virtual.wire.adbd import Adbd
from pytest_mobileagent.virtual.wire.console import LONGEST_LINE, Console
from pytest_mobileagent.virtual.wire.emulator import commands
from pytest_mobileagent.virtual.wire.packets import MAX_PAYLOAD
from pytest_mobileagent.virtual.wire.registration import Registration
from pytest_mobileagent.virtual.wire.tasks import Tasks
from pytest_mobileagent.virtual.wire.token import create_token, token_file

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine

    from pytest_mobileagent.virtual.album import Album
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.ports import Pair

    Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Server:
    """Serves a phone on a pair of ports, from entering it until leaving it."""

    def __init__(self, phone: Phone, album: Album, ports: Pair, adb_server_port: int) -> None:
        self.console_port: int = ports[0].getsockname()[1]
        self.adb_port: int = ports[1].getsockname()[1]
        self.serial = f"emulator-{self.console_port}"
        self.registration = Registration(adb_server_port, self.adb_port)
        self.stopped = asyncio.Event()
        self._ports = ports
        self._tasks = Tasks()
        self.adbd = Adbd(phone, self._tasks)
        self._console = Console(commands(phone, album, self.stopped.set), token_file())
        phone.on_shutdown.append(self.stopped.set)

    async def __aenter__(self) -> Self:
        try:
            create_token(token_file())
        except OSError as error:
            print(f"ERROR: {error}: emulator console will not work", file=sys.stderr)
        self._servers = [
            await self._listen(self._ports[0], self._console.attach, LONGEST_LINE),
            await self._listen(self._ports[1], self.adbd.attach, MAX_PAYLOAD),
        ]
        self._tasks.start(self.registration.keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        await self._tasks.cancel()

    async def _listen(self, port: socket.socket, serve: Serve, limit: int) -> asyncio.Server:
        return await asyncio.start_server(
            lambda reader, writer: self._tasks.start(serve(reader, writer)), sock=port, limit=limit
        )
