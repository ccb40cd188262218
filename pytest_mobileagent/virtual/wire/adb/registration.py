"""Registers the phone with the adb server, as an emulator does, and keeps it registered."""

from __future__ import annotations

import asyncio
import contextlib

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
