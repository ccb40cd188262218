"""The window service: what is on the screen, from the app at the bottom to the status bar."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots.kept import Kept
from pytest_mobileagent.virtual.system.window.window import FOCUSABLE, Kind, Toast, Window, black
from pytest_mobileagent.virtual.ui.controls import Input
from pytest_mobileagent.virtual.ui.dialog import Dialog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.activities.activities import Activities
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.later import Building, Telling
    from pytest_mobileagent.virtual.system.power.power import Power
    from pytest_mobileagent.virtual.system.window.display import Display
    from pytest_mobileagent.virtual.ui import View
    from pytest_mobileagent.virtual.ui.layout import Box

ATTEMPTS = 3  # builds of a screen: an app that crashes while drawing gives way to the one below


@dataclass(eq=False)
class Windows(Kept):
    """Built when looked at, and forgotten at every change."""

    KEPT = ("_toast",)

    clock: Clock
    changes: Changes
    display: Display
    power: Power
    ime: InputMethods
    activities: Activities
    _built: list[Window] | None = None
    _toast: Toast | None = None
    revealing: bool = False

    def __post_init__(self) -> None:
        """Forget what was built at every change."""
        self.changes.follow(self.forget)

    def link(self, events: Telling, scenes: Building) -> None:
        """Learn who makes windows, and who is told of what happens in them."""
        self._events, self._scenes = events, scenes

    def forget(self) -> None:
        """Build anew at the next look."""
        self._built = None

    def reveal(self) -> None:
        """Scroll so that the focused field is seen, at the next build."""
        self.revealing = True

    @property
    def stack(self) -> list[Window]:
        """Every window, the lowest first."""
        self.changes.notice()
        for _ in range(ATTEMPTS):
            if self._built is not None:
                break
            record = self.activities.top
            with self.activities.guard(record.package):
                self._built = self._scenes.build(record)
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
        self._toast = Toast(package, text, self.clock.uptime() + seconds)
        self.changes.note()
        self._events.toast(package, text)

    def toast(self) -> Toast | None:
        """Give the toast that is up now."""
        toast = self._toast
        return toast if toast and toast.until > self.clock.uptime() else None

    @contextmanager
    def watched(self, *, by_keys: bool = False) -> Iterator[None]:
        """Tell the listeners to events at once of what happens meanwhile."""
        self._events.settle()
        yield
        self._events.settle(by_keys=by_keys)

    def visible_boxes(self) -> list[Box]:
        """Give what is drawn: nothing but black while the screen is off or the app is secure."""
        metrics = self.display.metrics
        if not self.power.awake:
            return [black(metrics)]
        return [
            black(metrics)
            if window.kind == "activity" and window.record.activity.secure
            else window.box
            for window in self.stack
        ]

    def cancel(self, window: Window) -> None:
        """Do what Back and a tap outside do to a dialog."""
        view = window.box.view
        if isinstance(view, Dialog) and view.on_cancel:
            with self.activities.guard(window.record.package):
                view.on_cancel()
            self.changes.note()

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
        self.changes.note()
        return True

    def focus(self, window: Window, box: Box) -> None:
        """Give the input focus to a view of the window that has it."""
        window.state.focused = box.key
        if isinstance(box.view, Input):
            window.state.cursor, window.state.anchor = len(box.view.text), None
            self.ime.show()
        self.reveal()

    def load(self, saved: dict[str, Any]) -> None:
        """Take the toast back; all else is built from the activities."""
        super().load(saved)
        self.forget()


def _focusable(view: View, *, fields_only: bool) -> bool:
    return isinstance(view, Input) or (not fields_only and (view.clickable or view.focusable))
