"""Where elements are that a program taps by Appium's server: only that server knows."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Raw, Tap
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.program.adb.services import open_service
from pytest_mobileagent.program.watching import ElementTap

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address
    from pytest_mobileagent.program.watching import Command

# An answer takes a few milliseconds; but UiAutomator waits up to ten seconds for a screen that
# moves, and a busy machine may take its time.
_SECONDS = 20.0
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


async def with_places(address: Address, service: str, command: Command) -> Command:
    """Return a command whose taps on elements are taps on pixels, as far as that can be known."""
    if not any(isinstance(act, ElementTap) for act in command.acts):
        return command
    acts = [
        await _tap(address, service, act) if isinstance(act, ElementTap) else act
        for act in command.acts
    ]
    return replace(command, acts=tuple(acts))


async def _tap(address: Address, service: str, tap: ElementTap) -> Tap | Raw:
    """Return a tap on the centre of an element, where `element.click()` touches it."""
    try:
        async with asyncio.timeout(_SECONDS):
            value = json.loads(await _get(address, service, f"{tap.path}/rect"))["value"]
            numbers = (value[name] for name in ("x", "y", "width", "height"))
            x, y, width, height = map(int, numbers)
    except (DeviceError, OSError, EOFError, TimeoutError, ValueError, LookupError, TypeError):
        return Raw(tap.words)
    return Tap(x + width // 2, y + height // 2)


async def _get(address: Address, service: str, path: str) -> bytes:
    """Return what a server on the phone answers to a request."""
    opened = await open_service(address, service)
    with contextlib.closing(opened):
        await opened.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = await opened.reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return await opened.reader.readexactly(int(length[1])) if length else b""
