"""The agent's actions as a check sees them: what it touched, and what it typed into fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.action import Key, Raw, Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.screen.element import Element
from pytest_mobileagent.screen.explain import CriteriaError
from pytest_mobileagent.screen.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.screen import Screen

    Target = Callable[[Screen], Element | Sequence[Element] | None]


# The class names that Android's own text fields report to accessibility services.
_FIELDS = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
_Touches = Tap | LongPress | DoubleTap


class Touch(NamedTuple):
    """A touch at a point, and the step (from 1) in which it occurred."""

    number: int
    step: Step
    point: tuple[int, int]

    def describe(self) -> str:
        """Return a description of what was touched."""
        x, y = self.point
        hit = next((element for element in self.step.screen.own.at(x, y) if element.label), None)
        return f"step {self.number}, ({x}, {y}), on {hit.describe() if hit else 'nothing'}"


def touches(
    steps: Sequence[Step], kinds: tuple[type[_Touches], ...] = (Tap, LongPress, DoubleTap)
) -> list[Touch]:
    """Return the touches of these kinds, in order."""
    return [
        Touch(number, step, (action.x, action.y))
        for number, step in enumerate(steps, 1)
        for action in step.reached
        if isinstance(action, kinds)
    ]


def targets(screen: Screen, target: Target | None, criteria: Mapping[str, Any]) -> list[Element]:
    """Return the elements of a screen that a check selects, by criteria or by a function."""
    if target is None:
        return screen.find_all(**criteria)
    try:
        found = target(screen)
    # The function looked for something that this screen does not have.
    except (IndexError, AssertionError):
        return []
    several: Sequence[Any] = found if isinstance(found, list | tuple) else [found]
    if wrong := [each for each in several if not isinstance(each, Element | None)]:
        msg = f"the function of the screen must return elements or None, not {wrong[0]!r}"
        raise CriteriaError(msg)
    return [each for each in several if each]


@dataclass(frozen=True, slots=True)
class Typed:
    """Text that was entered into a field.

    `fields` are the elements of `screen` that may be that field; empty if the field is unknown.
    `number` is the step, from 1; `fresh` tells whether the field was empty or was cleared first.
    """

    number: int
    text: str
    screen: Screen
    fields: tuple[Element, ...]
    fresh: bool = False

    def is_into(self, target: Target | None, criteria: Mapping[str, Any]) -> bool:
        """Return whether the field is one that the check refers to."""
        meant = targets(self.screen, target, criteria)
        return any(field is element for field in self.fields for element in meant)

    def describe(self) -> str:
        """Return a description of the text and its field."""
        where = f" into {self.fields[0].describe()}" if self.fields else ""
        return f"{self.text!r}{where}"


def typings(episode: EpisodeRecord) -> list[Typed]:
    """Return the strings that were typed, one entry per action.

    The field is the one at `Type.at`, or the one tapped earlier in the same decision; otherwise the
    one that has the focus on the screen that the agent saw; otherwise the one whose text has
    changed afterwards. A program's command (`Raw`) is taken to have typed what fields contain then.
    """
    found: list[Typed] = []
    for number, step in enumerate(episode.steps, 1):
        before, after = step.screen.own, episode.screens[number]
        tapped: tuple[Element, ...] = ()
        for action in step.reached:
            if isinstance(action, Tap | DoubleTap | LongPress):
                tapped = tuple(filter(is_field, before.at(action.x, action.y)))
            elif isinstance(action, Type):
                if action.at is not None:
                    tapped = _touched(before, action.at)
                screen, fields = before, tapped
                if not fields:
                    screen, fields = _focused(before, after, action.text)
                found.append(Typed(number, action.text, screen, fields, action.clear))
            elif isinstance(action, Raw):
                found += _typed_by(number, before, after)
            elif action == Key("delete") and found:
                found[-1] = replace(found[-1], text=found[-1].text[:-1])
    return found


def runs(each: Sequence[Typed]) -> Iterator[Typed]:
    """Yield each typed text, and the combined text of consecutive typings into one field."""
    for start, first in enumerate(each):
        yield first
        whole = first
        for more in each[start + 1 :]:
            if more.fresh or not _same(whole, more):
                break
            whole = replace(whole, text=whole.text + more.text)
            yield whole


def is_field(element: Element) -> bool:
    """Return whether text can be typed into an element, judging by its class."""
    return element.class_name.endswith(_FIELDS)


def changed_fields(before: Screen, after: Screen) -> list[tuple[Element, str]]:
    """Return the fields of a screen whose text has changed, with their previous text.

    Fields are matched by resource id, or else by position; those that share an id, in order.
    """
    if before.package != after.package:
        return []
    known = _by_identity(before)
    found = []
    for identity, field in _by_identity(after).items():
        if identity in known and field.text != known[identity].text:
            found.append((field, known[identity].text))
    return found


def _by_identity(screen: Screen) -> dict[tuple[object, ...], Element]:
    named: dict[tuple[object, ...], Element] = {}
    for field in filter(is_field, screen.elements):
        name = field.resource_id or field.bounds[:2]
        place = 0
        while (name, place) in named:
            place += 1
        named[name, place] = field
    return named


def _touched(screen: Screen, point: tuple[int, int]) -> tuple[Element, ...]:
    """Return the fields at a point, or all elements there if none of them is a field."""
    hit = screen.at(*point)
    return tuple(filter(is_field, hit)) or tuple(hit)


def _focused(before: Screen, after: Screen, text: str) -> tuple[Screen, tuple[Element, ...]]:
    """Return the field that had the focus or received the text, and its screen."""
    focused = [element for element in before.elements if element.focused]
    if found := tuple(filter(is_field, focused)):
        return before, found
    changed = [field for field, _ in changed_fields(before, after)]
    appeared = [e for e in after.elements if is_field(e) and e.focused]
    taken = [field for field in changed or appeared if normalise(text) in normalise(field.text)]
    return (after, tuple(taken)) if taken else (before, tuple(focused))


def _typed_by(number: int, before: Screen, after: Screen) -> list[Typed]:
    """Return what a command typed into fields: their whole text, and the part that was added."""
    found = []
    for field, old in changed_fields(before, after):
        if field.text:
            found.append(Typed(number, field.text, after, (field,), fresh=True))
        if old and field.text.startswith(old):
            found.append(Typed(number, field.text.removeprefix(old), after, (field,), fresh=True))
    return found


def _same(one: Typed, other: Typed) -> bool:
    """Return whether two texts went into the same field."""
    if not one.fields or not other.fields:
        return not one.fields and not other.fields
    first, second = one.fields[0], other.fields[0]
    if first.resource_id or second.resource_id:
        return first.resource_id == second.resource_id and first.class_name == second.class_name
    return first.class_name == second.class_name and first.bounds[:2] == second.bounds[:2]
