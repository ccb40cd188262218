"""The window service: everything on the screen, from the app at the bottom to the status bar."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.system.interfaces import FOCUSABLE, Kind, Toast, Window, black
from pytest_mobileagent.virtual.ui import Dialog, Input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.configuration import Display
    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.interfaces import EventSender, WindowBuilder
    from pytest_mobileagent.virtual.ui import View
    from pytest_mobileagent.virtual.ui.layout import Box


ATTEMPTS = 3  # a crash while drawing removes the app, and the next one below is tried


@dataclass(eq=False)
class Windows(Kept):
    """The windows, built on demand and discarded at every change."""

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
        """Discard the built windows at every change."""
        self.changes.follow(self.forget)

    def link(self, events: EventSender, scenes: WindowBuilder) -> None:
        """Connect the services that build windows and report events in them."""
        self._events, self._scenes = events, scenes

    def forget(self) -> None:
        """Discard the built windows, so that they are rebuilt on demand."""
        self._built = None

    def reveal(self) -> None:
        """Scroll the focused field into view at the next build."""
        self.revealing = True

    @property
    def stack(self) -> list[Window]:
        """All windows, the lowest first."""
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
        """The focused window: the topmost one that can have the focus."""
        return next(window for window in reversed(self.stack) if window.kind in FOCUSABLE)

    def find(self, kind: Kind) -> Window | None:
        """Return the window of a kind, or None."""
        return next((window for window in self.stack if window.kind == kind), None)

    def show_toast(self, package: str, text: str, seconds: float) -> None:
        """Show text for some seconds, immediately replacing an earlier toast."""
        self._toast = Toast(package, text, self.clock.uptime() + seconds)
        self.changes.note()
        self._events.toast(package, text)

    def toast(self) -> Toast | None:
        """Return the toast that is currently shown, or None."""
        toast = self._toast
        return toast if toast and toast.until > self.clock.uptime() else None

    @contextmanager
    def watched(self, *, by_keys: bool = False) -> Iterator[None]:
        """Notify event listeners immediately of all changes within the context."""
        self._events.settle()
        yield
        self._events.settle(by_keys=by_keys)

    def visible_boxes(self) -> list[Box]:
        """Return what is drawn; it is black while the screen is off, or where the app is secure."""
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
        """Cancel a dialog, as Back or a tap outside does."""
        view = window.box.view
        if isinstance(view, Dialog) and view.on_cancel:
            with self.activities.guard(window.record.package):
                view.on_cancel()
            self.changes.note()

    # Focus

    def focused(self) -> Box | None:
        """Return the view with the input focus, or None."""
        window = self.active
        return window.box.find(window.state.focused) if window.state.focused else None

    def focused_field(self) -> Input | None:
        """Return the text field with the input focus, or None."""
        box = self.focused()
        return box.view if box and isinstance(box.view, Input) and box.view.enabled else None

    def focus_next(self, *, fields_only: bool = False, back: bool = False) -> bool:
        """Move the focus to the next view that can have it; return False if there is none."""
        window = self.active
        enabled = [box for box in window.box.walk() if box.view.enabled]
        boxes = [box for box in enabled if _focusable(box.view, fields_only=fields_only)]
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
        """Set the input focus to a view of the active window."""
        window.state.focused = box.key
        if isinstance(box.view, Input):
            window.state.cursor, window.state.anchor = len(box.view.text), None
            self.ime.show()
        self.reveal()

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the toast; everything else is rebuilt from the activities."""
        super().load(saved)
        self.forget()


def _focusable(view: View, *, fields_only: bool) -> bool:
    return isinstance(view, Input) or (not fields_only and (view.clickable or view.focusable))
