"""What accessibility sees of all windows: the live tree that every automation tool works on."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from pytest_mobileagent.virtual.system.accessibility.event import spoken
from pytest_mobileagent.virtual.system.interfaces import Kind
from pytest_mobileagent.virtual.ui import Dialog
from pytest_mobileagent.virtual.ui.node import Identity, Node, class_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.interfaces import Window
    from pytest_mobileagent.virtual.system.windows import Windows
    from pytest_mobileagent.virtual.ui.metrics import Rect

FRAME: Final = "android.widget.FrameLayout"
TOAST: Final = "android.widget.Toast"
APPLICATION, INPUT_METHOD, SYSTEM = 1, 2, 3  # types of AccessibilityWindowInfo
_UNREPORTED = ("wallpaper", "scrim", "toast")
_TYPES: Final[dict[Kind, int]] = {
    "keyboard": INPUT_METHOD,
    "activity": APPLICATION,
    "dialog": APPLICATION,
    "menu": APPLICATION,
}
_KINDS = get_args(Kind)
WindowName: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class AccessibilityWindow:
    """An AccessibilityWindowInfo: a window reported to accessibility, with its nodes."""

    id: int
    type: int
    layer: int  # higher values are nearer to the viewer
    active: bool
    window: Window
    root: Node

    @property
    def package(self) -> str:
        """The package that owns the window."""
        return self.window.package

    @property
    def bounds(self) -> Rect:
        """The bounds of the window on the screen."""
        return self.root.box.bounds


class Screen:
    """All windows at one moment, the topmost first; empty while the screen is off.

    The object does not change; get a new one from `phone.accessibility` after any action.
    """

    def __init__(self, power: Power, windows: Windows) -> None:
        stack = windows.stack if power.awake else []
        active = windows.active if stack else None
        shown = [each for each in stack if each.kind not in _UNREPORTED]
        told = [_window(each, at, active=each is active) for at, each in enumerate(shown)]
        self.windows = told[::-1]
        self.toast = next((_toast(each) for each in reversed(stack) if each.kind == "toast"), None)

    @property
    def active(self) -> AccessibilityWindow | None:
        """The focused window, which dumps show."""
        return next((window for window in self.windows if window.active), None)

    def walk(self) -> Iterator[Node]:
        """Yield the nodes of every window."""
        for window in self.windows:
            yield from window.root.walk()

    def find(self, identity: Identity) -> Node | None:
        """Return the node with an identity, or None if it no longer exists."""
        if self.toast and self.toast.identity == identity:
            return self.toast
        return next((node for node in self.walk() if node.identity == identity), None)

    def focused(self) -> Node | None:
        """Return the node with the input focus, or None."""
        root = self.active
        return next((node for node in root.root.walk() if node.focused), None) if root else None

    def window_of(self, node: Node) -> AccessibilityWindow:
        """Return the window of this screen that contains a node."""
        return next(window for window in self.windows if window.id == node.window_id)


def _toast(window: Window) -> Node | None:
    """Return the node for a toast's text, in no window: tools learn of a toast from an event."""
    for box in window.box.walk():
        if box.view.label:
            view = copy(box.view)
            view.class_name, view.id, view.key = TOAST, "", box.view.label
            return Node(replace(box, view=view), window.package, window_id(window), path="toast")
    return None


def window_id(window: Window) -> int:
    """Return the id of a window, which stays the same as long as the window exists."""
    place = _KINDS.index(window.kind)
    own = _TYPES.get(window.kind) == APPLICATION
    return (window.record.number * len(_KINDS) if own else 0) + place + 1


def _window(window: Window, layer: int, *, active: bool) -> AccessibilityWindow:
    number = window_id(window)
    root = Node.tree(window.box, window.package, number)
    return AccessibilityWindow(number, _TYPES.get(window.kind, SYSTEM), layer, active, window, root)


def name_of(window: Window) -> WindowName:
    """Return what identifies a window across two looks at the screen."""
    view = window.box.view
    title = view.title or view.message if isinstance(view, Dialog) else ""
    return window_id(window), title


def described(window: Window, *, full: bool) -> tuple[str, tuple[str, ...]]:
    """Return the class name and text with which a window announces that it appears."""
    activity = window.record.activity
    match window.kind:
        case "activity":
            name = window.record.component.partition("/")[2]
            return name, (activity.t(activity.title) if activity.title else activity.app.name,)
        case "dialog":
            return "android.app.AlertDialog", spoken(window.box)
        case "shade":
            return FRAME, ("Quick settings." if full else "Notification shade.",)
        case "keyguard":
            return FRAME, ("Lock screen.",)
        case "keyboard":
            return "android.inputmethodservice.SoftInputWindow", ()
        case _:
            return class_name(window.box.view), spoken(window.box)
