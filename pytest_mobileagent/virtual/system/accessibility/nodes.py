"""What accessibility sees of all windows, live: the tree that every automation tool works on."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from pytest_mobileagent.virtual.system.accessibility.event import spoken
from pytest_mobileagent.virtual.system.window.window import Kind
from pytest_mobileagent.virtual.ui.dialog import Dialog
from pytest_mobileagent.virtual.ui.node import Identity, Node, class_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.system.power.power import Power
    from pytest_mobileagent.virtual.system.window.window import Window
    from pytest_mobileagent.virtual.system.window.windows import Windows
    from pytest_mobileagent.virtual.ui.metrics import Rect

FRAME: Final = "android.widget.FrameLayout"
TOAST: Final = "android.widget.Toast"
APPLICATION, INPUT_METHOD, SYSTEM = 1, 2, 3  # AccessibilityWindowInfo's types
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
    """An AccessibilityWindowInfo: a window that accessibility is told of, with its nodes."""

    id: int
    type: int
    layer: int  # the higher, the nearer to the viewer
    active: bool
    window: Window
    root: Node

    @property
    def package(self) -> str:
        """The package that the window belongs to."""
        return self.window.package

    @property
    def bounds(self) -> Rect:
        """Where the window is on the screen."""
        return self.root.box.bounds


class Screen:
    """All windows at one moment, the topmost first; none while the screen is off.

    It is a picture of a moment: take another (`phone.accessibility`) after anything was done.
    """

    def __init__(self, power: Power, windows: Windows) -> None:
        stack = windows.stack if power.awake else []
        active = windows.active if stack else None
        shown = [window for window in stack if window.kind not in _UNREPORTED]
        self.windows = [
            _window(window, layer, active=window is active) for layer, window in enumerate(shown)
        ][::-1]
        self.toast = next((_toast(each) for each in reversed(stack) if each.kind == "toast"), None)

    @property
    def active(self) -> AccessibilityWindow | None:
        """The window that has the focus; dumps show this one."""
        return next((window for window in self.windows if window.active), None)

    def walk(self) -> Iterator[Node]:
        """Yield the nodes of every window."""
        for window in self.windows:
            yield from window.root.walk()

    def find(self, identity: Identity) -> Node | None:
        """Give the node that this identity was taken from, if it is still there."""
        if self.toast and self.toast.identity == identity:
            return self.toast
        return next((node for node in self.walk() if node.identity == identity), None)

    def focused(self) -> Node | None:
        """Give the node that has the input focus."""
        root = self.active
        return next((node for node in root.root.walk() if node.focused), None) if root else None

    def window_of(self, node: Node) -> AccessibilityWindow:
        """Give the window that a node of this screen is in."""
        return next(window for window in self.windows if window.id == node.window_id)


def _toast(window: Window) -> Node | None:
    """Give a toast as tools show it, who are told of it by an event: its text, in no window."""
    for box in window.box.walk():
        if box.view.label:
            view = copy(box.view)
            view.class_name, view.id, view.key = TOAST, "", box.view.label
            return Node(replace(box, view=view), window.package, window_id(window), path="toast")
    return None


def window_id(window: Window) -> int:
    """Give the number of a window: the same as long as it is there."""
    place = _KINDS.index(window.kind)
    own = _TYPES.get(window.kind) == APPLICATION
    return (window.record.number * len(_KINDS) if own else 0) + place + 1


def _window(window: Window, layer: int, *, active: bool) -> AccessibilityWindow:
    number = window_id(window)
    root = Node.tree(window.box, window.package, number)
    return AccessibilityWindow(number, _TYPES.get(window.kind, SYSTEM), layer, active, window, root)


def name_of(window: Window) -> WindowName:
    """Give what makes two looks at a window looks at the same one."""
    view = window.box.view
    title = view.title or view.message if isinstance(view, Dialog) else ""
    return window_id(window), title


def described(window: Window, *, full: bool) -> tuple[str, tuple[str, ...]]:
    """Give the class and the text with which a window tells of its coming."""
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
