"""Appium's server, and how its port answers before it is up.

A route is a row of a table: method, path below the session, function.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Connection
    from pytest_mobileagent.virtual.phone import Phone

# Appium asks for the server's status while `am instrument` is still starting it, and if it is
# refused, tries again only after a second; so early connections wait instead.
PORT: Final = "tcp:6790"
TESTS: Final = "io.appium.uiautomator2.server.test"  # the package that the server is started from
PATIENCE, STEP = 1.0, 0.005  # seconds
_LEFTOVERS = b"GET /sessions "  # only asks whether an old server is still running


def is_expected(phone: Phone, address: str) -> bool:
    """Return whether a server may come up at an address that nothing listens on yet."""
    return address == PORT and TESTS in phone.packages


async def serve_expected(phone: Phone, stream: Connection) -> None:
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
