"""Lets early connections to the server's port wait for the server instead of being refused.

Appium asks for the server's status while `am instrument` is still starting it. If Appium is
refused, it only tries again after a second.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.sockets import Connection
    from pytest_mobileagent.virtual.phone import Phone

PORT: Final = "tcp:6790"
TESTS: Final = "io.appium.uiautomator2.server.test"  # the package that the server is started from
PATIENCE, STEP = 1.0, 0.005  # seconds
_LEFTOVERS = b"GET /sessions "  # only asks whether an old server is still running


def expected(phone: Phone, address: str) -> bool:
    """Return whether a server may come up at an address that nothing listens on yet."""
    return address == PORT and TESTS in phone.packages


async def serve(phone: Phone, stream: Connection) -> None:
    """Pass a connection to the server once it is up; close the connection if it never is."""
    data = await stream.read()
    if data.startswith(_LEFTOVERS):
        return
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    while loop.time() < deadline and not stream.closed:
        if listener := phone.sockets.get(PORT):
            stream.unread(data)
            await listener(stream)
            return
        await asyncio.sleep(STEP)
