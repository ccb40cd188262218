"""B-MoCA's discrete actions: a number from 0 to 384."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.action.action import Key, Scroll, Tap
from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError
from pytest_mobileagent.dialect.reading import quoted, reading
from pytest_mobileagent.dialect.wording import cannot_say

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action, Direction, KeyName
    from pytest_mobileagent.dialect.dialect import Frame, OnError

# The places to tap: rows from the top, and in each the columns from the left, of numbers from -1
# to 1, the edges of the screen.
ROWS, COLUMNS = 27, 14
_FIRST, _DOWN, _ACROSS = -0.95, 0.075, 0.15
_TAPS = ROWS * COLUMNS
_DIRECTIONS: tuple[Direction, ...] = ("up", "down", "right", "left")
_KEYS: tuple[KeyName, ...] = ("back", "home", "overview")
SIZE = _TAPS + len(_DIRECTIONS) + len(_KEYS)


@dataclass(frozen=True, slots=True)
class BMocaDiscrete(Dialect):
    """`217`: one of 378 taps (14 across, 27 down), 4 swipes or 3 buttons.

    Source: B-MoCA, paper section 3.2, and gimme1dollar/b-moca, bmoca/agent/custom/utils.py. The
    taps are row by row from the top; then the finger's swipes up, down, right and left, then back,
    home and overview. The last place of a row or a column is the screen's very edge.
    """

    name: ClassVar[str] = "bmoca_discrete"
    on_error: ClassVar[OnError] = "no action"

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return what the number means.

        Raises:
            DialectError: it is none from 0 to 384.
        """
        with reading(words):
            plain = words.strip(" \t\r\n[]()")
            if not re.fullmatch(r"[0-9]{1,3}", plain) or int(plain) >= SIZE:
                msg = f"an action is a number from 0 to {SIZE - 1}: {quoted(words)}"
                raise DialectError(msg)
            return Decision((_action(int(plain), frame),))

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return the number of the decision; of a tap, that of the nearest place.

        Raises:
            DialectError: it is not one tap, swipe through the screen's centre, or key.
        """
        match decision.actions:
            case (Tap(x, y),):
                across, down = frame.point(x, y, (2, 2))
                row = _nearest(down - 1, _DOWN, ROWS)
                return str(row * COLUMNS + _nearest(across - 1, _ACROSS, COLUMNS))
            case (Scroll(finger, None),):
                return str(_TAPS + _DIRECTIONS.index(finger))
            case (Key(key),) if key in _KEYS:
                return str(_TAPS + len(_DIRECTIONS) + _KEYS.index(key))
        raise cannot_say("B-MoCA", decision.actions)


def _action(index: int, frame: Frame) -> Action:
    if index < _TAPS:
        row, column = divmod(index, COLUMNS)
        x, y = _FIRST + column * _ACROSS, _FIRST + row * _DOWN
        return Tap(*frame.pixel(min(x + 1, 2), min(y + 1, 2), (2, 2)))
    rest = index - _TAPS
    if rest < len(_DIRECTIONS):
        return Scroll(_DIRECTIONS[rest])
    return Key(_KEYS[rest - len(_DIRECTIONS)])


def _nearest(place: float, step: float, count: int) -> int:
    return min(max(round((place - _FIRST) / step), 0), count - 1)
