"""Finds events in an episode, and the most similar ones for messages.

If the device had no listener, events are derived from the agent's actions and the screens:

- A tap or a long press inside an element that accepts it is `clicked` or `long_clicked`.
- A field whose text differs on the next screen is `text_changed`.
- A different app or activity on the next screen is `window_state_changed`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.check.actions import changed_fields
from pytest_mobileagent.episode.event import TYPES, Event, event_type
from pytest_mobileagent.errors import TaskError, did_you_mean
from pytest_mobileagent.screen.selector import CriteriaError
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element


CRITERIA = tuple(each.name for each in fields(Event))
_WORDS = ("text", "resource_id", "content_description", "before_text")  # may nearly be met
_SHORT = {"resource_id": "/", "class_name": "."}  # the prefix that short forms leave out


START: Final = Event("")  # the position before the first event of an episode


class NoListenerError(TaskError):
    """A task asks for events that the device could not record and that cannot be derived."""


@dataclass(frozen=True, slots=True)
class EventSelector:
    """Criteria for events, all of which must be met; each is a field of `Event`.

    - `type`: `clicked`, or as in Android, `TYPE_VIEW_CLICKED`.
    - `text`: one of the event's texts, or all of them joined by spaces; a compiled regular
      expression to search for in either; or a list of all texts, in order.
    - `resource_id`, `class_name`: short or full.
    - other strings: equal after Unicode spaces are normalised, or a compiled regular expression.
    - everything else: equal.
    """

    criteria: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, criteria: Mapping[str, Any]) -> EventSelector:
        """Return a selector with these criteria, after checking their names.

        Raises:
            CriteriaError: if there are no criteria, or one is unknown or of the wrong type.
        """
        if not criteria:
            msg = f"no event to search for: pass at least one of {', '.join(CRITERIA)}"
            raise CriteriaError(msg)
        for name, value in criteria.items():
            if name not in CRITERIA:
                raise CriteriaError(_unknown("events have no", name, CRITERIA))
            if value is None:
                raise CriteriaError(f"{name}=None matches nothing; leave {name!r} out")
            if name == "type" and (not isinstance(value, str) or event_type(value) not in TYPES):
                raise CriteriaError(_unknown("there is no event type", str(value), TYPES))
        return cls(tuple(criteria.items()))

    def matches(self, event: Event) -> bool:
        """Return whether an event meets all criteria."""
        return all(_meets(event, name, wanted) for name, wanted in self.criteria)

    def nearest(self, events: Sequence[tuple[int, Event]], count: int = 3) -> list[str]:
        """Return descriptions of the events most similar to the selector, with their steps."""
        scored = [
            (self._likeness(event), order, f"step {number}: {event.describe()}")
            for order, (number, event) in enumerate(events)
        ]
        return [text for score, _, text in sorted(scored, reverse=True) if score > 0][:count]

    def _likeness(self, event: Event) -> float:
        return sum(_like(event, name, wanted) for name, wanted in self.criteria)

    def __str__(self) -> str:
        return ", ".join(f"{name}={_show(value)}" for name, value in self.criteria)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    return f"{what} {name!r}{did_you_mean(name, known)} (available: {', '.join(known)})"


def _meets(event: Event, name: str, wanted: Any) -> bool:
    actual = getattr(event, name)
    if name == "type":
        return bool(actual == event_type(wanted))
    if name == "text":
        return _matches_text(event.text, wanted)
    if isinstance(wanted, re.Pattern):
        return wanted.search(normalise(str(actual or ""))) is not None
    if name in _SHORT and actual:
        return wanted in (actual, actual.rpartition(_SHORT[name])[2])
    if isinstance(wanted, str) and isinstance(actual, str):
        return normalise(actual) == normalise(wanted)
    return bool(actual == wanted)


def _matches_text(text: tuple[str, ...], wanted: Any) -> bool:
    texts = [normalise(part) for part in text]
    if isinstance(wanted, re.Pattern):
        return any(wanted.search(part) for part in (*texts, " ".join(texts)))
    if isinstance(wanted, str):
        return normalise(wanted) in (*texts, " ".join(texts))
    return texts == [normalise(str(part)) for part in wanted]


def _like(event: Event, name: str, wanted: Any) -> float:
    """Return how closely an event meets a criterion, from 0 to 1."""
    if _meets(event, name, wanted):
        return 1.0
    if name not in _WORDS:
        return 0.0
    actual = " ".join(event.text) if name == "text" else str(getattr(event, name) or "")
    text = wanted.pattern if isinstance(wanted, re.Pattern) else str(wanted)
    ratio = difflib.SequenceMatcher(None, actual.lower(), text.lower()).ratio()
    return ratio if ratio > 0.5 else 0.0


def _show(wanted: Any) -> str:
    return f"/{wanted.pattern}/" if isinstance(wanted, re.Pattern) else repr(wanted)


def lost(events: Sequence[Event]) -> int:
    """Return how many sequence numbers are missing; a restarted listener counts from 1 again."""
    numbers = [event.sequence for event in events if event.sequence]
    return sum(max(0, later - earlier - 1) for earlier, later in pairwise(numbers))


def since(numbered: Sequence[tuple[int, Event]], after: Event | None) -> list[tuple[int, Event]]:
    """Return the events after one, or all after START; none if `after` is None or absent."""
    if after is START:
        return [*numbered]
    places = [place for place, (_, event) in enumerate(numbered) if event is after]
    places = places or [place for place, (_, event) in enumerate(numbered) if event == after]
    return [*numbered[places[0] + 1 :]] if after is not None and places else []


_VIEW = (
    "type", "package", "class_name", "resource_id", "text", "content_description", "bounds",
    "enabled", "password", "derived",
)  # fmt: skip
# The fields that can be derived for each type of event.
_DERIVABLE = {
    "clicked": _VIEW,
    "long_clicked": _VIEW,
    "text_changed": (*_VIEW, "before_text"),
    "window_state_changed": ("type", "package", "class_name", "derived"),
}


def underivable(selector: EventSelector) -> str:
    """Return why such an event cannot be derived from actions and screens; "" if it can."""
    criteria = dict(selector.criteria)
    if "type" not in criteria:
        types = ", ".join(_DERIVABLE)
        return f"only the types {types} can be derived from actions and screens: name one"
    kind = event_type(criteria["type"])
    if kind not in _DERIVABLE:
        return f"{kind!r} cannot be derived from actions and screens"
    if unknown := [name for name in criteria if name not in _DERIVABLE[kind]]:
        return f"the {unknown[0]} of {kind!r} cannot be derived from actions and screens"
    name = criteria.get("class_name")
    if kind == "window_state_changed" and name is not None and _is_within_activity(name):
        return f"screens show only activities, not {name!r}"
    return ""


def _is_within_activity(class_name: object) -> bool:
    """Return whether a window's class may belong to the same activity, like that of a dialog."""
    if not isinstance(class_name, str):
        return True
    parts = ("Dialog", "Popup", "Layout", "Toast")
    return class_name.startswith("android.") or any(part in class_name for part in parts)


