"""Accessibility events: what assistive services, recorders and `uiautomator events` are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.ui.node import class_name

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.scene import Window
    from pytest_mobileagent.virtual.ui.layout import Box

CLICKED = "TYPE_VIEW_CLICKED"
LONG_CLICKED = "TYPE_VIEW_LONG_CLICKED"
SCROLLED = "TYPE_VIEW_SCROLLED"
TEXT_CHANGED = "TYPE_VIEW_TEXT_CHANGED"
WINDOW_STATE_CHANGED = "TYPE_WINDOW_STATE_CHANGED"
NOTIFICATION_STATE_CHANGED = "TYPE_NOTIFICATION_STATE_CHANGED"


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `source` is the resource id of the view, which the text of an event lacks."""

    type: str
    time: int  # uptime in milliseconds
    package: str
    class_name: str
    text: tuple[str, ...] = ()
    desc: str = ""
    source: str = ""
    enabled: bool = True
    password: bool = False
    checked: bool = False
    before: str | None = None

    def __str__(self) -> str:
        return (
            f"EventType: {self.type}; EventTime: {self.time}; PackageName: {self.package};"
            " MovementGranularity: 0; Action: 0; ContentChangeTypes: []; WindowChangeTypes: []"
            f" [ ClassName: {self.class_name}; Text: [{', '.join(self.text)}];"
            f" ContentDescription: {self.desc or 'null'}; ItemCount: -1; CurrentItemIndex: -1;"
            f" Enabled: {_word(self.enabled)}; Password: {_word(self.password)};"
            f" Checked: {_word(self.checked)}; FullScreen: false; Scrollable: false;"
            " ImportantForAccessibility: true; AccessibilityDataSensitive: false;"
            f" BeforeText: {'null' if self.before is None else self.before}; FromIndex: -1;"
            " ToIndex: -1; ScrollX: 0; ScrollY: 0; MaxScrollX: 0; MaxScrollY: 0;"
            " ScrollDeltaX: -1; ScrollDeltaY: -1; AddedCount: -1; RemovedCount: -1;"
            " ParcelableData: null; DisplayId: 0 ]; recordCount: 0"
        )


def _word(flag: bool) -> str:
    return "true" if flag else "false"


Listener = Callable[[Event], None]


class Events:
    """Tells events to whoever listens; nothing is kept."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._listeners: list[Listener] = []

    @property
    def listened(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call back for every event, until the function that this returns is called."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def view(self, type: str, window: Window, box: Box, before: str | None = None) -> None:
        """Tell what happened to a view."""
        if not self._listeners or not box.view.enabled:
            return
        view = box.view
        own = (view.label,) if view.label else texts(box)
        self._tell(
            Event(
                type,
                self._now(),
                window.package,
                class_name(view),
                own,
                view.desc,
                view.id,
                checked=view.is_checked,
                password=bool(getattr(view, "password", False)),
                before=before,
            )
        )

    def window(self, window: Window) -> None:
        """Tell that a window has come up."""
        if not self._listeners:
            return
        activity = window.record.activity
        if window.kind == "activity":
            name = window.record.component.partition("/")[2]
            words: tuple[str, ...] = (activity.title or activity.app.label,)
        else:
            shown = class_name(window.box.view)
            name = "android.app.AlertDialog" if window.kind == "dialog" else shown
            words = texts(window.box)
        self._tell(Event(WINDOW_STATE_CHANGED, self._now(), window.package, name, words))

    def toast(self, package: str, text: str) -> None:
        """Tell that a toast is shown."""
        name = "android.widget.Toast"
        self._tell(Event(NOTIFICATION_STATE_CHANGED, self._now(), package, name, (text,)))

    def _tell(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            listener(event)

    def _now(self) -> int:
        return round(self._phone.clock.uptime() * 1000)


def texts(box: Box) -> tuple[str, ...]:
    """Collect the texts in a view, as the event of a row does."""
    return tuple(inner.view.label for inner in box.walk() if inner.view.label)
