"""The functions that B-MoCA's agents with language models call."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.action.action import Key, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError
from pytest_mobileagent.dialect.reading import direction, number, quoted, reading, spoken
from pytest_mobileagent.dialect.wording import cannot_say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.action import Action, Direction, KeyName
    from pytest_mobileagent.dialect.dialect import Frame, OnError

# Start and end of a gesture, as fractions of the screen: (y, x, y, x).
Gesture = tuple[float, float, float, float]

# A gesture whose ends are no farther apart is a tap (paper, App. A.1).
TAP_THRESHOLD = 0.14

_CALL = re.compile(r"(dual[-_ ]gesture|tap|swipe|press)\s*\(([^()]*)\)", re.IGNORECASE)
_KEYS: Mapping[str, KeyName] = {"HOME": "home", "BACK": "back", "OVERVIEW": "overview"}
# The names of left and right are those of the content, up and down those of the finger.
_FINGER: Mapping[Direction, Direction] = {
    "up": "up",
    "down": "down",
    "left": "right",
    "right": "left",
}
_NAMES = ("dual-gesture", "tap", "swipe", "press")  # in the order of the code
_PARTS = ("description", "thought")


@dataclass(frozen=True, slots=True)
class BMoca(Dialect):
    """`- Description: …`, `- Thought: …`, `- Action: tap(5)`; tags are marks, from "0".

    Source: B-MoCA, paper section 3.1 and App. A.1; gimme1dollar/b-moca,
    bmoca/environment/wrapper.py and coordinator.py. Actions: `tap(5)`,
    `dual-gesture(y, x, y, x)` with fractions of the screen, `swipe("up")`, and `press` of "HOME",
    "BACK" or "OVERVIEW". It can neither type nor report that it is done.

    - The action is sought behind "Action:". The original seeks the names in the whole reply, and
      stumbles over thoughts in which they occur.
    - `swipe("left")` moves the finger to the right, and "right" to the left; up and down are the
      finger's. The original's finger goes from 0.8 to 0.2 of the screen, or from 0.2 to 0.8.
    - Whether a gesture is a tap is measured as the code does: fractions, of which the vertical
      ones count twice (a screen is about twice as high as wide), and up to the threshold. The
      paper says "less than", and nothing of counting twice.
    - Fractions are read as they are; the paper rounds them to two places, the code does not.

    What was said is in "description" and "thought".
    """

    name: ClassVar[str] = "bmoca"
    on_error: ClassVar[OnError] = "no action"
    threshold: float = TAP_THRESHOLD

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return what the call means that stands behind the last "Action:".

        Raises:
            DialectError: there is no call, or its arguments are wrong.
        """
        with reading(words):
            before, name, arguments = _call(words)
            return Decision((self._action(name, arguments, frame),), _said(before))

    def parse_strictly(self, words: str, frame: Frame) -> Decision:
        """Return what a reply means to the code: the first name that stands anywhere in it counts.

        The names are sought in the order of `_NAMES`, and texts have to be in quotes.
        """
        with reading(words):
            name = next((each for each in _NAMES if each in words), "")
            found = re.search(rf"{name}\((.*?)\)", words) if name else None
            if found is None:
                msg = f"there is no call of {name or 'a function'} in {quoted(words)}"
                raise DialectError(msg)
            argument = found[1]
            if name == "tap" and not re.fullmatch(r"\s*[+-]?\d{1,9}\s*", argument):
                msg = f"a tag is a whole number, not {quoted(argument)}"
                raise DialectError(msg)
            if name in ("swipe", "press"):
                argument = argument[1:-1]
                if argument not in (_FINGER if name == "swipe" else _KEYS):
                    msg = f"{name} does not know {quoted(argument)}"
                    raise DialectError(msg)
            return Decision((self._action(name, argument, frame),), _said(words))

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return the reply that says the decision.

        Raises:
            DialectError: it is not one action, or one that B-MoCA has not.
        """
        if len(decision.actions) != 1:
            msg = "B-MoCA says one action at a time"
            raise DialectError(msg)
        parts = [
            f"- {name.capitalize()}: {decision.said[name]}"
            for name in _PARTS
            if name in decision.said
        ]
        return "\n".join([*parts, f"- Action: {self._printed(decision.actions[0], frame)}"])

    def _action(self, name: str, arguments: str, frame: Frame) -> Action:
        if name == "dual-gesture":
            values = [number(each.strip(), "a coordinate") for each in arguments.split(",")]
            if len(values) != 4:
                msg = f"a gesture has four coordinates: {quoted(arguments)}"
                raise DialectError(msg)
            return gesture((values[0], values[1], values[2], values[3]), frame, self.threshold)
        argument = _plain(arguments)
        if name == "tap":
            return Tap(*frame.mark(str(int(number(argument, "the tag")))).bounds.center)
        if name == "swipe":
            return Scroll(_FINGER[direction(argument)])
        if argument.upper() not in _KEYS:
            msg = f"there is no button {quoted(argument)}"
            raise DialectError(msg)
        return Key(_KEYS[argument.upper()])

    def _printed(self, action: Action, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                for label, mark in frame.marks.items():
                    if mark.bounds.center == (x, y):
                        return f"tap({label})"
            case Scroll(finger, None):
                return f'swipe("{_FINGER[finger]}")'
            case Key(key) if key in _KEYS.values():
                return f'press("{key.upper()}")'
        points = fractions(action, frame, self.threshold)
        return f"dual-gesture({', '.join(f'{each:.5f}' for each in points)})"


def call_said(words: str) -> tuple[str, str]:
    """Return the function that a reply calls, and its arguments, for B-MoCA's history.

    Raises:
        DialectError: it calls none.
    """
    _, name, arguments = _call(words)
    return name, arguments if name == "dual-gesture" else _plain(arguments)


def gesture(ends: Gesture, frame: Frame, threshold: float = TAP_THRESHOLD) -> Tap | Swipe:
    """Return a gesture of fractions as a tap or a swipe.

    Raises:
        DialectError: it leaves the screen.
    """
    y1, x1, y2, x2 = ends
    start = frame.pixel(x1, y1, (1, 1))
    if _distance(ends) <= threshold:
        return Tap(*start)
    return Swipe(*start, *frame.pixel(x2, y2, (1, 1)))


def fractions(action: Action, frame: Frame, threshold: float = TAP_THRESHOLD) -> Gesture:
    """Return a tap or a swipe as a gesture of fractions.

    Raises:
        DialectError: it is something else, or a swipe that is so short that it would be a tap.
    """
    match action:
        case Tap(x, y):
            across, down = frame.point(x, y, (1, 1))
            return down, across, down, across
        case Swipe(x1, y1, x2, y2):
            (x_start, y_start), (x_end, y_end) = (
                frame.point(x1, y1, (1, 1)),
                frame.point(x2, y2, (1, 1)),
            )
            ends = (y_start, x_start, y_end, x_end)
            if _distance(ends) > threshold:
                return ends
    raise cannot_say("B-MoCA", action)


def _call(words: str) -> tuple[str, str, str]:
    """Return what stands before the last "Action:", and the first call behind it."""
    *before, tail = re.split(r"Action\W{0,4}[:：]", spoken(words), flags=re.IGNORECASE)
    call = _CALL.search(tail)
    if not call:
        msg = f"there is no call of a function in {quoted(tail)}"
        raise DialectError(msg)
    name = call[1].lower()
    is_gesture = name.startswith("dual")
    return "Action:".join(before), "dual-gesture" if is_gesture else name, call[2].strip()


def _plain(argument: str) -> str:
    """Return an argument without its name and quotation marks."""
    return re.sub(r"^[\w ]*[:=]", "", argument).strip(" \"'“”")


def _distance(ends: Gesture) -> float:
    y1, x1, y2, x2 = ends
    return math.hypot(2 * (y2 - y1), x2 - x1)


def _said(words: str) -> dict[str, str]:
    found = re.split(r"(description|observation|thought)\W{0,4}[:：]", words, flags=re.IGNORECASE)
    said: dict[str, str] = {}
    for name, text in zip(found[1::2], found[2::2], strict=True):
        part = "thought" if name.lower() == "thought" else "description"
        said[part] = text.strip(" \t\r\n-*#")
    return said
