"""Accessibility events for assistive services, recorders and `uiautomator events`.

The code that changes the inside of a window does not report the change. Instead, while there are
listeners, the views are compared with those last seen, and events are derived from the
differences. The events are therefore the same whether a finger, a key or an app changed the
screen. Without listeners, nothing is compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.system.accessibility.event import (
    CLICKED,
    LONG_CLICKED,
    NOTIFICATION_STATE_CHANGED,
    WINDOW_CONTENT_CHANGED,
    WINDOW_STATE_CHANGED,
    WINDOWS_CHANGED,
    AccessibilityEvent,
    Content,
    about,
    content,
    tell_changes,
    tell_focus,
)
from pytest_mobileagent.virtual.system.accessibility.nodes import WindowName, described, name_of
from pytest_mobileagent.virtual.system.interfaces import FOCUSABLE
from pytest_mobileagent.virtual.ui.node import class_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.interfaces import Window
    from pytest_mobileagent.virtual.system.notifications import Shade
    from pytest_mobileagent.virtual.system.windows import Windows
    from pytest_mobileagent.virtual.ui.layout import Box

    _Windows = Mapping[WindowName, Window]

INTERVAL = 0.1  # minimum seconds between two content events of a window
UNTOLD = ("wallpaper", "scrim", "headsup", "toast")  # windows that accessibility does not report
SPEAKERS = (*FOCUSABLE, "keyboard")  # windows that announce that they appear
DATA = (  # the text of a notification's parcelable data
    "Notification(channel={} shortcut=null contentView=null vibrate=null sound=null"
    " defaults=0x0 flags=0x0 color=0x00000000 vis=PRIVATE)"
)

Listener = Callable[[AccessibilityEvent], None]


@dataclass(eq=False)
class Events(Kept):
    """Sends events to listeners; no state is kept except what was last seen."""

    clock: Clock
    changes: Changes
    shade: Shade
    windows: Windows
    listeners: dict[int, tuple[Listener, bool]] = field(default_factory=dict)
    _last: int = 0
    _seen: dict[WindowName, Window] | None = None
    _active: WindowName | None = None
    _version: int = 0
    _busy: bool = False
    _restoring: bool = False  # until the change that ends it, which is followed by a comparison
    _stirred: asyncio.Handle | None = None
    _clicked: tuple[Window, Box] | None = None
    # changes to be sent once the interval is over
    _waiting: dict[WindowName, Content] = field(default_factory=dict)
    _told: dict[WindowName, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check for events whenever something may have changed."""
        self.changes.follow(self.stir)

    def subscribe(self, listener: Listener, *, windows: bool = False) -> Callable[[], None]:
        """Subscribe to all events and return a function that ends the subscription.

        Events for windows that appear and disappear are sent only to listeners with `windows`, as
        Android sends them only to services that retrieve windows.
        """
        self._last += 1
        number = self._last
        self.listeners[number] = listener, windows
        if len(self.listeners) == 1:
            self.forget()
        if not self._restoring:  # the screen would be built twice
            self.settle()

        def unsubscribe() -> None:
            self.listeners.pop(number, None)
            if not self.listeners:
                self.forget()

        return unsubscribe

    def forget(self) -> None:
        """Discard the last seen state, so that the current differences cause no events."""
        self._seen = self._active = self._clicked = None
        self._waiting.clear()
        self._told.clear()

    # Events sent by whatever causes them

    def click(self, window: Window, box: Box) -> None:
        """Report a click on a view, after the events for the changes it caused in the view."""
        if self.listeners and box.view.enabled and window.kind != "keyboard":
            self._clicked = window, box
            self.settle()

    def long_click(self, window: Window, box: Box) -> None:
        """Report a long click on a view, before the view responds to it."""
        if window.kind != "keyboard":
            self._tell_of(window.package, LONG_CLICKED, box)

    def toast(self, package: str, text: str) -> None:
        """Report a toast."""
        self._tell(NOTIFICATION_STATE_CHANGED, package, "android.widget.Toast", text=(text,))

    def notification(self, package: str, tag: str, texts: tuple[str, ...]) -> None:
        """Report a posted notification."""
        name, data = "android.app.Notification", DATA.format(tag or "null")
        details = {"text": tuple(filter(None, texts)), "parcelable_data": data}
        self._tell(NOTIFICATION_STATE_CHANGED, package, name, **details)

    # Events found by comparison

    def stir(self) -> None:
        """Schedule a comparison soon, because something may have changed."""
        self._restoring = False
        if not self.listeners or self._stirred:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # without an event loop, whatever changes the phone calls `settle` itself
        self._stirred = loop.call_soon(self._look_around)

    def _look_around(self) -> None:
        self._stirred = None
        if not self.listeners:
            return
        with self.changes.unnoticed():  # or a busy phone would always be late for the next second
            self.settle()
        if self._waiting:
            asyncio.get_running_loop().call_later(INTERVAL, self.stir)

    def settle(self, *, by_keys: bool = False) -> None:
        """Send events for changes since the last time; `by_keys` if text was typed key by key."""
        if not self.listeners or self._busy:
            return
        self._busy = True
        try:
            self._compare(by_keys=by_keys)
        finally:
            self._busy = False

    def _compare(self, *, by_keys: bool) -> None:
        version = self.changes.version
        if self._seen is not None and version == self._version and not self._clicked:
            self._flush()
            return
        after = {name_of(each): each for each in self.windows.stack if each.kind not in UNTOLD}
        before, active = self._seen, self._active
        self._seen, self._version = after, self.changes.version
        self._active = name_of(self.windows.active)
        if before is None:
            self._clicked = None
            return
        for name in before.keys() & after.keys():
            self._compare_views(name, before[name], after[name], by_keys=by_keys)
        self._flush()
        self._tell_click(after)
        self._tell_windows(before, after, active)

    def _compare_views(
        self, name: WindowName, before: Window, after: Window, *, by_keys: bool
    ) -> None:
        if after.box is before.box or after.kind == "keyboard":
            return
        tell_changes(before.box, after.box, partial(self._tell_of, after.package), by_keys=by_keys)
        if changed := content(before.box, after.box):
            if waiting := self._waiting.get(name):
                changed = Content(after.box, waiting.types | changed.types)
            self._waiting[name] = changed

    def _flush(self) -> None:
        """Send content changes, for each window at most once per interval."""
        now = self.clock.uptime()
        for name, changed in list(self._waiting.items()):
            if now - self._told.get(name, -INTERVAL) < INTERVAL:
                continue
            del self._waiting[name]
            if self._seen and (window := self._seen.get(name)):
                self._told[name] = now
                kind, types = WINDOW_CONTENT_CHANGED, changed.names
                self._tell_of(window.package, kind, changed.box, content_change_types=types)

    def _tell_click(self, after: _Windows) -> None:
        if self._clicked is None:
            return
        window, box = self._clicked
        self._clicked = None
        still = after.get(name_of(window))
        now = still.box.find(box.key) if still else None
        same = now is not None and class_name(now.view) == class_name(box.view)
        self._tell_of(window.package, CLICKED, now if now and same else box)

    def _tell_windows(self, before: _Windows, after: _Windows, active: WindowName | None) -> None:
        added = [name for name in after if name not in before]
        for name in after:
            comes = name in added and after[name].kind in SPEAKERS
            if comes or (name == self._active and name != active):
                self._tell_window(after[name])
        for _ in added:
            self._tell_windows_changed("ADDED")
        for name in before:
            if name not in after:
                self._told.pop(name, None)
                self._waiting.pop(name, None)
                self._tell_windows_changed("REMOVED")
        if self._active != active:
            self._tell_windows_changed("ACTIVE", "FOCUSED")

    def _tell_window(self, window: Window) -> None:
        name, text = described(window, full=self.shade.full)
        details = {"text": text, "enabled": True, "full_screen": window.kind == "activity"}
        self._tell(WINDOW_STATE_CHANGED, window.package, name, **details)
        if window.kind in FOCUSABLE:
            tell_focus(window.box, partial(self._tell_of, window.package))

    def _tell_windows_changed(self, *changes: str) -> None:
        types = tuple(f"WINDOWS_CHANGE_{change}" for change in changes)
        self._tell(WINDOWS_CHANGED, None, None, window_change_types=types)

    def _tell_of(self, package: str, type: str, box: Box, /, **details: Any) -> None:
        if self.listeners:
            details = about(type, package, box) | details
            self._tell(type, package, class_name(box.view), **details)

    def _tell(self, type: str, package: str | None, name: str | None, /, **details: Any) -> None:
        now = round(self.clock.uptime() * 1000)
        event = AccessibilityEvent(type, now, package, name, **details)
        for listener, windows in tuple(self.listeners.values()):
            if windows or type != WINDOWS_CHANGED:
                listener(event)

    def load(self, saved: dict[str, Any]) -> None:
        """Discard the last seen state, which is that of the phone before it was restored."""
        super().load(saved)
        self.forget()
        self._restoring = True
