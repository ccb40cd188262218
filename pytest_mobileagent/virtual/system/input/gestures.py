"""Gestures on the screen: taps, long presses and swipes, and the system's edge gestures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.input.keys import Key
from pytest_mobileagent.virtual.system.interfaces import BAR, FOCUSABLE, Window
from pytest_mobileagent.virtual.ui import Input, SeekBar, touch
from pytest_mobileagent.virtual.ui.metrics import holds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.faults import Faults
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.accessibility.events import Events
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.configuration import Display
    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.input.keys import Keys
    from pytest_mobileagent.virtual.system.keyguard import Keyguard
    from pytest_mobileagent.virtual.system.notifications import Notifications, Shade
    from pytest_mobileagent.virtual.system.windows import Windows
    from pytest_mobileagent.virtual.ui.layout import Box

SLOP = 8  # dp that a finger may move in a tap
DIALOG_SLOP = 16  # dp around a dialog where a tap does not count as outside
EDGE = 24  # dp from the sides where a swipe means Back
HANDLE = 24  # dp from the bottom where a swipe means Home
SLOW = 60_000  # ms, so long that a swipe has no speed
HOLD = 900  # ms from which on a swipe from the bottom opens the overview
MIN_FLING, MAX_FLING = 50, 8000  # dp per second
FRICTION = 0.015
INFLECTION = 0.35
DECELERATION = math.log(0.78) / math.log(0.9)
GRAVITY = 9.80665 * 39.37 * 0.84  # m/s² in inches, times Android's coefficient


def injected(gesture: Callable[..., None]) -> Callable[..., None]:
    """Truncate a gesture's coordinates to pixels, and notify event listeners immediately."""

    @wraps(gesture)
    def act(self: Gestures, *numbers: float) -> None:
        with self.windows.watched():
            gesture(self, *map(int, numbers))

    return act


