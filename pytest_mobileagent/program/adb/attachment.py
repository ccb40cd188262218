"""Keeps a recorded phone in the list of an adb server for as long as the phone is there."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.program.adb.services import register, states

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address
    from pytest_mobileagent.program.adb.adbd import Adbd

_RETRY_SECONDS = 0.2
_START_SECONDS = 20.0


class Attachment:
    """Connects our adbd to the program's adb server at a port as long as the device is there.

    When the device vanishes its connections end, as they would if it were attached itself; when it
    is back, or the server had to be started again, adbd is registered anew.
    """

    def __init__(self, address: Address, adbd: Adbd, server_port: int) -> None:
        self._address = address
        self._adbd = adbd
        self._server_port = server_port
        self._there = self._listed = False
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Attach it, and keep it attached.

        Raises:
            DeviceError: the device is not there, or the server does not list it in time.
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
        """Leave it as it is."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

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
