"""A phone on the network: its console, its adbd, and its registration with an adb server."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pytest_mobileagent.virtual.wire.adbd import Adbd, Tasks, user_keys
from pytest_mobileagent.virtual.wire.connection import Connection
from pytest_mobileagent.virtual.wire.console import (
    LONGEST_LINE,
    Console,
    create_token,
    token_file,
)
from pytest_mobileagent.virtual.wire.console_registry import Emulator
from pytest_mobileagent.virtual.wire.registration import Registration
from pytest_mobileagent.virtual.wire.stream import MAX_PAYLOAD

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine, Sequence

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.registration import Pair

    Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Server:
    """Serves a phone on a pair of ports, within a context.

    `keys` are files of the accepted adb keys; the default is the user's own keys. `home` is the
    user's home folder, which contains the console's token. A `read_only` phone refuses to change
    snapshots. `drop_on_load` seconds after a snapshot was loaded, the phone is disconnected from
    adb. `peers` has the emulators that one process serves, by serial.
    """

    def __init__(
        self,
        phone: Phone,
        ports: Pair,
        adb_server_port: int,
        *,
        read_only: bool = False,
        drop_on_load: float | None = None,
        keys: Sequence[Path] = (),
        home: Path | None = None,
        peers: dict[str, Emulator] | None = None,
    ) -> None:
        home = home or Path.home()
        self.console_port: int = ports[0].getsockname()[1]
        self.adb_port: int = ports[1].getsockname()[1]
        self.serial = f"emulator-{self.console_port}"
        self.registration = Registration(adb_server_port, self.adb_port)
        self.stopped = asyncio.Event()
        self._ports = ports
        self._tasks = Tasks()
        self.adbd = Adbd(phone, self._tasks, keys or user_keys(home))
        self._drop_on_load = drop_on_load
        phone.snapshots.on_load = self._loaded
        peers = {} if peers is None else peers
        self._emulator = Emulator(phone, self.stopped.set, read_only, peers)
        peers[self.serial] = self._emulator
        self._token_file = token_file(home)
        phone.init.on_shutdown.append(self.stopped.set)

    async def __aenter__(self) -> Self:
        try:
            create_token(self._token_file)
        except OSError as error:
            print(f"ERROR: {error}: emulator console will not work", file=sys.stderr)
        self._servers = [
            await self._listen(self._ports[0], self._serve_console, LONGEST_LINE),
            await self._listen(self._ports[1], self._serve_adb, MAX_PAYLOAD),
        ]
        self._tasks.start(self.registration.keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        await self._tasks.cancel()

    def _loaded(self) -> None:
        """Schedule the disconnection from adb after a snapshot was loaded, as some emulators do."""
        if self._drop_on_load is not None:
            asyncio.get_running_loop().call_later(self._drop_on_load, self.adbd.drop)

    async def _serve_console(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await Console(self._emulator, self._token_file).serve(reader, writer)

    async def _serve_adb(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Connection(self.adbd, reader, writer).serve()

    async def _listen(self, port: socket.socket, serve: Serve, limit: int) -> asyncio.Server:
        return await asyncio.start_server(
            lambda reader, writer: self._tasks.start(serve(reader, writer)), sock=port, limit=limit
        )