@dataclass(frozen=True, eq=False)
class Gestures:
    """Dispatches touches to windows; touches are ignored while the screen is off."""

    clock: Clock
    changes: Changes
    settings: Settings
    display: Display
    power: Power
    faults: Faults
    ime: InputMethods
    activities: Activities
    notifications: Notifications
    shade: Shade
    keyguard: Keyguard
    windows: Windows
    events: Events
    keys: Keys

    @injected
    def tap(self, x: int, y: int) -> None:
        """Touch and release."""
        window = self._touched(x, y)
        if window and not self.faults.strikes("missed-tap"):
            self._tap(window, x, y)

    @injected
    def long_press(self, x: int, y: int) -> None:
        """Touch and hold; if nothing handles the long press, tap instead."""
        window = self._touched(x, y)
        if window is None:
            return
        box = touch.target(window.box, x, y)
        if not (box and self._hold(window, box, x, y)):
            self._tap(window, x, y)

    def _hold(self, window: Window, box: Box, x: int, y: int) -> bool:
        """Long-press this box; return False if it does not handle long presses."""
        if not (box.view.enabled and box.view.long_clickable):
            return False
        self.events.long_click(window, box)
        with self.activities.guard(window.record.package):
            touch.long_press(box, x, y, window.state)
            self._after_touch(box)
        return True

    @injected
    def swipe(self, x1: int, y1: int, x2: int, y2: int, milliseconds: int = 300) -> None:
        """Move a finger along a line; a swipe in place is a tap or a long press."""
        dx, dy = x2 - x1, y2 - y1
        if math.hypot(dx, dy) <= self._px(SLOP):
            timeout = int(self.settings.text("secure", "long_press_timeout", "400"))
            (self.long_press if milliseconds >= timeout else self.tap)(x1, y1)
            return
        path = [(x1, y1), (x2, y2)]
        if self.keyguard.draw(path) or self.trace(path, milliseconds):
            return
        if self._edge(x1, y1, dx, dy, milliseconds) or not (window := self._touched(x1, y1)):
            return
        self._close_menu(window)
        box = touch.target(window.box, x1, y1)
        scrolled = touch.scroller(window.box, x1, y1, dx, dy)
        # A slider in a scrolling list ignores a vertical drag, as in AbsSeekBar.onTouchEvent.
        slides = box and isinstance(box.view, SeekBar) and (abs(dx) >= abs(dy) or not scrolled)
        with self.activities.guard(window.record.package):
            if box and slides:
                touch.drag(box, x2, y2)
            elif scrolled:
                self._scroll(window, scrolled, dx, dy, milliseconds)
            elif window.kind in ("shade", "headsup") and self._pan_notices(window, x1, y1, dx, dy):
                pass
            elif window.kind == "activity":
                way = -dx if window.box.metrics.rtl else dx
                window.record.activity.on_swipe(direction(way, dy))
        self.changes.note()

    def trace(self, path: Sequence[tuple[float, float]], milliseconds: int) -> bool:
        """Give a finger's whole path to the view where it begins; False if it takes no paths."""
        points = [(int(x), int(y)) for x, y in path]
        (x1, y1), (x2, y2) = points[0], points[-1]
        window = self._touched(x1, y1)
        box = touch.target(window.box, x1, y1) if window else None
        still = all(math.dist(points[0], point) <= self._px(SLOP) for point in points)
        if window is None or box is None or not box.view.on_touch or still:
            return False
        with self.windows.watched():
            if not self._edge(x1, y1, x2 - x1, y2 - y1, milliseconds):
                with self.activities.guard(window.record.package):
                    touch.trace(box, points)
                self.changes.note()
        return True

    @injected
    def drag(self, x1: int, y1: int, x2: int, y2: int, milliseconds: int) -> None:
        """Hold, then move: a view that handles long presses keeps the finger, otherwise scroll."""
        if self.trace([(x1, y1), (x2, y2)], milliseconds):
            return
        window = self._touched(x1, y1)
        box = touch.target(window.box, x1, y1) if window else None
        timeout = int(self.settings.text("secure", "long_press_timeout", "400"))
        if milliseconds <= timeout or (box and box.view.long_clickable):
            self.long_press(x1, y1)
        else:
            self.swipe(x1, y1, x2, y2, SLOW)

    def pinch(self, x: float, y: float, scale: float) -> None:
        """Move two fingers around a point apart (`scale` above 1) or together."""
        window = self._touched(int(x), int(y))
        if window and window.kind == "activity":
            with self.windows.watched():
                with self.activities.guard(window.record.package):
                    window.record.activity.on_pinch(scale)
                self.changes.note()

    def _touched(self, x: int, y: int) -> Window | None:
        """Return the window that receives a touch, or None if the touch is consumed or lost."""
        if not holds(self.display.metrics.screen, x, y) or not self.power.awake:
            return None
        self.clock.input_happened()
        for window in reversed(self.windows.stack):
            over = window.kind in ("keyboard", "headsup") and holds(window.box.bounds, x, y)
            if over or window.kind in FOCUSABLE:
                return window
        return None

    def _tap(self, window: Window, x: int, y: int) -> None:
        if window.kind == "menu":
            self._close_menu(window)
        if window.kind == "dialog" and not _near(window.box, x, y, self._px(DIALOG_SLOP)):
            self.windows.cancel(window)
            return
        if box := touch.target(window.box, x, y):
            self._click(window, box, x, y)

    def _click(self, window: Window, box: Box, x: int, y: int) -> None:
        """Perform a tap on this box."""
        with self.activities.guard(window.record.package):
            touch.tap(box, x, y, window.state)
        self._after_touch(box)
        if box.view.on_touch:  # which keeps the touch from becoming a click
            return
        if not isinstance(box.view, Input) or box.focused:  # the first tap on a field only focuses
            self.events.click(window, box)

    def _after_touch(self, box: Box) -> None:
        if isinstance(box.view, Input) and box.view.enabled:
            self.ime.show()
            self.windows.reveal()
        self.changes.note()

    def _close_menu(self, window: Window) -> None:
        if window.kind == "menu":
            window.record.close_menu()
            self.changes.note()

    def _edge(self, x: int, y: int, dx: int, dy: int, milliseconds: int) -> bool:
        """Handle a swipe from an edge of the screen; return whether the system consumed it."""
        metrics = self.display.metrics
        width, height, edge = metrics.width_px, metrics.height_px, self._px(EDGE)
        sideways = abs(dx) > abs(dy) and y < height - self._px(HANDLE)
        if sideways and ((x < edge and dx > edge) or (x >= width - edge and dx < -edge)):
            self.keys.press(Key("BACK"))
            return True
        if y < self._px(BAR) and dy > abs(dx):
            self.shade.pull()
            return True
        if self.keyguard.showing and not self.shade.open and -dy > abs(dx):
            self.keyguard.dismiss()
            return True
        if y >= height - self._px(HANDLE) and -dy > abs(dx):
            self.keys.press(Key("APP_SWITCH" if milliseconds >= HOLD else "HOME"))
            return True
        return False

    def _pan_notices(self, window: Window, x: int, y: int, dx: int, dy: int) -> bool:
        """Move the notifications: the whole list vertically, or a single one sideways."""
        shade, notices = self.shade, self.notifications
        if abs(dx) > abs(dy):
            under = [box.key for box in window.box.walk() if holds(box.visible, x, y)]
            keys = [key.removeprefix("notice:") for key in under if key.startswith("notice:")]
            return bool(keys) and shade.swiped(keys[0])
        if window.kind == "headsup":
            (notices.hide if dy < 0 else shade.pull)()
        elif dy < 0:
            shade.push()
        else:
            shade.pull(full=True)
        return True

    def _scroll(self, window: Window, box: Box, dx: int, dy: int, milliseconds: int) -> None:
        """Scroll content by the finger's movement beyond the slop, and on by its speed."""
        seconds = max(milliseconds, 1) / 1000
        ways = [_beyond(way, self._px(SLOP)) + self._fling(way / seconds) for way in (dx, dy)]
        touch.scroll(box, ways[0], ways[1], window.state)

    def _fling(self, velocity: float) -> float:
        """Return how far content coasts after the finger is lifted, as computed by OverScroller."""
        density = self.display.metrics.density
        speed = min(abs(velocity) / density, MAX_FLING)
        if speed < MIN_FLING:
            return 0.0
        resistance = FRICTION * GRAVITY * density * 160
        spline = math.log(INFLECTION * speed * density / resistance)
        way = resistance * math.exp(DECELERATION / (DECELERATION - 1) * spline)
        return math.copysign(way, velocity)

    def _px(self, dp: float) -> int:
        return self.display.metrics.px(dp)


def direction(dx: float, dy: float) -> str:
    """Return the name of a finger's direction."""
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


def _beyond(way: float, slop: float) -> float:
    return math.copysign(max(abs(way) - slop, 0.0), way)


def _near(box: Box, x: int, y: int, slop: int) -> bool:
    left, top, right, bottom = box.bounds
    return holds((left - slop, top - slop, right + slop, bottom + slop), x, y)
