"""The calls of Mobile-Bench-v2, on screenshots whose elements are marked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Action, Finish, Type
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted
from pytest_mobileagent.dialect.reading import direction as as_direction
from pytest_mobileagent.dialect.reading import spoken

if TYPE_CHECKING:
    from pytest_mobileagent.perception.marks import Mark

_FIELDS = ("observation", "thought", "summary")
_FIELD = re.compile(
    r"^[ \t*#]*(Observation|Thought|Action|Summary)[ \t*]*[:：][ \t*]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_CLICK = re.compile(
    r"\b(?:click|tap)\s*[(（]\s*[\"'“]?\s*([a-z]?\d+)\s*[\"'”]?\s*[)）]", re.IGNORECASE
)
_SCROLL = re.compile(
    r"\b(?:scroll|swipe)\s*[(（]\s*[\"'“]?\s*([a-z]?\d+)\s*[\"'”]?\s*[,，]\s*[\"'“]?\s*(\w+)",
    re.IGNORECASE,
)
_INPUT = re.compile(r"\b(?:input|text)\s*[(（]\s*([\"'“])(.*)", re.IGNORECASE)
_FINISH = re.compile(r"^\W*finish(?:ed)?\b", re.IGNORECASE)
_CLOSING = {'"': '"', "'": "'", "“": "”"}


@dataclass(frozen=True, slots=True)
class MobileBenchV2(Dialect):
    """`Action: click(c5)`, `input("words")` or `scroll(s21, "up")`, in AppAgent's four fields.

    Clickable elements are marked c1, c2, …, and scrollable elements s1, s2, …; a tap is at the
    centre of a mark. Directions are the finger's, as in AppAgent, from whose prompt this format is
    derived. Source: Mobile-Bench-v2, prompt and action space in the appendix. Its examples call the
    same functions `text` and `swipe`, which are read, too. The prompt does not define how to end an
    episode; FINISH does so here, as in AppAgent, with which the paper runs its models.
    """

    name = "mobile_bench_v2"
    title = "Mobile-Bench-v2"
    on_error = "give up"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        cleaned = spoken(words)
        fields: dict[str, str] = {}
        for found in _FIELD.finditer(cleaned):
            fields.setdefault(found[1].lower(), found[2].strip())
        parts = {name: fields[name] for name in _FIELDS if name in fields}
        action = _action(fields.get("action", "" if fields else cleaned), frame)
        return Decision((action,), parts)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        lines = {name: parts[name] for name in _FIELDS if name in parts}
        lines["action"] = _words(action, frame)
        order = ("observation", "thought", "action", "summary")
        return "\n".join(f"{name.capitalize()}: {lines[name]}" for name in order if name in lines)


def _action(words: str, frame: Frame) -> Action:
    if typed := _INPUT.search(words):
        return Type(_unquoted(typed[1], typed[2]))
    if scroll := _SCROLL.search(words):
        return Scroll(as_direction(scroll[2]), frame.mark(scroll[1].lower()).bounds.center)
    if click := _CLICK.search(words):
        return Tap(*frame.mark(click[1].lower()).bounds.center)
    if _FINISH.match(words):
        return Finish()
    raise lacks(words, "call of click, input or scroll")


def _words(action: Action, frame: Frame) -> str:
    match action:
        case Tap(x, y):
            return f"click({_mark(x, y, 'c', frame).label})"
        case Scroll(direction, (x, y)):
            return f'scroll({_mark(x, y, "s", frame).label}, "{direction}")'
        case Type(typed, None, False, False) if "\n" not in typed and '"' not in typed:
            return f'input("{typed}")'
        case Finish(""):
            return "FINISH"
    raise cannot_say("Mobile-Bench-v2", action)


def _mark(x: int, y: int, kind: str, frame: Frame) -> Mark:
    marks = [mark for label, mark in frame.marks.items() if label.startswith(kind)]
    try:
        return frame.only(marks).mark_of(x, y)
    except DialectError:
        msg = f"no mark whose label starts with {kind!r} contains the pixel ({x}, {y})"
        raise DialectError(msg) from None


def _unquoted(quote: str, rest: str) -> str:
    end = rest.rfind(_CLOSING[quote])
    if end < 0:
        raise DialectError(f"the text to type is not closed in {quoted(rest)}")
    return rest[:end]
