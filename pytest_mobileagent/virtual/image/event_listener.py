"""The event listener: an app whose accessibility service sends events to connected clients.

docs/events.md describes the protocol, for authors of the app for real phones.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.virtual.content import wire_json
from pytest_mobileagent.virtual.sdk.app import App
from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.virtual.app import app as base
    from pytest_mobileagent.virtual.kernel.processes import Connection

PACKAGE = "org.mobileagent.listener"
ADDRESS = f"localabstract:{PACKAGE}"
PROTOCOL = 1
KEPT = 5000  # events that a client can request again
LONGEST_REQUEST = 4096
_DEFAULTS = {each.name: each.default for each in fields(AccessibilityEvent)}
_NOT_FIELDS = ("time", "source")  # sent under more specific names


class ListenerService:
    """Numbers the events, keeps the latest, and serves them at a socket."""

    def __init__(self, app: base.App) -> None:
        assert isinstance(app, EventListener)
        self._phone = app.phone
        self._session = secrets.token_hex(8)
        self._sequence = 0
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._clients: set[_Client] = set()
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Subscribe to events and listen at the socket."""
        self._unsubscribe = self._phone.events.subscribe(self._hear, windows=True)
        self._phone.sockets[ADDRESS] = self._serve

    def stop(self) -> None:
        """Unsubscribe, close the socket and disconnect all clients."""
        self._unsubscribe()
        self._phone.sockets.pop(ADDRESS, None)
        for client in tuple(self._clients):
            client.stream.drop()

    def _hear(self, event: AccessibilityEvent) -> None:
        if self._phone.ui_automation.suppresses:
            return
        self._sequence += 1
        told = {"sequence": self._sequence, **self._plain(event)}
        self._kept.append((self._sequence, _line(told)))
        for client in self._clients:
            if client.subscribed:
                client.lines.put_nowait(self._kept[-1][1])

    def _plain(self, event: AccessibilityEvent) -> dict[str, Any]:
        told = {
            name: value
            for name, value in asdict(event).items()
            if name not in _NOT_FIELDS and value != _DEFAULTS[name]
        }
        told["uptime"] = event.time
        told["time"] = self._phone.clock.now().isoformat(timespec="milliseconds")
        if event.source:
            told["bounds"] = event.source.bounds
            if event.source.resource_id:
                told["resource_id"] = event.source.resource_id
        return told

    async def _serve(self, stream: Connection) -> None:
        client = _Client(stream)
        self._clients.add(client)
        sender = asyncio.create_task(_send(client))
        try:
            hello = {"protocol": PROTOCOL, "listener": "virtual", "session": self._session}
            await stream.write(_line(hello | self._now()))
            async for request in _requests(stream):
                self._answer(client, request)
        finally:
            self._clients.discard(client)
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    def _answer(self, client: _Client, request: Mapping[str, Any]) -> None:
        match request:
            case {"since": int(number)}:
                client.subscribed = True
                for at, line in self._kept:
                    if at > number:
                        client.lines.put_nowait(line)
            case {"ping": value}:
                client.lines.put_nowait(_line({"pong": value} | self._now()))

    def _now(self) -> dict[str, Any]:
        clock = self._phone.clock
        return {
            "sequence": self._sequence,
            "uptime": round(clock.uptime() * 1000),
            "time": clock.now().isoformat(timespec="milliseconds"),
        }


class _Client:
    """A connected client, and the lines still to be sent to it."""

    def __init__(self, stream: Connection) -> None:
        self.stream = stream
        self.subscribed = False
        self.lines = asyncio.Queue[bytes]()


async def _send(client: _Client) -> None:
    while True:
        lines = [await client.lines.get()]
        while not client.lines.empty():
            lines.append(client.lines.get_nowait())
        await client.stream.write(b"".join(lines))


async def _requests(stream: Connection) -> Any:
    """Yield a client's requests, one JSON object per line; an invalid line ends the connection."""
    buffer = b""
    while data := await stream.read():
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            try:
                request = wire_json.loads(line)
            except ValueError:
                return
            yield request
        if len(buffer) > LONGEST_REQUEST:
            return


def _line(told: Mapping[str, Any]) -> bytes:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class EventListener(App):
    """The event listener's app, which has no screen."""

    package, label = PACKAGE, "Event listener"
    services: ClassVar = (".ListenerService",)
    accessibility_services: ClassVar = {".ListenerService": ListenerService}
