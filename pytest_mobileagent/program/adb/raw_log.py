"""The raw record of a program's commands to the phone: a line of JSON for each.

Some tools tap an element by its id; the element's position is looked up and recorded instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Raw, to_json
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.episode.redaction import MASK, redacted
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.fileio import append_line
from pytest_mobileagent.jsonable import to_line, to_wire
from pytest_mobileagent.program.adb.services import open_service
from pytest_mobileagent.program.commands import Clear, ElementTap, Erase, Pointer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.program.commands import Act, Command
    from pytest_mobileagent.program.commands.steps import Mark


RAW_LOG = "adb.jsonl"  # its file, in the folder of a program's recordings
_MOST_CHARACTERS = 2000  # of a command that are recorded
_MOST_READ = 50_000  # characters of a command that are searched for secrets


class RawLog:
    """A file to which commands are written when they end, with the seconds since it was opened.

    Marks between them say where a model is called ("call"), and where the program itself begins and
    ends a step, so that steps can be derived from the file again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._began = time.monotonic()

    def now(self) -> float:
        """Return the seconds since the log was opened."""
        return time.monotonic() - self._began

    def mark(self, mark: Mark) -> None:
        """Add a mark that is not a command."""
        self._append({"t": round(self.now(), 4), "mark": mark})

    def write(self, at: float, service: str, command: Command, *, refused: str, error: str) -> None:
        """Add a command that was sent to a service at the time `at`, and has ended."""
        line = {
            "t": round(at, 4),
            "service": service[:_MOST_READ],
            "text": command.text[:_MOST_READ],
            "acts": [act_to_json(act) for act in command.acts],
            "looks": command.looks,
            "refused": refused,
            "error": error[:_MOST_READ],
            "seconds": round(self.now() - at, 4),
        }
        self._append(line)

    def _append(self, line: Mapping[str, Any]) -> None:
        jsonable = to_wire(line)
        safe = redacted(jsonable)
        if safe.get("acts") != jsonable.get("acts"):  # the command's text contains the secret, too
            safe |= {name: MASK for name in ("service", "text") if safe[name] == jsonable[name]}
        safe = {n: _cut(each) if isinstance(each, str) else each for n, each in safe.items()}
        with contextlib.suppress(OSError):  # the episode's record will report the full disk
            append_line(self._path, to_line(safe))


def act_to_json(act: Act) -> dict[str, Any]:
    """Return an act as JSON-able data, with its class name as "action"."""
    if isinstance(act, Pointer | Erase | Clear | ElementTap):
        return {"action": type(act).__name__, **dataclasses.asdict(act)}
    return to_json(act)


def _cut(text: str) -> str:
    left = len(text) - _MOST_CHARACTERS
    return text if left <= 0 else f"{text[:_MOST_CHARACTERS]}… ({left} more characters)"


# An answer usually takes a few milliseconds, but UiAutomator waits up to ten seconds while the
# screen changes, and the machine may be busy.
_SECONDS = 20.0
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


async def with_places(address: Address, service: str, command: Command) -> Command:
    """Return a command with its taps on elements replaced by taps on pixels, where possible."""
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
    """Return the body of the answer of a server on the phone to a GET request."""
    opened = await open_service(address, service)
    with contextlib.closing(opened):
        await opened.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = await opened.reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return await opened.reader.readexactly(int(length[1])) if length else b""
