"""Turns an episode into text for judges: its frames, its actions and its view hierarchies.

A view hierarchy becomes an outline of what a person sees, with one line for each element:

    Switch #wifi "Wi-Fi" checked=true
      TextView "Connected"

The outline has order, nesting, texts, ids and states. It leaves out attributes that nearly all
elements share or that only describe the layout: bounds, packages, indices, and flags with their
usual values. Elements with no other attributes are left out, too, and their children move up.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Ask, Key, Open, Raw, Type, Wait, ends_episode
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.llm import fence
from pytest_mobileagent.llm.fence import quoted
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.judge.prompts import Verbs
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Element


@dataclass(frozen=True, slots=True)
class TranscriptFrame:
    """A screen, and the actions that led from it to the next one; the last frame has no actions.

    - `number`: its number in prompts, from 1; `place`: its index in `episode.screens`.
    - `actions`: the actions that were performed, except those that noise swallowed. `undone`: the
      actions that could not be done; `notice` says why.
    - `reply`: the user's reply to the agent's question.

    The agent's report that it is done is not among the actions, as it must not influence a judge.
    """

    number: int
    place: int
    screen: Screen
    actions: tuple[Action, ...] = ()
    undone: tuple[Action, ...] = ()
    notice: str = ""
    reply: str | None = None
    is_last: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing was done or tried on this screen."""
        return not (self.actions or self.undone or self.notice)


def frames(episode: EpisodeRecord, screens: range | None = None) -> tuple[TranscriptFrame, ...]:
    """Return the frames of an episode, or of the screens with the indices `screens`.

    A screen on which nothing was done, and which is equal to the next one, is left out; for
    example, the screen on which the agent reported that it is done. The last frame has no actions.
    """
    every = episode.screens
    places = [place for place in (screens or range(len(every))) if 0 <= place < len(every)]
    found: list[TranscriptFrame] = []
    for place in places:
        frame = _frame(episode, place, len(found) + 1, is_last=place == places[-1])
        after = every[place + 1] if place != places[-1] else None
        is_shown_again = after and (frame.screen.key, frame.screen.xml) == (after.key, after.xml)
        if not (frame.is_idle and is_shown_again):
            found.append(frame)
    return tuple(found)


def _frame(episode: EpisodeRecord, place: int, number: int, *, is_last: bool) -> TranscriptFrame:
    screen = episode.screens[place]
    if is_last or place >= len(episode.steps):
        return TranscriptFrame(number, place, screen, is_last=True)
    step = episode.steps[place]
    done = tuple(action for action in step.reached if not ends_episode(action))
    undone = tuple(a for a in step.actions[len(step.done) :] if not ends_episode(a))
    return TranscriptFrame(number, place, screen, done, undone, step.notice, step.reply)


LONGEST = 2000  # characters of an element's text
_DEEPEST = 20  # the maximum level of indentation
_NAME = re.compile(r"[\w.$-]{1,200}", re.ASCII)
_THINNEST = 300  # the longer side divided by this (8 of 2400 pixels) is too thin for letters


def outline(screen: Screen) -> str:
    """Return the lines of a screen's elements, or the text of a hierarchy that cannot be parsed.

    Invisible elements are left out: those that are outside of the screen, have no area, or are
    thinner than any letter. The last line counts those of them that have texts. If no element has
    an area, their visibility is unknown, and no element is left out.
    """
    head = f"app {_quoted(screen.package or '?')} activity {_quoted(screen.activity or '?')}"
    try:
        elements = screen.elements
    except ScreenError:
        return f"{head}\n(no view hierarchy, as it was recorded:)\n{screen.xml}"
    lines, depths, left_out = [head], {id(screen.root): 0}, 0
    area = _area(screen)
    for element in elements:
        depth = depths[id(element.parent)]
        is_seen = area is None or _can_be_seen(element.bounds, area)
        line = _line(element) if is_seen else ""
        left_out += not is_seen and bool(element.text or element.content_desc)
        if line:
            lines.append(f"{'  ' * min(depth, _DEEPEST)}{line}")
        depths[id(element)] = depth + bool(line)
    if left_out:
        lines.append(f"({left_out} with words that nobody can see: outside, or too small)")
    return "\n".join(lines)


def _line(element: Element) -> str:
    """Return an element's line; empty if it adds nothing to the lines of its children."""
    name = element.resource_id.rpartition("/")[2]
    words = [
        f"#{_name(name)}" if name else "",
        _quoted(element.text) if element.text else "",
        f"description={_quoted(element.content_desc)}" if element.content_desc else "",
        f"checked={str(element.checked).lower()}" if element.checkable or element.checked else "",
        "enabled=false" if not element.enabled else "",
        *(flag for flag in ("selected", "focused", "password") if getattr(element, flag)),
    ]
    parts = [word for word in words if word]
    if not parts and not (element.clickable and not element.children):
        return ""
    return " ".join([_name(element.class_name.rpartition(".")[2] or "View"), *parts])


