"""Trajectories, the screens that an agent saw and its actions on them, as data sets contain them.

Dialects differ in the actions that they can express. `spoken` prints an action in a dialect, as
several if necessary: where typing does not select a field, a tap on the field comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import (
    Action,
    Finish,
    Impossible,
    Key,
    Open,
    Raw,
    Type,
    Wait,
    from_json,
    to_json,
)
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap, Touch, scroll_path
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
from pytest_mobileagent.dialect.parts import DialectError
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.perception.apps import name_of
from pytest_mobileagent.perception.listing import bmoca_lines, t3a_lines
from pytest_mobileagent.perception.marks import bmoca_marks, m3a_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_mobileagent.action.gestures import Direction
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.episode.redaction import Redaction
    from pytest_mobileagent.perception.marks import Mark
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element

    Marks = tuple[Mark, ...]

# For each dialect that refers to elements, its marks, and their list as text for a model. Other
# dialects use coordinates, and work with any list.
_MARKED: Mapping[str, tuple[Callable[[Screen], Marks], Callable[[Marks], str]]] = {
    "bmoca": (bmoca_marks, bmoca_lines),
    "androidworld": (m3a_marks, t3a_lines),
}
_STRAIGHT = 3  # the ratio of distances along the axes from which a swipe counts as straight


class LeftOutError(ValueError):
    """A trajectory that cannot be exported.

    The message has no names or numbers, so that equal reasons can be counted.
    """


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One action, in pixels of the screen on which it was done, and this screen.

    - `said`: the agent's output, as recorded.
    - `instruction`: what the step should achieve ("low-level instruction"), or empty.
    """

    screen: Screen
    action: Action
    said: str = ""
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The path of an episode from a task's first screen to its end.

    - `goal`: the goal that the agent was given.
    - `succeeded`: whether the goal was met; None if unknown.
    - `origin`: the source of the trajectory, as JSON data: "task" (the case's key), "suite",
      "source", "licence", "agent", "models", "run" and others. It is exported unchanged.
    """

    goal: str
    steps: tuple[TrajectoryStep, ...]
    succeeded: bool | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)


def trajectory_of(
    episode: EpisodeRecord,
    succeeded: bool | None,
    origin: Mapping[str, Any],
    rules: Redaction | None = None,
) -> Trajectory:
    """Return an episode as a trajectory, redacted by `rules`, without steps that did nothing.

    Raises:
        LeftOutError: if the episode has no actions, or actions that a trajectory cannot contain.
        ScreenError, HostError: if the episode cannot be read.
    """
    found = []
    for step in episode.steps:
        if not step.done:
            continue
        if len(step.done) > 1:
            raise LeftOutError("several actions were decided on one screen")
        if isinstance(step.action, Raw):
            raise LeftOutError("a program did something that no canonical action expresses")
        found.append(TrajectoryStep(step.screen, step.done[0], step.said))
    if not found:
        raise LeftOutError("nothing was done")
    whole = Trajectory(episode.goal, tuple(found), succeeded, origin)
    return whole if rules is None else _without(rules, whole)


def _without(rules: Redaction, whole: Trajectory) -> Trajectory:
    steps = []
    for step in whole.steps:
        action = from_json(rules.redacted_record(to_json(step.action)))
        said, instruction = rules.text(step.said), rules.text(step.instruction)
        steps.append(TrajectoryStep(redacted(step.screen, rules), action, said, instruction))
    origin = {
        name: rules.text(value) if isinstance(value, str) else rules.redacted_record(value)
        for name, value in whole.origin.items()
    }
    return replace(whole, goal=rules.text(whole.goal), steps=tuple(steps), origin=origin)


def redacted(screen: Screen, rules: Redaction) -> Screen:
    """Return a screen with its hierarchy and screenshot redacted."""
    xml, png = rules.screen(screen.xml.encode(), screen.png, screen.package, screen.extent)
    return replace(screen, xml=xml.decode(), png=png)


def frame_of(dialect: Dialect, screen: Screen) -> Frame:
    """Return the frame of a screen for a dialect: its size, and its marks if the dialect has any.

    Raises:
        ScreenError: if the screen cannot be read.
    """
    marked = _MARKED.get(dialect.name)
    return Frame.of(screen, marked[0](screen) if marked else ())


def listed(dialect: Dialect, screen: Screen) -> str:
    """Return the elements of a screen as text, with the labels that a dialect's actions use.

    Raises:
        ScreenError: if the hierarchy cannot be read.
    """
    marks, lines = _MARKED.get(dialect.name, _MARKED["androidworld"])
    return lines(marks(screen))


def spoken(
    dialect: Dialect,
    action: Action,
    screen: Screen,
    frame: Frame | None = None,
    said: Mapping[str, str] | None = None,
) -> list[tuple[Action, str]]:
    """Return an action printed in a dialect, as one or several actions with their replies.

    `frame` is what replies refer to, by default `frame_of`'s; `said` are their other named parts.

    Raises:
        DialectError: if the dialect cannot express the action in any way.
        ScreenError: if the screen cannot be read.
    """
    frame = frame or frame_of(dialect, screen)
    first: DialectError | None = None
    for ways in _ways(action, screen):
        try:
            return [(each, dialect.print(Decision((each,), said or {}), frame)) for each in ways]
        except DialectError as error:
            first = first or error
    assert first is not None  # the action itself is always tried
    raise first


def _ways(action: Action, screen: Screen) -> Iterator[tuple[Action, ...]]:
    """Yield sequences of actions that are equivalent to an action, the action itself first."""
    yield (action,)
    match action:
        case Type(text, at, clear, enter) if at is not None or enter:
            tap: tuple[Action, ...] = () if at is None else (Tap(*at),)
            yield (*tap, Type(text, clear=clear, enter=enter))
            yield (*tap, Type(text, clear=clear), *((Key("enter"),) if enter else ()))
        case Scroll(direction, at):
            if at is not None and at == (screen.size[0] // 2, screen.size[1] // 2):
                yield (Scroll(direction),)
            start, end = scroll_path(action, screen.size)
            yield (Swipe(*start, *end),)
            yield (Scroll(direction),)
        case Swipe() if straight := _direction(action):
            yield (Scroll(straight),)
        case LongPress(x, y):
            yield (LongPress(x, y),)
        case Open(app) if icon := _icon(app, screen):
            yield (Tap(*icon.bounds.center),)
        case Finish(answer) if answer:
            yield (Finish(),)
        case Impossible(reason) if reason:
            yield (Impossible(),)
        case Wait():
            yield (Wait(),)


def _direction(swipe: Swipe) -> Direction | None:
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) >= _STRAIGHT * abs(down) and across:
        return "right" if across > 0 else "left"
    if abs(down) >= _STRAIGHT * abs(across) and down:
        return "down" if down > 0 else "up"
    return None


def _icon(app: str, screen: Screen) -> Element | None:
    """Return the icon on a home screen that opens an app, or None."""
    name = name_of(app)
    icons = (each for each in screen.elements if each.clickable and not each.children)
    same = [e for e in icons if name in (e.text, e.content_desc) and e.package != app]
    return same[0] if len(same) == 1 else None


def touched(action: Action, screen: Screen) -> Element | None:
    """Return the innermost control that an action touches, or None."""
    if not isinstance(action, Touch) or isinstance(action, Swipe | Scroll):
        return None
    try:
        hit = screen.at(action.x, action.y)
    except (ScreenError, TypeError):  # no hierarchy, or coordinates that are not numbers
        return None
    return next((each for each in hit if each.clickable or each.long_clickable), None)
