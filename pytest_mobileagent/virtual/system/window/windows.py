"""The window service: what is on the screen, from the app at the bottom to the status bar."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.systemui.scene import FOCUSABLE, Kind, Scene, Toast, Window, black
from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.dialog import Dialog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.activities.tasks import Record
    from pytest_mobileagent.virtual.ui import View
    from pytest_mobileagent.virtual.ui.layout import Box

ATTEMPTS = 3  # builds of a screen: an app that crashes while drawing gives way to the one below


class Windows:
    """Built when looked at, and forgotten at every change."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._built: list[Window] | None = None
        self._toast: Toast | None = None
        self._reveal = False

    def forget(self) -> None:
        """Build anew at the next look."""
        self._built = None

    def reveal(self) -> None:
        """Scroll so that the focused field is seen, at the next build."""
        self._reveal = True

    @property
    def stack(self) -> list[Window]:
        """Every window, the lowest first."""
        self._phone.notice_time()
        for _ in range(ATTEMPTS):
            if self._built is not None:
                break
            record = self._phone.activities.top
            with self._phone.activities.guard(record):
                self._built = self._build(record)
        assert self._built is not None, "the launcher itself cannot be drawn"
        return self._built

    @property
    def active(self) -> Window:
        """The window that has the focus: the top one of the app's."""
        return next(window for window in reversed(self.stack) if window.kind in FOCUSABLE)

    def find(self, kind: Kind) -> Window | None:
        """Give the window of a kind, if it is there."""
        return next((window for window in self.stack if window.kind == kind), None)

    def show_toast(self, package: str, text: str, seconds: float) -> None:
        """Show a text for some seconds; it waits for none before it."""
        self._toast = Toast(package, text, self._phone.clock.uptime() + seconds)
        self._phone.changed()
        self._phone.events.toast(package, text)

    def toast(self) -> Toast | None:
        """Give the toast that is up now."""
        toast = self._toast
        return toast if toast and toast.until > self._phone.clock.uptime() else None

    @contextmanager
    def watched(self, *, by_keys: bool = False) -> Iterator[None]:
        """Tell the listeners to events at once of what happens meanwhile."""
        self._phone.events.settle()
        yield
        self._phone.events.settle(by_keys=by_keys)

    def visible_boxes(self) -> list[Box]:
        """Give what is drawn: nothing but black while the screen is off or the app is secure."""
        metrics = self._phone.display.metrics
        if not self._phone.power.awake:
            return [black(metrics)]
        return [
            black(metrics)
            if window.kind == "activity" and window.record.activity.secure
            else window.box
            for window in self.stack
        ]

    # Focus.

    def focused(self) -> Box | None:
        """Give the view that has the input focus."""
        window = self.active
        return window.box.find(window.state.focused) if window.state.focused else None

    def focused_field(self) -> Input | None:
        """Give the text field that has the input focus."""
        box = self.focused()
        return box.view if box and isinstance(box.view, Input) and box.view.enabled else None

    def focus_next(self, *, fields_only: bool = False, back: bool = False) -> bool:
        """Move the focus on to the next view that can have it; False if there is none."""
        window = self.active
        boxes = [
            box
            for box in window.box.walk()
            if box.view.enabled and _focusable(box.view, fields_only=fields_only)
        ]
        if back:
            boxes.reverse()
        keys = [box.key for box in boxes]
        at = keys.index(window.state.focused) + 1 if window.state.focused in keys else 0
        if at == len(boxes) and (fields_only or not boxes):
            return False
        self.focus(window, boxes[at % len(boxes)])
        self._phone.changed()
        return True

    def focus(self, window: Window, box: Box) -> None:
        """Give the input focus to a view of the window that has it."""
        window.state.focused = box.key
        if isinstance(box.view, Input):
            window.state.cursor, window.state.anchor = len(box.view.text), None
            self._phone.ime.show()
        self.reveal()

    # Building.

    def _build(self, record: Record) -> list[Window]:
        scene = Scene.of(record, self._phone)
        app = scene.app(keyboard=0)
        self._notice_dialog(app[-1])
        over = [*scene.keyguard(), *scene.shade()]
        field = _focused_field(over[-1] if over else app[-1])
        if field is None:
            self._phone.ime.hide()
        keyboard = [scene.keyboard(field)] if field and self._phone.ime.shown else []
        height = scene.metrics.height_px - keyboard[0].box.bounds[1] if keyboard else 0
        if keyboard:
            app = scene.app(height)
        if self._reveal and _scroll_to_focus(app[-1]):
            app = scene.app(height)
        self._reveal = False
        toast = self.toast()
        return [
            *app,
            *scene.menu(app[-1]),
            *over,
            *keyboard,
            *scene.heads_up(),
            *([scene.toast(toast)] if toast else []),
            *scene.bars(),
        ]

    def _notice_dialog(self, window: Window) -> None:
        """Keep the state of a dialog while it is open; a field in it may want the focus at once."""
        record = window.record
        if window.kind != "dialog":
            record.over = None
        elif record.over is not window.state:
            record.over = window.state
            for box in window.box.walk():
                if isinstance(box.view, Input) and box.view.autofocus:
                    self.focus(window, box)
                    break

    def save(self) -> dict[str, Any] | None:
        """Give the toast; all else is built from the activities."""
        return asdict(self._toast) if self._toast else None

    def load(self, saved: dict[str, Any] | None) -> None:
        """Take the toast back."""
        self._toast = Toast(**saved) if saved else None
        self.forget()


def cancelable(window: Window) -> Dialog | None:
    """Give the dialog of a window, if Back and a tap outside close it."""
    view = window.box.view
    return view if isinstance(view, Dialog) and view.cancelable else None


def _focusable(view: View, *, fields_only: bool) -> bool:
    return isinstance(view, Input) or (not fields_only and (view.clickable or view.focusable))


def _focused_field(window: Window) -> Input | None:
    box = window.box.find(window.state.focused) if window.state.focused else None
    return box.view if box and isinstance(box.view, Input) else None


def _scroll_to_focus(window: Window) -> bool:
    """Scroll what is around the focused view until it is seen; False if it is."""
    path = _path(window.box, window.state.focused or "")
    around = next((box for box in reversed(path[:-1]) if box.reach > 0), None)
    if around is None or around.visible is None:
        return False
    _, top, _, bottom = path[-1].bounds
    hidden = max(bottom - around.visible[3], 0) or min(top - around.visible[1], 0)
    window.state.scroll[around.key] = min(max(around.offset + hidden, 0), around.reach)
    return hidden != 0


def _path(box: Box, key: str) -> list[Box]:
    """Give the boxes from the root to the one with this key."""
    if box.key == key:
        return [box]
    for child in box.children:
        if below := _path(child, key):
            return [box, *below]
    return []
