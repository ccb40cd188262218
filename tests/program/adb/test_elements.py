"""Taps on elements that are known only to Appium's server on the phone."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Raw, Tap
from pytest_mobileagent.device.device import Address
from pytest_mobileagent.program import adb as log
from pytest_mobileagent.program.adb.services import Service
from pytest_mobileagent.program.commands import Command, ElementTap

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Act

ADDRESS = Address("emulator-5554", "127.0.0.1", 1, "")
TAP = ElementTap("/session/1/element/7", "click element 7")


def placed(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple[Act, ...], list[bytes]]:
    """Return the acts that a tap becomes for an answer of the phone's server, and its requests."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).splitlines()[0])
        writer.write(answer)
        await writer.drain()
        writer.close()

    async def run() -> tuple[Act, ...]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]

        async def open_service(_: Address, service: str) -> Service:
            assert service == "tcp:6790"
            return Service(*await asyncio.open_connection("127.0.0.1", port))

        monkeypatch.setattr(log, "open_service", open_service)
        async with server:
            command = Command("POST …", (TAP,))
            return (await log.with_places(ADDRESS, "tcp:6790", command)).acts

    return asyncio.run(run()), asked


def answered(value: Any, status: str = "200 OK") -> bytes:
    body = json.dumps({"sessionId": "1", "value": value}).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def test_element_click_is_a_tap_on_the_centre(monkeypatch):
    rect = {"x": 10, "y": 20, "width": 100, "height": 41}
    acts, asked = placed(answered(rect), monkeypatch)
    assert acts == (Tap(60, 40),)
    assert asked == [b"GET /session/1/element/7/rect HTTP/1.1"]


@pytest.mark.parametrize(
    "answer",
    [
        answered({"error": "stale element reference"}, "404 Not Found"),
        answered(None),
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"",
    ],
)
def test_an_unknown_element_is_described_in_words(answer, monkeypatch):
    assert placed(answer, monkeypatch)[0] == (Raw("click element 7"),)


def test_query_waits_longer_than_uiautomators_idle_timeout():
    assert log._SECONDS > 10  # the default waitForIdleTimeout, which a program may change


def test_other_commands_are_unchanged():
    command = Command("input tap 1 2", (Tap(1, 2),))
    assert asyncio.run(log.with_places(ADDRESS, "shell:", command)) is command
