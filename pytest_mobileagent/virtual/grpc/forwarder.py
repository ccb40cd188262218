"""The behaviour of the accessibility forwarder, com.google.androidenv.accessibilityforwarder."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import grpc.aio

from pytest_mobileagent.virtual.grpc import forwarding, forwarding_services
from pytest_mobileagent.virtual.sdk.app import App
from pytest_mobileagent.virtual.ui.node import important

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.app import app as base
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent
    from pytest_mobileagent.virtual.system.accessibility.nodes import AccessibilityWindow, Screen
    from pytest_mobileagent.virtual.ui.metrics import Rect
    from pytest_mobileagent.virtual.ui.node import Node

PACKAGE: Final = "com.google.androidenv.accessibilityforwarder"
TAG: Final = "AndroidRLTask"
PERIOD: Final = 0.1  # seconds between two forests
PATIENCE: Final = 1.0  # seconds until a call times out
HOST: Final = "10.0.2.2"  # the emulator's host, as seen from the phone
_ACTION: Final = "accessibility_forwarder.intent.action."
_OPTIONS: Final = (("grpc.enable_http_proxy", 0), ("grpc.max_reconnect_backoff_ms", 1000))
_FLAGS: Final = (
    *("checkable", "checked", "clickable", "editable", "enabled", "focusable", "focused"),
    *("long_clickable", "password", "scrollable", "selected"),
)
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
        if (source := event.source) is None:
            return None
        wanted = (source.resource_id, source.bounds, event.class_name)
        nodes = self._phone.accessibility.walk()
        return next((n for n in nodes if (n.resource_id, n.bounds, n.class_name) == wanted), None)

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
        self._app.log(TAG, "gRPC StatusException; are you sure networking is turned on?", "W")
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


# Actions of AccessibilityNodeInfo.
FOCUS, CLEAR_FOCUS, SELECT, CLEAR_SELECTION, CLICK, LONG_CLICK = 1, 2, 4, 8, 16, 32
ACCESSIBILITY_FOCUS, SCROLL_FORWARD, SCROLL_BACKWARD = 64, 4096, 8192
SET_SELECTION, SET_TEXT, SHOW_ON_SCREEN = 0x20000, 0x200000, 0x1020036


def forest(screen: Screen) -> Any:
    """Return all windows, the topmost first."""
    return forwarding.AndroidAccessibilityForest(windows=[_window(w) for w in screen.windows])


def _window(window: AccessibilityWindow) -> Any:
    return forwarding.AndroidAccessibilityWindowInfo(
        bounds_in_screen=_rect(window.bounds),
        id=window.id,
        layer=window.layer,
        window_type=window.type,
        is_active=window.active,
        is_focused=window.active,
        tree=forwarding.AndroidAccessibilityTree(nodes=_nodes(window.root)),
    )


def _nodes(root: Node) -> Iterator[Any]:
    """Yield a window's nodes level by level, numbered in the same order."""
    layer, depth, number, last = [root], 0, 0, 0
    while layer:
        below: list[Node] = []
        for node in layer:
            children = list(important(node))
            below += children
            yield _node(node, number, depth, range(last + 1, last + 1 + len(children)))
            number, last = number + 1, last + len(children)
        layer, depth = below, depth + 1


def _node(node: Node, number: int, depth: int, children: range) -> Any:
    start, end = node.selection or (-1, -1)
    return forwarding.AndroidAccessibilityNodeInfo(
        unique_id=number,
        bounds_in_screen=_rect(node.bounds),
        class_name=node.class_name,
        content_description=node.desc,
        hint_text=node.hint,
        package_name=node.package,
        text=node.text,
        text_selection_start=start,
        text_selection_end=end,
        view_id_resource_name=node.resource_id,
        window_id=node.window_id,
        is_visible_to_user=node.visible,
        **{f"is_{flag}": getattr(node, flag) for flag in _FLAGS},
        actions=[forwarding.AndroidAccessibilityAction(id=each) for each in _actions(node)],
        child_ids=children,
        depth=depth,
        drawing_order=node.drawing_order,
    )


def _actions(node: Node) -> Iterator[int]:
    """Yield the actions that a node supports, according to its view."""
    if node.focusable:
        yield CLEAR_FOCUS if node.focused else FOCUS
    yield CLEAR_SELECTION if node.selected else SELECT
    if node.enabled:
        for able, action in ((node.clickable, CLICK), (node.long_clickable, LONG_CLICK)):
            if able:
                yield action
    yield ACCESSIBILITY_FOCUS
    if node.box.offset < node.box.reach:
        yield SCROLL_FORWARD
    if node.box.offset > 0:
        yield SCROLL_BACKWARD
    if node.editable:
        yield from (SET_SELECTION, SET_TEXT)
    yield SHOW_ON_SCREEN


def _rect(rect: Rect) -> Any:
    left, top, right, bottom = rect
    return forwarding.ProtoRect(left=left, top=top, right=right, bottom=bottom)
