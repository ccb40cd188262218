"""The first step at which two episodes of one task diverge.

Two agents that tap the same button rarely tap the same pixel, and their clocks differ. Actions are
therefore compared by the matching rules of data sets (`action.matching`), screens by elements.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.action import Finish, Impossible, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.action.matching.androidcontrol_odyssey import androidcontrol
from pytest_mobileagent.action.matching.geometry import direction
from pytest_mobileagent.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element

Why = Literal["action", "screen", "start", "length"]
# The least share of common elements of two screens that count as the same. An ad, or a row that
# loads late, makes up less than the rest.
MIN_SIMILARITY = 0.8
_MOST_TEXTS = 5
_SYSTEM = "com.android.systemui"  # clock, battery, notifications
_WHEN = (  # numbers, times and days: parts of texts that change by themselves
    r"[-+]?\d[\d.,:/%]*|\b(?:[ap]\.?m\b\.?)|[上下]午|(?:星期|周)[一二三四五六日天]"
    r"|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_CHANGING = re.compile(_WHEN, re.IGNORECASE)
Thing = tuple[str, ...]  # the properties by which an element is compared
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The step (from 1) at which two episodes diverge, and why.

    - `why`: "action": the agents acted differently on practically the same screen. "screen": the
      phone showed different screens after the same actions, because of the environment. "start":
      they began on different screens. "length": one had ended without a report, as at a limit.
    - `before`, `after`: the first few texts that only the first, or only the second, screen has.
    """

    step: int
    why: Why
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def first_divergence(before: EpisodeRecord, after: EpisodeRecord) -> Divergence | None:
    """Return where two episodes diverge; None if actions and screens are the same to the end.

    This is the first step with different actions (see `same_actions`) or clearly different screens:
    another app or activity, or a `similarity` below `MIN_SIMILARITY`. If no step has either, it is
    the first step whose screens differ at all. The last screens count as one more step.

    If swipes or waits of different lengths lead to different screens, the episodes diverge there.
    Opening an app equals a tap on its icon if both lead to the same screen, as in AndroidControl.
    """
    slight: Divergence | None = None
    last = min(len(before.steps), len(after.steps))
    for place in range(last + 1):
        share = similarity(before.screens[place], after.screens[place])
        if share < MIN_SIMILARITY:
            return _by_screens(before, after, place)
        if share < 1 and slight is None:
            slight = _by_screens(before, after, place)
        if place < last and not (
            same_actions(before.steps[place], after.steps[place]) or _opens(before, after, place)
        ):
            return Divergence(place + 1, "action", *_texts_of_one(before, after, place))
    if len(before.steps) != len(after.steps):
        return slight or Divergence(last + 1, "length")
    return slight


def _opens(before: EpisodeRecord, after: EpisodeRecord, place: int) -> bool:
    """Return whether both reach the same screen of an app, one by opening the app, one by a tap."""
    steps = [episode.steps[place] for episode in (before, after)]
    screens = [episode.screens[place + 1] for episode in (before, after)]
    actions = [step.action for step in steps if len(step.actions) == 1]
    apps = {action.app for action in actions if isinstance(action, Open)}
    taps = [action for action in actions if isinstance(action, Tap)]
    goes = len(apps) == len(taps) == 1 and not any(step.notice for step in steps)
    return goes and apps == {screens[0].package} and similarity(*screens) >= MIN_SIMILARITY


def _by_screens(before: EpisodeRecord, after: EpisodeRecord, place: int) -> Divergence:
    """Return the divergence of two episodes whose first difference is in the screens at `place`."""
    if place and _differ_in_length(before.steps[place - 1], after.steps[place - 1]):
        return Divergence(place, "action", *_texts_of_one(before, after, place - 1))
    why: Why = "screen" if place else "start"
    return Divergence(place + 1, why, *_texts_of_one(before, after, place))


def _differ_in_length(one: Step, other: Step) -> bool:
    """Return whether two equal decisions differ in the length of a swipe or of a wait."""
    pairs = zip(one.actions, other.actions, strict=True)
    return any(a != b and isinstance(a, Swipe | Scroll | Wait) for a, b in pairs)


