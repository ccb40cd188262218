"""Events that no listener heard, derived from the agent's actions and the screens.

- A tap or a long press inside an element that can take it is `clicked` or `long_clicked`.
- A field that says something else on the next screen is `text_changed`.
- Another app or activity on the next screen is `window_state_changed`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import DoubleTap, LongPress, Tap, Type
from pytest_mobileagent.check.actions import changed_fields
from pytest_mobileagent.episode.event import Event, event_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.check.events import EventSelector
    from pytest_mobileagent.episode.record import EpisodeRecord, Step
    from pytest_mobileagent.screen.element import Element
    from pytest_mobileagent.screen.screen import Screen

_VIEW = (
    "type", "package", "class_name", "resource_id", "text", "content_description", "bounds",
    "enabled", "password", "derived",
)  # fmt: skip
# What can be told of each type of event.
_TOLD = {
    "clicked": _VIEW,
    "long_clicked": _VIEW,
    "text_changed": (*_VIEW, "before_text"),
    "window_state_changed": ("type", "package", "class_name", "derived"),
}


def underivable(selector: EventSelector) -> str:
    """Say why such an event cannot be derived from actions and screens; empty if it can."""
    criteria = dict(selector.criteria)
    if "type" not in criteria:
        return f"actions and screens tell only of the types {', '.join(_TOLD)}: name one"
    kind = event_type(criteria["type"])
    if kind not in _TOLD:
        return f"neither actions nor screens tell of {kind!r}"
    if unknown := [name for name in criteria if name not in _TOLD[kind]]:
        return f"neither actions nor screens tell the {unknown[0]} of {kind!r}"
    name = criteria.get("class_name")
    if kind == "window_state_changed" and name is not None and _is_within_activity(name):
        return f"screens tell only of activities, not of {name!r}"
    return ""


def _is_within_activity(class_name: object) -> bool:
    """Whether a window's class may be one that comes up without another activity: a dialog, say."""
    if not isinstance(class_name, str):
        return True
    parts = ("Dialog", "Popup", "Layout", "Toast")
    return class_name.startswith("android.") or any(part in class_name for part in parts)


def derive(episode: EpisodeRecord) -> list[tuple[int, Event]]:
    """Return the events derived from actions and screens, with their steps (from 1)."""
    found: list[tuple[int, Event]] = []
    for number, step in enumerate(episode.steps, 1):
        for event in _of_step(step, episode.screens[number]):
            place = len(found) + 1
            found.append((number, replace(event, time=step.screen.time, sequence=place)))
    return found


def _of_step(step: Step, after: Screen) -> Iterator[Event]:
    """Yield a step's events: touches, and where text was typed between them, what it changed."""
    changes = _changes(step.screen, after)
    for action in step.done:
        if isinstance(action, Tap | DoubleTap | LongPress):
            yield from _touched(action, step.screen)
        elif isinstance(action, Type):
            yield from changes
            changes = []
    yield from changes
    if (after.package, after.activity) != (step.screen.package, step.screen.activity):
        yield Event("window_state_changed", after.package, after.activity, derived=True)


def _touched(action: Tap | DoubleTap | LongPress, screen: Screen) -> Iterator[Event]:
    """Yield the click of a touch: of the innermost view that can be clicked, if it is enabled."""
    is_long = isinstance(action, LongPress)
    hit = screen.at(action.x, action.y)
    takes = (view for view in hit if (view.long_clickable if is_long else view.clickable))
    view = next(takes, None)
    if view is not None and view.enabled:
        yield _event("long_clicked" if is_long else "clicked", view, screen)


def _changes(before: Screen, after: Screen) -> list[Event]:
    """Return the changes of the texts of fields."""
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