def derive(episode: EpisodeRecord) -> list[tuple[int, Event]]:
    """Return the events derived from actions and screens, with their steps (from 1)."""
    found: list[tuple[int, Event]] = []
    for number, step in enumerate(episode.steps, 1):
        for event in _of_step(step, episode.screens[number]):
            found.append((number, replace(event, time=step.screen.time, sequence=len(found) + 1)))
    return found


def _of_step(step: Step, after: Screen) -> Iterator[Event]:
    """Yield a step's events: touches, with text changes inserted where the agent typed."""
    before = step.screen.own
    changes = _changes(before, after)
    for action in step.reached:
        if isinstance(action, Tap | DoubleTap | LongPress):
            yield from _touched(action, before)
        elif isinstance(action, Type):
            yield from changes
            changes = []
    yield from changes
    if (after.package, after.activity) != (before.package, before.activity):
        yield Event("window_state_changed", after.package, after.activity, derived=True)


def _touched(action: Tap | DoubleTap | LongPress, screen: Screen) -> Iterator[Event]:
    """Yield the click event of a touch, for the innermost clickable view if it is enabled."""
    is_long = isinstance(action, LongPress)
    hit = screen.at(action.x, action.y)
    takes = (view for view in hit if (view.long_clickable if is_long else view.clickable))
    view = next(takes, None)
    if view is not None and view.enabled:
        yield _event("long_clicked" if is_long else "clicked", view, screen)


def _changes(before: Screen, after: Screen) -> list[Event]:
    """Return an event for each field whose text changed."""
    return [
        replace(_event("text_changed", field, after), text=(field.text,), before_text=old)
        for field, old in changed_fields(before, after)
    ]


def _event(kind: str, view: Element, screen: Screen) -> Event:
    return Event(
        kind,
        view.package or screen.package,
        view.class_name,
        view.resource_id,
        (view.text,) if view.text else tuple(e.text for e in view.iter() if e.text),
        view.content_desc,
        view.bounds,
        view.enabled,
        password=view.password,
        derived=True,
    )
