"""Where two episodes of one task part: the first step at which they are not the same any more.

Two agents that do the same do not tap the same pixel, and a phone that shows the same shows another
time. So actions are compared as matching rules of data sets do it (`action.matching`), and screens
by what is on them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.action.action import (
    DoubleTap,
    Finish,
    Impossible,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.action.matching.androidcontrol import androidcontrol
from pytest_mobileagent.action.matching.geometry import direction
from pytest_mobileagent.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.episode.record import EpisodeRecord, Step
    from pytest_mobileagent.screen.element import Element
    from pytest_mobileagent.screen.screen import Screen

Why = Literal["action", "screen", "start", "length"]
LEAST_ALIKE = (
    0.8  # of what is on two screens; an ad, or a row that loads late, is less than the rest
)
_MOST_TEXTS = 5
_SYSTEM = "com.android.systemui"  # clock, battery, notifications
_WHEN = (  # in texts that change by themselves: numbers, times, days
    r"[-+]?\d[\d.,:/%]*|\b(?:[ap]\.?m\b\.?)|[上下]午|(?:星期|周)[一二三四五六日天]"
    r"|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_CHANGING = re.compile(_WHEN, re.IGNORECASE)
Thing = tuple[str, ...]  # what is told of an element
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Parting:
    """The step at which two episodes part, from 1, and why.

    - `why`: "action", the agents did different things on what was as good as the same screen;
      "screen", the same was done before, and the phone did not show the same: that was the
      environment; "start", they did not begin on the same screen; "length", one of them had ended
      without a report, by a limit say.
    - `before`, `after`: texts that only the screen of the first, or of the second, has; the first
      few of them.
    """

    step: int
    why: Why
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def parting(before: EpisodeRecord, after: EpisodeRecord) -> Parting | None:
    """Return where two episodes part; None if the same was done, on the same screens, to the end.

    That is the first step with different actions (see `same_actions`), or on screens that are
    clearly different: another app or activity, or less than `LEAST_ALIKE` in common (see `alike`).
    Where there is none, it is the first with any difference between the screens. The screens after
    the last step count as one step more.

    If swipes or waits of different lengths lead to different screens, their step is the one. An app
    may be opened by its name or its icon, as in AndroidControl, if both lead to the same screen.
    """
    slight: Parting | None = None
    last = min(len(before.steps), len(after.steps))
    for place in range(last + 1):
        share = alike(before.screens[place], after.screens[place])
        if share < LEAST_ALIKE:
            return _by_screens(before, after, place)
        if share < 1 and slight is None:
            slight = _by_screens(before, after, place)
        if place < last and not (
            same_actions(before.steps[place], after.steps[place]) or _opens(before, after, place)
        ):
            return Parting(place + 1, "action", *_texts_of_one(before, after, place))
    if len(before.steps) != len(after.steps):
        return slight or Parting(last + 1, "length")
    return slight


def _opens(before: EpisodeRecord, after: EpisodeRecord, place: int) -> bool:
    """Whether both go to an app's same screen, one by opening the app, and one by a tap."""
    steps, screens = (
        [episode.steps[place] for episode in (before, after)],
        [episode.screens[place + 1] for episode in (before, after)],
    )
    actions = [step.action for step in steps if len(step.actions) == 1]
    apps = {action.app for action in actions if isinstance(action, Open)}
    taps = [action for action in actions if isinstance(action, Tap)]
    goes = len(apps) == len(taps) == 1 and not any(step.notice for step in steps)
    return goes and apps == {screens[0].package} and alike(*screens) >= LEAST_ALIKE


def _by_screens(before: EpisodeRecord, after: EpisodeRecord, place: int) -> Parting:
    """Return the parting of episodes whose screens at a place differ, and nothing before did."""
    if place and _differ_in_length(before.steps[place - 1], after.steps[place - 1]):
        return Parting(place, "action", *_texts_of_one(before, after, place - 1))
    why: Why = "screen" if place else "start"
    return Parting(place + 1, why, *_texts_of_one(before, after, place))


def _differ_in_length(one: Step, other: Step) -> bool:
    """Whether decisions that are the same differ in how far they swipe, or how long they wait."""
    pairs = zip(one.actions, other.actions, strict=True)
    return any(a != b and isinstance(a, Swipe | Scroll | Wait) for a, b in pairs)


def same_actions(one: Step, other: Step) -> bool:
    """Whether two decisions are the same: as many actions, each of them the same, done or refused.

    - Touches: the same element, if its words or its id tell it from all others on its screen; else
      by AndroidControl's rule as Qwen2.5-VL scores it: each in the element that the other one is
      for, a little enlarged, or at most 0.04 of the screen apart.
    - Scrolls and swipes: the same direction of the finger. Waits: of any length.
    - Texts that are typed, asked or answered: the same but for cases and outer spaces, entered or
      not. What gives up: for any reason. All else: equal.
    """
    if bool(one.notice) != bool(other.notice) or len(one.actions) != len(other.actions):
        return False
    pairs = zip(one.actions, other.actions, strict=True)
    return all(_is_same(first, one.screen, second, other.screen) for first, second in pairs)


