"""A phone on the network: its console, its adbd, and its registration with an adb server."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pytest_mobileagent.virtual.wire.adbd import Adbd, Tasks, user_keys
from pytest_mobileagent.virtual.wire.connection import Connection
from pytest_mobileagent.virtual.wire.console import LONGEST_LINE, Console, create_token, token_file
from pytest_mobileagent.virtual.wire.console_commands import Emulator
from pytest_mobileagent.virtual.wire.stream import MAX_PAYLOAD

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pytest_mobileagent.virtual.phone import Phone

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
        home, peers = home or Path.home(), {} if peers is None else peers
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
        self._emulator = peers[self.serial] = Emulator(phone, self.stopped.set, read_only, peers)
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


# Above the ports where every adb server looks for emulators when it starts, and below those that
# Linux assigns to any program.
_FREE_CHOICE = range(20000, 32766, 2)

Pair = tuple[socket.socket, socket.socket]


def claim(port: int) -> Pair:
    """Listen on `port` and the next one, or with 0 on a free pair; OSError if they are taken."""
    if not 0 <= port < 65535:
        raise ValueError(f"{port} and the number after it are not both ports")
    if port:
        return _listen(port)
    # in random order: the adb server of a phone that has just ended has to notice that first
    for candidate in random.sample(_FREE_CHOICE, len(_FREE_CHOICE)):
        with contextlib.suppress(OSError):
            return _listen(candidate)
    raise OSError("no two neighbouring ports are free")


def _listen(port: int) -> Pair:
    console = _listener(port)
    try:
        return console, _listener(port + 1)
    except OSError:
        console.close()
        raise


def _listener(port: int) -> socket.socket:
    # asyncio disables Nagle's algorithm (40 ms per answer) only if TCP is named
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(100)
    except OSError as error:
        listener.close()
        why = f"{error.strerror} (--port=0 finds free ones)"
        raise OSError(f"port {port} cannot be used: {why}") from error
    return listener


_RETRY = 0.5  # seconds between attempts while the server is down or does not list the phone


class Registration:
    """Follows an adb server's list of devices, and registers the phone when it is missing."""

    def __init__(self, server_port: int, adb_port: int) -> None:
        self._server_port = server_port
        self._adb_port = adb_port
        self._serial = f"emulator-{adb_port - 1}"
        self.state = ""  # the phone's state in the list; empty if it is not listed
        self._settled = asyncio.Event()  # the phone is online, or no server is running

    @property
    def online(self) -> bool:
        """Whether clients of the server can use the phone."""
        return self.state == "device"

    async def keep(self) -> None:
        """Follow the server for ever: it may start, stop and start again."""
        while True:
            try:
                await self._follow()
            except (OSError, EOFError, ValueError):
                self.state = ""
                self._settled.set()
            await asyncio.sleep(_RETRY)

    async def attempt(self, patience: float) -> bool:
        """Wait up to `patience` seconds for an outcome; return whether the phone is online."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), patience)
        return self.online

    async def _follow(self) -> None:
        reader, writer = await self._ask("host:track-devices")
        news: asyncio.Future[str] | None = None
        try:
            await reader.readexactly(len("OKAY"))
            news = asyncio.ensure_future(_block(reader))
            while True:
                await asyncio.wait({news}, timeout=None if self.online else _RETRY)
                if news.done():
                    devices = dict(line.split("\t") for line in news.result().splitlines())
                    self.state = devices.get(self._serial, "")
                    news = asyncio.ensure_future(_block(reader))
                if self.online:
                    self._settled.set()
                elif not self.state:
                    await self._register()
        finally:
            if news:
                news.cancel()
            writer.close()

    async def _register(self) -> None:
        """Ask the server to attach to the phone; its answer is the connection."""
        reader, writer = await self._ask(f"host:emulator:{self._adb_port}")
        await reader.read()
        writer.close()

    async def _ask(self, request: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        writer.write(f"{len(request):04x}{request}".encode())
        return reader, writer


async def _block(reader: asyncio.StreamReader) -> str:
    size = int(await reader.readexactly(4), 16)
    return (await reader.readexactly(size)).decode()
