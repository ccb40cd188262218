"""The behaviour of the accessibility forwarder, com.google.androidenv.accessibilityforwarder."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import grpc.aio

from pytest_mobileagent.virtual.grpc.forest import forest
from pytest_mobileagent.virtual.grpc.protocol import forwarding, forwarding_services
from pytest_mobileagent.virtual.sdk.app import App

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.app import app as base
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent
    from pytest_mobileagent.virtual.ui.node import Node

PACKAGE: Final = "com.google.androidenv.accessibilityforwarder"
TAG: Final = "AndroidRLTask"
PERIOD: Final = 0.1  # seconds between two forests
PATIENCE: Final = 1.0  # seconds until a call times out
HOST: Final = "10.0.2.2"  # the emulator's host, as seen from the phone
_ACTION: Final = "accessibility_forwarder.intent.action."
_OPTIONS: Final = (("grpc.enable_http_proxy", 0), ("grpc.max_reconnect_backoff_ms", 1000))
_NUMBERS: Final = ("from_index", "to_index", "added_count", "removed_count")


@dataclass(slots=True)
class Flags:
    """What broadcasts have set; lost when the process ends."""

    pid: int | None = None
    trees: bool = False
    host: str = HOST
    port: int = 0


class ForwarderService:
    """Sends the accessibility forest ten times per second, and events as they happen."""

    def __init__(self, app: base.App) -> None:
        assert isinstance(app, Forwarder)
        self._phone = app.phone
        self._channel: tuple[str, grpc.aio.Channel] | None = None
        self._events: asyncio.Queue[Any] = asyncio.Queue()
        self._forest: tuple[int, Any] = (-1, None)
        self._work: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] = lambda: None

    @property
    def _app(self) -> Forwarder:
        app = self._phone.packages.app(PACKAGE)  # a new object after a reinstallation
        assert isinstance(app, Forwarder)
        return app

    def start(self) -> None:
        """Start in the event loop that serves the phone, if it is running."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._unsubscribe = self._phone.events.subscribe(self._hear, windows=True)
        self._work = [loop.create_task(work()) for work in (self._send_trees, self._send_events)]

    def stop(self) -> None:
        """Cancel all tasks."""
        self._unsubscribe()
        for task in self._work:
            task.cancel()

    async def _send_trees(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            if self._app.flags.trees and not self._phone.ui_automation.suppresses:
                version = self._phone.version
                if self._forest[0] != version:
                    self._forest = version, forest(self._phone.accessibility)
                await self._send("SendForest", self._forest[1])

    async def _send_events(self) -> None:
        while True:
            await self._send("SendEvent", await self._events.get())

    def _hear(self, event: AccessibilityEvent) -> None:
        if self._app.flags.port > 0 and not self._phone.ui_automation.suppresses:
            told = _told(event, self._source(event))
            self._events.put_nowait(forwarding.EventRequest(event=told))

    def _source(self, event: AccessibilityEvent) -> Node | None:
        """Return the node that an event comes from."""
        if event.source is None:
            return None
        for node in self._phone.accessibility.walk():
            if (node.resource_id, node.bounds, node.class_name) == (
                event.source.resource_id,
                event.source.bounds,
                event.class_name,
            ):
                return node
        return None

    async def _send(self, method: str, message: Any) -> None:
        """Call the server, or log that the call failed."""
        flags = self._app.flags
        if flags.port <= 0:
            return
        if not self._phone.radios.online:
            self._fail("UNAVAILABLE")
            return
        try:
            await getattr(self._stub(flags), method)(message, timeout=PATIENCE)
        except grpc.aio.AioRpcError as error:
            self._fail(error.code().name)

    def _fail(self, status: str) -> None:
        words = "gRPC StatusException; are you sure networking is turned on?"
        self._app.log(TAG, words, "W")
        self._app.log(TAG, f"extra: exception ['io.grpc.StatusException: {status}']")

    def _stub(self, flags: Flags) -> Any:
        address = f"{'127.0.0.1' if flags.host == HOST else flags.host}:{flags.port}"
        if self._channel is None or self._channel[0] != address:
            self._channel = address, grpc.aio.insecure_channel(address, _OPTIONS)
        return forwarding_services.A11yServiceStub(self._channel[1])


class Forwarder(App):
    """The forwarder's app, which has no screen."""

    accessibility_services: ClassVar = {".AccessibilityForwarder": ForwarderService}

    @cached_property
    def _flags(self) -> Flags:
        return Flags()

    @property
    def flags(self) -> Flags:
        """The flags of the process that is running now."""
        pid = self.phone.proc.pid(PACKAGE)
        if self._flags.pid != pid:
            self._flags = Flags(pid)
        return self._flags

    def on_broadcast(self, intent: Intent) -> None:
        """Switch forests on or off, or set the server's address."""
        self.phone.proc.start(PACKAGE, self.uid)
        match intent.action.removeprefix(_ACTION):
            case "ENABLE_ACCESSIBILITY_TREE_LOGS":
                self.flags.trees = True
            case "DISABLE_ACCESSIBILITY_TREE_LOGS":
                self.flags.trees = False
            case "SET_GRPC":
                self.flags.host = str(intent.extras.get("host", HOST))
                self.flags.port = int(intent.extras.get("port", 0))


def _told(event: AccessibilityEvent, source: Node | None) -> dict[str, str]:
    """Return the fields of an event that are sent: names and values, without empty ones."""
    told = {
        "event_text": ", ".join(event.text),
        "event_type": event.type,
        "event_package_name": event.package or "",
        "before_text": event.before_text or "",
        "event_timestamp_ms": str(event.time),
    }
    told |= {name: str(value) for name in _NUMBERS if (value := getattr(event, name)) != -1}
    if event.type == "TYPE_VIEW_SCROLLED":
        told |= {name: str(getattr(event, name)) for name in ("scroll_delta_x", "scroll_delta_y")}
    if source:
        told |= {
            "source_content_description": ", ".join(each.desc for each in _line(source)),
            "source_text": source.text,
            "source_class_name": source.class_name,
            "view_id": source.resource_id,
        }
    return {name: value for name, value in told.items() if value}


def _line(node: Node | None) -> list[Node]:
    """Return a node and its ancestors, as far as they have descriptions."""
    line = []
    while node:
        if node.desc:
            line.append(node)
        node = node.parent
    return line