def _area(screen: Screen) -> Bounds | None:
    """Return the visible area of the screen in pixels; None if it is unknown."""
    if not any(each.bounds.width and each.bounds.height for each in screen.elements):
        return None
    try:
        return Bounds(0, 0, *screen.size)
    except ScreenError:  # without a picture, use the windows, which fill the screen
        windows = [window.bounds for window in screen.root.children]
        return Bounds(0, 0, max(w.right for w in windows), max(w.bottom for w in windows))


def _can_be_seen(bounds: Bounds, area: Bounds) -> bool:
    width = min(bounds.right, area.right) - max(bounds.left, area.left)
    height = min(bounds.bottom, area.bottom) - max(bounds.top, area.top)
    return min(width, height) >= max(1, max(area) // _THINNEST)


def _quoted(text: str) -> str:
    return quoted(text, LONGEST)


def _name(text: str) -> str:
    """Return a name, quoted if it is unusual, as apps may put anything into ids and classes."""
    return text if _NAME.fullmatch(text) else _quoted(text)


_LONGEST = 400  # characters of one text of an action
_LONGEST_LABEL = 80  # characters of an element's label, which may combine many children's texts
_MOST = 20  # actions of one step that are listed; a program may do hundreds


def in_quotes(text: object) -> str:
    """Return a text of the agent or of an app, in quotation marks and on one line."""
    return fence.quoted(text, _LONGEST)


def in_words(
    frame: TranscriptFrame, verbs: Verbs, quote: Callable[[object], str] = in_quotes
) -> str:
    """Return one line with what was done on a frame and what failed, or "nothing".

    `quote` quotes untrusted strings: typed text, labels of elements, the user's reply.
    """
    done = _each(frame.actions, frame.screen, verbs, quote)
    if frame.reply is not None:
        done.append(f"{verbs.replied} {quote(frame.reply)}")
    undone = _each(frame.undone, frame.screen, verbs, quote)
    if undone or frame.notice:
        done.append(" ".join([verbs.not_done, verbs.then.join(undone)]).strip())
        if frame.notice:
            done[-1] += f" ({quote(frame.notice)})"
    if frame.screen.notice:
        done.append(f"({quote(frame.screen.notice)})")
    return verbs.then.join(done) or verbs.nothing


def _each(
    actions: Sequence[Action], screen: Screen, verbs: Verbs, quote: Callable[[object], str]
) -> list[str]:
    parts = [_in_words(action, screen, verbs, quote) for action in actions[:_MOST]]
    more = len(actions) - len(parts)
    return [*parts, verbs.more.replace("{COUNT}", str(more))] if more else parts


def _in_words(  # noqa: PLR0911 - a case for each kind of action
    action: Action, screen: Screen, verbs: Verbs, quote: Callable[[object], str]
) -> str:
    verb = verbs.of.get(type(action).__name__, type(action).__name__)
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y):
            return f"{verb} {_target(screen, x, y, quote)}"
        case Swipe(x1, y1, x2, y2):
            return f"{verb} {_point(x1, y1)} {verbs.to} {_point(x2, y2)}"
        case Scroll(direction):
            return f"{verb} {verbs.directions.get(direction, quote(direction))}"
        case Type():
            return _typed(action, screen, verbs, quote)
        case Key(name):
            return f"{verb} {verbs.keys.get(name, quote(name))}"
        case Ask(text) | Raw(text) | Open(text):
            return f"{verb} {quote(text)}"
        case Wait(seconds):
            return f"{verb} {seconds:g} s" if isinstance(seconds, int | float) else verb
    return verb


def _typed(action: Type, screen: Screen, verbs: Verbs, quote: Callable[[object], str]) -> str:
    parts = [f"{verbs.of['Type']} {quote(action.text)}"]
    if action.at is not None:
        parts.append(f"{verbs.into} {_target(screen, *action.at, quote)}")
    if action.clear:
        parts.append(verbs.cleared)
    if action.enter:
        parts.append(verbs.entered)
    return " ".join(parts)


def _target(screen: Screen, x: int, y: int, quote: Callable[[object], str]) -> str:
    try:
        label = next((element.label for element in screen.at(x, y) if element.label), "")
    except (ScreenError, TypeError):  # no hierarchy, or coordinates that are not numbers
        label = ""
    if not label:
        return _point(x, y)
    short = label if len(label) <= _LONGEST_LABEL else f"{label[:_LONGEST_LABEL]}…"
    return f"{quote(short)} {_point(x, y)}"


def _point(x: int, y: int) -> str:
    """Return a point as text; an agent's coordinates may be any values."""
    return f"({_number(x)}, {_number(y)})"


def _number(value: float) -> str:
    is_one = isinstance(value, int | float) and math.isfinite(value)
    return str(round(value)) if is_one else "?"
