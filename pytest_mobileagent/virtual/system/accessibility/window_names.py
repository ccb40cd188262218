"""What a window is, to accessibility: which one, and what it tells of its coming."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.virtual.system.accessibility.event import spoken
from pytest_mobileagent.virtual.ui.dialog import Dialog
from pytest_mobileagent.virtual.ui.node import class_name

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.window.window import Window

FRAME = "android.widget.FrameLayout"


class WindowName(NamedTuple):
    """What makes two looks at a window looks at the same one."""

    kind: str
    record: int
    title: str


def name_of(window: Window) -> WindowName:
    """Give what tells a window from the others."""
    view = window.box.view
    title = view.title or view.message if isinstance(view, Dialog) else ""
    number = window.record.number if window.kind in ("activity", "dialog", "menu") else 0
    return WindowName(window.kind, number, title)


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
