"""`python -m pytest_mobileagent mcp`: a phone as an MCP server, to try out by hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.fileio import read_json
from pytest_mobileagent.mcp.bridge import url_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.device.single import Project

URL = "MOBILEAGENT_MCP_URL"  # the environment variable that can stand for --connect


def main(arguments: Sequence[str], project: Callable[[], Project]) -> int:
    """Serve a phone until Ctrl-C, or until a client that has started this goes away.

    `project` is asked only if the device needs what a project registers.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    url = given.connect or ("" if given.device else os.environ.get(URL, ""))
    if url:
        if given.device:
            parser.error("--connect and --device exclude each other")
        if given.connect and "://" not in url:
            url = _read(parser, given.connect)
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            parser.error(f"--connect={url} is no http:// or https:// URL")
        from pytest_mobileagent.mcp.bridge import bridge

        return bridge(url)
    if not given.device:
        parser.error("--device is missing: --device virtual starts a virtual phone")
    # What drives devices takes long to load, which a client that connects would wait for.
    from pytest_mobileagent.mcp.serving import serve

    try:
        return serve(given, project)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130


def _read(parser: argparse.ArgumentParser, path: str) -> str:
    """Return the URL of a configuration; exit with a usage error if it has none."""
    try:
        url = url_of(read_json(Path(path)))
    except (OSError, ValueError) as error:
        parser.error(f"--connect={path} cannot be read: {error}")
    return url or parser.error(f"--connect={path} names no server phone with a URL")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("mcp"),
        description="Serve a phone as an MCP server, to any MCP client. There is no task and no "
        "limit of steps, and nothing is recorded.",
        epilog=f"The URL of a phone that is served elsewhere may also stand in {URL}.",
    )
    add = parser.add_argument
    add(
        "--device",
        default="",
        metavar="DEVICE",
        help="as a run's --mobile-device, but one: virtual, avd:NAME, serial:SERIAL, a bare "
        "SERIAL, appium:URL",
    )
    add(
        "--stdio",
        action="store_true",
        help="serve standard input and output, for a client that starts this command, and end with "
        "it (default: serve HTTP until Ctrl-C, and print the URL)",
    )
    add(
        "--connect",
        default="",
        metavar="FILE",
        help="pass standard input and output on to a phone that is served elsewhere, as in an "
        "episode: FILE is a configuration as Claude Code's, whose server is named phone; its URL "
        "may stand here, too, where other users of this machine can read it",
    )
    return parser
