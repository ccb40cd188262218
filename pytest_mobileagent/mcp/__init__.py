"""A phone as an MCP server, whose tools any MCP client can call over HTTP or standard streams.

This is the command `mcp`, which serves a phone to try it out by hand, or leads to a served one.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.fileio import read_json
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.mcp.bridge import Bridge, bridge, configuration, take_streams, url_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Sequence

    from pytest_mobileagent.device.fleet.leases import Project
    from pytest_mobileagent.mcp.endpoint import OwnPhone


URL = "MOBILEAGENT_MCP_URL"  # the environment variable that can replace --connect


def main(arguments: Sequence[str], project: Callable[[], Project]) -> int:
    """Serve a phone until Ctrl-C, or until the client that has started this process goes away.

    `project` is called only if the device needs what a project registers.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if url := given.connect or ("" if given.device else os.environ.get(URL, "")):
        if given.device:
            parser.error("--connect and --device cannot be combined")
        if given.connect and "://" not in url:
            url = _read(parser, given.connect)
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            parser.error(f"--connect={url} is not an http:// or https:// URL")
        return bridge(url)
    if not given.device:
        parser.error("--device is missing; to start a virtual phone, use --device virtual")
    try:
        return _serve(given, project)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130


def _read(parser: argparse.ArgumentParser, path: str) -> str:
    """Return the URL in a configuration; exit with a usage error if it contains none."""
    try:
        url = url_of(read_json(Path(path)))
    except (OSError, ValueError) as error:
        parser.error(f"--connect={path} cannot be read: {error}")
    return url or parser.error(f'--connect={path} has no server named "phone" with a URL')


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("mcp"),
        description="Serve a phone as an MCP server, to any MCP client. There is no task and no "
        "step limit, and nothing is recorded.",
        epilog=f"The URL of a phone that is served elsewhere can also be set in {URL}.",
    )
    add = parser.add_argument
    add(
        "--device",
        default="",
        metavar="DEVICE",
        help="one device, written like a run's --mobile-device: virtual, avd:NAME, serial:SERIAL, "
        "a bare SERIAL, appium:URL",
    )
    add(
        "--stdio",
        action="store_true",
        help="serve on standard input and output, for a client that starts this command, and exit "
        "with the client (default: serve HTTP until Ctrl-C, and print the URL)",
    )
    add(
        "--connect",
        default="",
        metavar="FILE",
        help="connect standard input and output to a phone that is served elsewhere, as in an "
        "episode. FILE is a configuration for Claude Code with a server named phone; the URL is "
        "accepted, too, but other users of this machine can read it",
    )
    return parser


def _serve(given: argparse.Namespace, project: Callable[[], Project]) -> int:
    """Lease the device that the options name, serve it, and release it; return the exit status.

    Raises:
        ValueError: if the options name no device.
    """
    # Loading the drivers takes long, and a client that only connects need not wait for it.
    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.leases import leased_device, source_of
    from pytest_mobileagent.mcp.endpoint import OwnPhone

    try:
        source = source_of(given.device, project)
    except ValueError as error:
        raise ValueError(f"--device={given.device} {error}") from error
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

        # A daemon thread, because it may be waiting for input when this process is asked to end.
        threading.Thread(target=serve, daemon=True).start()
        await stopped.wait()


@asynccontextmanager
async def _served(phone: OwnPhone) -> AsyncIterator[str]:
    from pytest_mobileagent.mcp.endpoint import McpEndpoint

    # The path is secret, so that other users of this machine cannot connect.
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
