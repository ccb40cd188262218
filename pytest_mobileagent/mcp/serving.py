"""Lease the device that the command's options name, serve it, and release it."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import sys
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.single import leased_device, source_of
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.mcp.bridge import Bridge, configuration, take_streams
from pytest_mobileagent.mcp.endpoint import McpEndpoint
from pytest_mobileagent.mcp.phone import OwnPhone
from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable

    from pytest_mobileagent.device.single import Project


def serve(given: argparse.Namespace, project: Callable[[], Project]) -> int:
    """Lease a device and serve it; the exit status is 1 if that cannot be done.

    Raises:
        ValueError: the options name no device.
    """
    try:
        source = source_of(given.device, project)
    except ValueError as error:
        msg = f"--device={given.device} {error}"
        raise ValueError(msg) from error
    streams = take_streams() if given.stdio else None
    try:
        check_extra("mcp", "an MCP server")
        options = DeviceOptions(apps=tuple(project().apps) if source.is_virtual else ())
        with leased_device(source, options) as device:
            phone = OwnPhone(device)
            asyncio.run(_over_streams(phone, *streams) if streams else _over_http(phone))
    except (MobileAgentError, ValueError, OSError) as error:
        print(printable(f"ERROR: --device={given.device}: {error}"), file=sys.stderr)
        return 1
    return 0


async def _over_http(phone: OwnPhone) -> None:
    async with _served(phone) as url:
        print(f"{phone.info.serial} is served at\n\n    {url}\n")
        print(f"until Ctrl-C. For clients:\n\n{json.dumps(configuration(url), indent=2)}\n")
        print(f"    claude mcp add --transport http phone {url}", flush=True)
        await _stopped().wait()


async def _over_streams(phone: OwnPhone, incoming: int, out: int) -> None:
    async with _served(phone) as url:
        stopped, loop = _stopped(), asyncio.get_running_loop()

        def serve() -> None:
            Bridge(url, out).run(incoming)
            loop.call_soon_threadsafe(stopped.set)

        # A daemon, for it may wait for input when this process is asked to end.
        threading.Thread(target=serve, daemon=True).start()
        await stopped.wait()


@asynccontextmanager
async def _served(phone: OwnPhone) -> AsyncIterator[str]:
    # Whoever else uses this machine does not know the path.
    path = f"/{secrets.token_urlsafe(16)}/mcp"
    endpoint = McpEndpoint(phone, path)
    port = await endpoint.start()
    try:
        yield f"http://127.0.0.1:{port}{path}"
    finally:
        await endpoint.stop()


def _stopped() -> asyncio.Event:
    """Return an event that is set when this process is asked to end."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, event.set)
    return event
