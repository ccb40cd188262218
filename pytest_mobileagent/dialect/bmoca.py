"""The actions of B-MoCA: calls of functions, numbers from 0 to 384, or gestures."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Action, Key, KeyName
from pytest_mobileagent.action.gestures import Direction, Scroll, Swipe, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame, Parts
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted, unknown
from pytest_mobileagent.dialect.reading import ONLY_SIDEWAYS, direction, number, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping

# Start and end of a gesture, as fractions of the screen: (y, x, y, x).
Gesture = tuple[float, float, float, float]

# A gesture whose ends are at most this far apart, in fractions, is a tap (paper, App. A.1).
TAP_THRESHOLD = 0.14

_CALL = re.compile(r"(dual[-_ ]gesture|tap|swipe|press)\s*\(([^()]*)\)", re.IGNORECASE)
_KEYS: Mapping[str, KeyName] = {"HOME": "home", "BACK": "back", "OVERVIEW": "overview"}
_NAMES = ("dual-gesture", "tap", "swipe", "press")  # in the order in which the code searches
_PARTS = ("description", "thought")


# The grid of taps, from the top left. Coordinates go from -1 to 1, the edges of the screen.
ROWS, COLUMNS = 27, 14
_FIRST, _DOWN, _ACROSS = -0.95, 0.075, 0.15
_TAPS = ROWS * COLUMNS
_DIRECTIONS: tuple[Direction, ...] = ("up", "down", "right", "left")
_BUTTON_ORDER: tuple[KeyName, ...] = ("back", "home", "overview")
SIZE = _TAPS + len(_DIRECTIONS) + len(_BUTTON_ORDER)

# The positions of the buttons on B-MoCA's phones, as fractions (y, x).
BUTTONS: Mapping[KeyName, tuple[float, float]] = {
    "back": (0.95, 0.22),
    "home": (0.95, 0.50),
    "overview": (0.95, 0.78),
}
_NEAR = 0.001  # the tolerance for rounded numbers, as a fraction


@dataclass(frozen=True, slots=True)
class BMoca(Dialect):
    """`- Description: …`, `- Thought: …`, `- Action: tap(5)`; tags are marks, from "0".

    Source: B-MoCA, paper section 3.1 and App. A.1; gimme1dollar/b-moca,
    bmoca/environment/wrapper.py and coordinator.py. Actions: `tap(5)`,
    `dual-gesture(y, x, y, x)` with fractions of the screen, `swipe("up")`, and `press` with "HOME",
    "BACK" or "OVERVIEW". The format has no action for typing or for finishing the task.

    - The action is read after "Action:". The original searches the whole reply for the names, and
      fails if a thought contains one of them.
    - `swipe("left")` moves the finger to the right, and "right" moves it to the left; up and down
      are the finger's. In the original, it moves from 0.8 to 0.2 of the screen, or vice versa.
    - Whether a gesture is a tap is decided as in the code: its distance in fractions, with the
      vertical distance counted twice (a screen is about twice as high as wide), is at most the
      threshold. The paper says "less than", and does not mention the factor of two.
    - Fractions are not rounded, as in the code; the paper rounds them to two decimal places.

    The named parts are "description" and "thought".
    """

    name = "bmoca"
    title = "B-MoCA"
    threshold: float = TAP_THRESHOLD

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        before, name, arguments = _call(words)
        return Decision((self._action(name, arguments, frame),), _remarks(before))

    def _read_strictly(self, words: str, frame: Frame) -> Decision | Action:
        """Return the decision as the code reads it: the first of `_NAMES` in the reply counts.

        Texts must be in quotes.
        """
        name = next((each for each in _NAMES if each in words), "")
        found = re.search(rf"{name}\((.*?)\)", words) if name else None
        if found is None:
            raise lacks(words, f"call of {name or 'a function'}")
        argument = found[1]
        if name == "tap" and not re.fullmatch(r"\s*[+-]?\d{1,9}\s*", argument):
            raise DialectError(f"a tag must be a whole number, not {quoted(argument)}")
        if name in ("swipe", "press"):
            argument = argument[1:-1]
            if argument not in (ONLY_SIDEWAYS if name == "swipe" else _KEYS):
                raise DialectError(f"{name} does not accept {quoted(argument)}")
        return Decision((self._action(name, argument, frame),), _remarks(words))

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        lines = [f"- {name.capitalize()}: {parts[name]}" for name in _PARTS if name in parts]
        return "\n".join([*lines, f"- Action: {self._printed(action, frame)}"])

    def _action(self, name: str, arguments: str, frame: Frame) -> Action:
        if name == "dual-gesture":
            values = [number(each.strip(), "a coordinate") for each in arguments.split(",")]
            if len(values) != 4:
                raise DialectError(f"a gesture needs four coordinates, not {quoted(arguments)}")
            return gesture((values[0], values[1], values[2], values[3]), frame, self.threshold)
        argument = _unquoted(arguments)
        if name == "tap":
            return Tap(*frame.mark(str(int(number(argument, "the tag")))).bounds.center)
        if name == "swipe":
            return Scroll(ONLY_SIDEWAYS[direction(argument)])
        if argument.upper() not in _KEYS:
            raise unknown("button", argument)
        return Key(_KEYS[argument.upper()])

    def _printed(self, action: Action, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                for label, mark in frame.marks.items():
                    if mark.bounds.center == (x, y):
                        return f"tap({label})"
            case Scroll(finger, None):
                return f'swipe("{ONLY_SIDEWAYS[finger]}")'
            case Key(key) if key in _KEYS.values():
                return f'press("{key.upper()}")'
        points = fractions(action, frame, self.threshold)
        return f"dual-gesture({', '.join(f'{each:.5f}' for each in points)})"

    @staticmethod
    def called_function(words: str) -> tuple[str, str]:
        """Return the function that a reply calls, and its arguments, for B-MoCA's history.

        Raises:
            DialectError: if the reply does not call a function.
        """
        _, name, arguments = _call(words)
        return name, arguments if name == "dual-gesture" else _unquoted(arguments)


@dataclass(frozen=True, slots=True)
class BMocaGesture(Dialect):
    """`[0.6, 0.0, -0.6, 0.0]`: touch y, touch x, lift y, lift x, from `low` to 1.

    Source: B-MoCA, paper App. A.1, and gimme1dollar/b-moca, bmoca/environment/environment.py and
    coordinator.py. -1 and 1 are the edges of the screen; with `low=0`, as in the demonstrations,
    0 and 1 are. A tap at one of three places presses back, home or overview. Taps and swipes are
    distinguished as in `BMoca`, in fractions of the screen.
    """

    name = "bmoca_gesture"
    title = "B-MoCA"
    threshold: float = TAP_THRESHOLD
    low: float = -1.0

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        stripped = re.sub(r"^dual[-_ ]gesture", "", spoken(words).lower()).strip(" \t\r\n[]()")
        numbers = [number(each, "a coordinate") for each in re.split(r"[\s,;]+", stripped)]
        if len(numbers) != 4:
            raise DialectError(f"a gesture needs four numbers, not {quoted(words)}")
        y1, x1, y2, x2 = (round((each - self.low) / (1 - self.low), 9) for each in numbers)
        return _key_or(gesture((y1, x1, y2, x2), frame, self.threshold), y1, x1)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        if isinstance(action, Key) and action.name in BUTTONS:
            ends = BUTTONS[action.name] * 2
        else:
            ends = fractions(action, frame, self.threshold)
        numbers = (self.low + each * (1 - self.low) for each in ends)
        return f"[{', '.join(f'{each:.5f}' for each in numbers)}]"


@dataclass(frozen=True, slots=True)
class BMocaDiscrete(Dialect):
    """`217`: one of 378 taps (14 across, 27 down), 4 swipes or 3 buttons.

    Source: B-MoCA, paper section 3.2, and gimme1dollar/b-moca, bmoca/agent/custom/utils.py. The
    taps come row by row from the top, then the finger's swipes up, down, right and left, then back,
    home and overview. The last tap of a row or a column is on the edge of the screen.
    """

    name = "bmoca_discrete"
    title = "B-MoCA"

    def _read(self, words: str, frame: Frame) -> Decision | Action:
        stripped = spoken(words).strip(" \t\r\n[]()")
        if not re.fullmatch(r"[0-9]{1,3}", stripped) or int(stripped) >= SIZE:
            msg = f"an action must be a number from 0 to {SIZE - 1}, not {quoted(words)}"
            raise DialectError(msg)
        return _discrete(int(stripped), frame)

    def _print(self, action: Action, parts: Parts, frame: Frame) -> str:
        match action:
            case Tap(x, y):
                across, down = frame.point(x, y, (2, 2))
                row = _nearest(down - 1, _DOWN, ROWS)
                return str(row * COLUMNS + _nearest(across - 1, _ACROSS, COLUMNS))
            case Scroll(finger, None):
                return str(_TAPS + _DIRECTIONS.index(finger))
            case Key(key) if key in _BUTTON_ORDER:
                return str(_TAPS + len(_DIRECTIONS) + _BUTTON_ORDER.index(key))
        raise cannot_say(self.title, action)


def gesture(ends: Gesture, frame: Frame, threshold: float = TAP_THRESHOLD) -> Tap | Swipe:
    """Return a gesture in fractions of the screen as a tap or a swipe.

    Raises:
        DialectError: if the gesture leaves the screen.
    """
    y1, x1, y2, x2 = ends
    start = frame.pixel(x1, y1, (1, 1))
    if _distance(ends) <= threshold:
        return Tap(*start)
    return Swipe(*start, *frame.pixel(x2, y2, (1, 1)))


def fractions(action: Action, frame: Frame, threshold: float = TAP_THRESHOLD) -> Gesture:
    """Return a tap or a swipe as a gesture in fractions of the screen.

    Raises:
        DialectError: if the action is of another type, or a swipe short enough to be read as a tap.
    """
    match action:
        case Tap(x, y):
            across, down = frame.point(x, y, (1, 1))
            return down, across, down, across
        case Swipe(x1, y1, x2, y2):
            start, end = frame.point(x1, y1, (1, 1)), frame.point(x2, y2, (1, 1))
            ends = (start[1], start[0], end[1], end[0])
            if _distance(ends) > threshold:
                return ends
    raise cannot_say("B-MoCA", action)


def _call(words: str) -> tuple[str, str, str]:
    """Return the text before the last "Action:", and the first call after it."""
    *before, tail = re.split(r"Action\W{0,4}[:：]", spoken(words), flags=re.IGNORECASE)
    call = _CALL.search(tail)
    if not call:
        raise lacks(tail, "call of a function")
    name = call[1].lower()
    is_gesture = name.startswith("dual")
    return "Action:".join(before), "dual-gesture" if is_gesture else name, call[2].strip()


def _unquoted(argument: str) -> str:
    """Return an argument without its name and its quotation marks."""
    return re.sub(r"^[\w ]*[:=]", "", argument).strip(" \"'“”")


def _distance(ends: Gesture) -> float:
    y1, x1, y2, x2 = ends
    return math.hypot(2 * (y2 - y1), x2 - x1)


def _remarks(words: str) -> dict[str, str]:
    found = re.split(r"(description|observation|thought)\W{0,4}[:：]", words, flags=re.IGNORECASE)
    parts: dict[str, str] = {}
    for name, text in zip(found[1::2], found[2::2], strict=True):
        part = "thought" if name.lower() == "thought" else "description"
        parts[part] = text.strip(" \t\r\n-*#")
    return parts


def _key_or(action: Action, y: float, x: float) -> Action:
    """Return the key at the position of a tap, or else the action itself."""
    for name, (button_y, button_x) in BUTTONS.items():
        if isinstance(action, Tap) and max(abs(y - button_y), abs(x - button_x)) < _NEAR:
            return Key(name)
    return action


def _discrete(index: int, frame: Frame) -> Action:
    if index < _TAPS:
        row, column = divmod(index, COLUMNS)
        x, y = _FIRST + column * _ACROSS, _FIRST + row * _DOWN
        return Tap(*frame.pixel(min(x + 1, 2), min(y + 1, 2), (2, 2)))
    rest = index - _TAPS
    if rest < len(_DIRECTIONS):
        return Scroll(_DIRECTIONS[rest])
    return Key(_BUTTON_ORDER[rest - len(_DIRECTIONS)])


def _nearest(place: float, step: float, count: int) -> int:
    return min(max(round((place - _FIRST) / step), 0), count - 1)