def alike(one: Screen, other: Screen) -> float:
    """Return how much of what is on two screens is the same: 0 in different apps, 1 if it all is.

    That is the share of elements with the same class, id, words and state among those of both, each
    as often as it is there; where neither has any, whether the pictures are equal. Numbers, times
    and days in words do not count, nor does the status bar: they change by themselves.
    """
    if (one.package, one.activity) != (other.package, other.activity):
        return 0.0
    things, others = (Counter(_things(screen)) for screen in (one, other))
    if not things and not others:
        return 1.0 if one.key == other.key else 0.0
    return (things & others).total() / (things | others).total()


def _is_same(one: Action, on: Screen, other: Action, on_other: Screen) -> bool:
    if type(one) is not type(other) and not (_moves(one) and _moves(other)):
        return False
    match one, other:
        case ((Tap() | LongPress() | DoubleTap()), (Tap() | LongPress() | DoubleTap())):
            return _same_touch((one.x, one.y), on, (other.x, other.y), on_other)
        case ((Swipe() | Scroll()), (Swipe() | Scroll())):
            return direction(one, on.size) == direction(other, on_other.size)
        case Type(text), Type(again):
            flags = (one.clear, one.enter) == (other.clear, other.enter)
            return flags and _same_words(text, again)
        case (Finish(text), Finish(again)) | (Open(text), Open(again)):
            return _same_words(text, again)
        case _:
            return isinstance(one, Wait | Impossible) or one == other


def _moves(action: Action) -> bool:
    return isinstance(action, Swipe | Scroll)


def _same_words(one: str, other: str) -> bool:
    return str(one).strip().casefold() == str(other).strip().casefold()


def _same_touch(one: Point, on: Screen, other: Point, on_other: Screen) -> bool:
    touched, again = _touched(on, one), _touched(on_other, other)
    if touched is not None and again is not None:
        name, other_name = _name(touched), _name(again)
        if _is_alone(name, on) and _is_alone(other_name, on_other):
            return name == other_name
    try:
        return _hits(other, one, touched, on) and _hits(one, other, again, on_other)
    except (ScreenError, TypeError, ValueError):  # what a program gave as a point may be none
        return one == other


def _hits(point: Point, wanted: Point, element: Element | None, screen: Screen) -> bool:
    boxes = () if element is None else (element.bounds,)
    return bool(androidcontrol(Tap(*point), Golden(Tap(*wanted), screen.size, boxes)))


def _touched(screen: Screen, point: Point) -> Element | None:
    """Return what a touch is for: the innermost element there that can be clicked, or any."""
    try:
        found = screen.at(*point)
    except (ScreenError, TypeError):
        return None
    clickable = (each for each in found if each.clickable)
    return next(clickable, found[0] if found else None)


def _name(element: Element) -> Thing:
    return element.class_name, element.resource_id, _steady(element.label)


def _is_alone(name: Thing, screen: Screen) -> bool:
    """Whether a name says anything, and only one element of a screen has it."""
    return any(name[1:]) and sum(_name(each) == name for each in screen.elements) == 1


def _things(screen: Screen) -> list[Thing]:
    try:
        elements = screen.elements
    except ScreenError:
        return []
    return [_thing(each) for each in elements if each.package != _SYSTEM]


def _thing(element: Element) -> Thing:
    flags = [name for name in ("checked", "selected", "enabled") if getattr(element, name)]
    words = _steady(element.text), _steady(element.content_desc)
    return element.class_name, element.resource_id, *words, *flags


@lru_cache(maxsize=1 << 12)  # the same words are on screen after screen
def _steady(text: str) -> str:
    return " ".join(_CHANGING.sub("", text).split())


def _texts_of_one(
    before: EpisodeRecord, after: EpisodeRecord, place: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts that only the first one's screen has at a place, and only the second's."""
    first, second = _words(before.screens[place]), _words(after.screens[place])
    return _missing(first, second), _missing(second, first)


def _words(screen: Screen) -> Sequence[str]:
    try:
        return [
            text
            for each in screen.elements
            if each.package != _SYSTEM
            for text in (each.text, each.content_desc)
            if text
        ]
    except ScreenError:
        return []


def _missing(texts: Sequence[str], elsewhere: Sequence[str]) -> tuple[str, ...]:
    known = {"", *map(_steady, elsewhere)}
    return tuple(dict.fromkeys(t for t in texts if _steady(t) not in known))[:_MOST_TEXTS]