def same_actions(one: Step, other: Step) -> bool:
    """Return whether two decisions have equal actions, which were both executed or both refused.

    - Touches are equal on the same element, if its text or its id is unique on its screen.
      Otherwise AndroidControl's rule applies, as Qwen2.5-VL scores it: each touch is within the
      other's element, slightly enlarged, or they are at most 0.04 of the screen apart.
    - Scrolls and swipes are equal if the finger moves in the same direction. Waits are equal.
    - Typed texts, app names and answers are compared without case and surrounding spaces; typed
      texts must also agree in whether they replace the old text and are submitted.
    - Giving up is equal for any reason. All other actions must be identical.
    """
    if bool(one.notice) != bool(other.notice) or len(one.actions) != len(other.actions):
        return False
    pairs = zip(one.actions, other.actions, strict=True)
    return all(_is_same(first, one.screen, second, other.screen) for first, second in pairs)


def similarity(one: Screen, other: Screen) -> float:
    """Return the similarity of two screens: from 0 (or different apps or activities) to 1 (equal).

    It is the size of the intersection of both multisets of elements divided by that of their union.
    Elements are equal if class, id, texts and state are. Without elements, it is 1 if screenshots
    are equal, else 0. Numbers, times, days and the status bar are ignored: they change anyway.
    """
    if (one.package, one.activity) != (other.package, other.activity):
        return 0.0
    things, others = (Counter(_things(screen)) for screen in (one, other))
    if not things and not others:
        return 1.0 if one.key == other.key else 0.0
    return (things & others).total() / (things | others).total()


def _is_same(one: Action, on: Screen, other: Action, on_other: Screen) -> bool:
    moves = Swipe | Scroll
    if type(one) is not type(other) and not (isinstance(one, moves) and isinstance(other, moves)):
        return False
    match one, other:
        case ((Tap() | LongPress() | DoubleTap()), (Tap() | LongPress() | DoubleTap())):
            return _same_touch((one.x, one.y), on, (other.x, other.y), on_other)
        case ((Swipe() | Scroll()), (Swipe() | Scroll())):
            return direction(one, on.size) == direction(other, on_other.size)
        case Type(text), Type(again):
            return (one.clear, one.enter) == (other.clear, other.enter) and _same_words(text, again)
        case (Finish(text), Finish(again)) | (Open(text), Open(again)):
            return _same_words(text, again)
        case _:
            return isinstance(one, Wait | Impossible) or one == other


def _same_words(one: str, other: str) -> bool:
    return str(one).strip().casefold() == str(other).strip().casefold()


def _same_touch(one: Point, on: Screen, other: Point, on_other: Screen) -> bool:
    touched, again = _touched(on, one), _touched(on_other, other)
    if touched is not None and again is not None:
        name, other_name = _name(touched), _name(again)
        if _is_alone(name, on) and _is_alone(other_name, on_other):
            return name == other_name
    try:
        return _is_near(other, one, touched, on) and _is_near(one, other, again, on_other)
    except (ScreenError, TypeError, ValueError):  # a program may have given an invalid point
        return one == other


def _is_near(point: Point, wanted: Point, element: Element | None, screen: Screen) -> bool:
    boxes = () if element is None else (element.bounds,)
    return bool(androidcontrol(Tap(*point), Golden(Tap(*wanted), screen.size, boxes)))


def _touched(screen: Screen, point: Point) -> Element | None:
    """Return the target of a touch: the innermost clickable element there, else the innermost."""
    try:
        found = screen.at(*point)
    except (ScreenError, TypeError):
        return None
    return next((each for each in found if each.clickable), found[0] if found else None)


def _name(element: Element) -> Thing:
    return element.class_name, element.resource_id, _without_changing_text(element.label)


def _is_alone(name: Thing, screen: Screen) -> bool:
    """Return whether a name is not empty, and only one element of the screen has it."""
    return any(name[1:]) and sum(_name(each) == name for each in screen.elements) == 1


def _things(screen: Screen) -> list[Thing]:
    try:
        elements = [each for each in screen.elements if each.package != _SYSTEM]
    except ScreenError:
        return []
    return [
        (
            each.class_name,
            each.resource_id,
            _without_changing_text(each.text),
            _without_changing_text(each.content_desc),
            *(name for name in ("checked", "selected", "enabled") if getattr(each, name)),
        )
        for each in elements
    ]


@lru_cache(maxsize=1 << 12)  # consecutive screens share most of their texts
def _without_changing_text(text: str) -> str:
    return " ".join(_CHANGING.sub("", text).split())


def _texts_of_one(
    before: EpisodeRecord, after: EpisodeRecord, place: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts that only the first, and only the second, episode shows at `place`."""
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
    known = {"", *map(_without_changing_text, elsewhere)}
    new = dict.fromkeys(text for text in texts if _without_changing_text(text) not in known)
    return tuple(new)[:_MOST_TEXTS]
