"""What the phone reports during an episode: accessibility events, log lines, and app crashes.

docs/events.md lists the types and fields of events, which are those of Android's
AccessibilityEvent. They are recorded by a listener on the device.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_mobileagent.jsonable import expect, kinds_of, read_as
from pytest_mobileagent.recorded_data import RecordedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


TYPES = (
    "clicked", "long_clicked", "context_clicked", "selected", "focused", "text_changed",
    "text_selection_changed", "text_traversed_at_movement_granularity", "scrolled", "hover_enter",
    "hover_exit", "targeted_by_scroll", "accessibility_focused", "accessibility_focus_cleared",
    "window_state_changed", "window_content_changed", "windows_changed",
    "notification_state_changed", "announcement", "speech_state_change", "touch_interaction_start",
    "touch_interaction_end", "gesture_detection_start", "gesture_detection_end",
    "touch_exploration_gesture_start", "touch_exploration_gesture_end", "assist_reading_context",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One accessibility event.

    `type` is Android's without its prefix: `clicked` for TYPE_VIEW_CLICKED, `window_state_changed`
    for TYPE_WINDOW_STATE_CHANGED. `resource_id` and `bounds` (pixels) are those of the view that
    the event comes from. `time` is the phone's clock, `uptime` is in milliseconds. Gaps in the
    `sequence` numbers show that events were lost. Numbers that do not apply are as in Android. An
    event is `derived` if it was inferred from actions and screens, instead of recorded.
    """

    type: str
    package: str = ""
    class_name: str = ""
    resource_id: str = ""
    text: tuple[str, ...] = ()
    content_description: str = ""
    bounds: tuple[int, int, int, int] | None = None
    enabled: bool = False
    checked: bool = False
    password: bool = False
    full_screen: bool = False
    scrollable: bool = False
    before_text: str | None = None
    from_index: int = -1
    to_index: int = -1
    added_count: int = -1
    removed_count: int = -1
    item_count: int = -1
    current_item_index: int = -1
    scroll_x: int = 0
    scroll_y: int = 0
    max_scroll_x: int = 0
    max_scroll_y: int = 0
    scroll_delta_x: int = -1
    scroll_delta_y: int = -1
    content_change_types: tuple[str, ...] = ()
    window_change_types: tuple[str, ...] = ()
    time: datetime | None = None
    uptime: int = 0
    sequence: int = 0
    derived: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", RecordedTuple(self.text))

    def describe(self) -> str:
        """Return a short description of the event."""
        words = " ".join(self.text) or self.content_description
        parts = [
            self.type,
            self.class_name.rpartition(".")[2],
            repr(words) if words else "",
            f"resource_id={self.resource_id.rpartition('/')[2]!r}" if self.resource_id else "",
            f"({self.package})" if self.package else "",
            "(derived)" if self.derived else "",
        ]
        return " ".join(word for word in parts if word)


_DEFAULTS = {each.name: each.default for each in fields(Event)}
_PREFIXES = {
    "content_change_types": "CONTENT_CHANGE_TYPE_",
    "window_change_types": "WINDOWS_CHANGE_",
}


def event_type(name: str) -> str:
    """Return our name of an event type, given Android's or ours: TYPE_VIEW_CLICKED is clicked."""
    return name.upper().removeprefix("TYPE_").removeprefix("VIEW_").lower()


def to_json(event: Event) -> dict[str, Any]:
    """Return the fields of an event that differ from their defaults, as plain data."""
    data = {name: getattr(event, name) for name in _DEFAULTS}
    data["time"] = event.time and event.time.isoformat()
    return {name: value for name, value in data.items() if value != _DEFAULTS[name]}


def from_json(data: Mapping[str, Any]) -> Event:
    """Return an event from the data of `to_json` or of a listener; unknown fields are ignored.

    Raises:
        ValueError, TypeError: if a field has the wrong type, or the event type is missing.
    """
    if "type" not in data:
        raise ValueError(f"an event without a type: {data}")
    known = {n: v for n, v in data.items() if n in _DEFAULTS and v is not None}
    known["type"] = event_type(str(data["type"]))
    for name, kind in (("text", str), ("bounds", int)):
        if name in known:
            known[name] = tuple(map(kind, known[name]))
    for name, prefix in _PREFIXES.items():
        if name in known:
            known[name] = tuple(str(word).removeprefix(prefix).lower() for word in known[name])
    for name, value in known.items():
        if isinstance(_DEFAULTS[name], str | bool | int):
            expect(value, type(_DEFAULTS[name]), f"event.{name}")
    if "time" in known:
        known["time"] = datetime.fromisoformat(known["time"]).replace(tzinfo=None)
    return Event(**known)


CrashKind = Literal["crash", "native crash", "not responding"]
_KINDS = get_args(CrashKind)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the phone's log, `time` as in "11-23 08:00:01.123"; `level` is one of VDIWEF."""

    time: str
    pid: int
    tid: int
    level: str
    tag: str
    text: str

    def __str__(self) -> str:
        return f"{self.time} {self.level} {self.tag}: {self.text}"

    def to_json(self) -> list[Any]:
        """Return the line as a list, which is shorter than an object; there may be thousands."""
        return [self.time, self.pid, self.tid, self.level, self.tag, self.text]

    @classmethod
    def from_json(cls, data: Any) -> LogLine:
        """Return the line that `to_json` serialised; items added by newer versions are ignored.

        Raises:
            TypeError, ValueError: if the data is not a line.
        """
        given = zip(expect(data, list, "log.lines"), kinds_of(cls).items(), strict=False)
        return cls(*(expect(item, kind, f"log.{name}") for item, (name, kind) in given))


@dataclass(frozen=True, slots=True)
class Crash:
    """An app that crashed or stopped responding (an ANR).

    - `kind`: "crash" of managed code, "native crash" by a signal, or "not responding".
    - `package`: the app; "" if the log does not name it.
    - `error`: the exception, signal or reason, on one line.
    - `place`: the file and line, or the library and function, of its origin; "" if unknown.
    - `trace`: the lines of the log about it.
    """

    kind: CrashKind
    package: str
    error: str
    place: str = ""
    trace: str = ""

    def __str__(self) -> str:
        what = self.error if self.kind == "crash" else f"{self.kind}: {self.error}"
        return f"{self.package or 'an app'}: {what}" + (f", {self.place}" if self.place else "")

    def to_json(self) -> dict[str, Any]:
        """Return the crash as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Crash:
        """Return the crash that `to_json` serialised as `data`; unknown fields are ignored.

        Raises:
            TypeError, ValueError: if the data is not a crash.
        """
        crash = read_as(cls, data, "crash")
        if crash.kind not in _KINDS:
            raise ValueError(f"crash.kind is {crash.kind!r}, not one of {', '.join(_KINDS)}")
        return crash
