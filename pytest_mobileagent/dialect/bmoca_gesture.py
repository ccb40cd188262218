"""B-MoCA's continuous actions: four numbers, where the finger touches and where it lifts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.action.action import Key, Tap
from pytest_mobileagent.dialect.bmoca import TAP_THRESHOLD, fractions, gesture
from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError
from pytest_mobileagent.dialect.reading import number, quoted, reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.action import Action, KeyName
    from pytest_mobileagent.dialect.dialect import Frame, OnError

# Where B-MoCA's phones have their buttons, as fractions (y, x).
BUTTONS: Mapping[KeyName, tuple[float, float]] = {
    "back": (0.95, 0.22),
    "home": (0.95, 0.50),
    "overview": (0.95, 0.78),
}
# How far from there, as a fraction, numbers may lie that were rounded.
_NEAR = 0.001


@dataclass(frozen=True, slots=True)
class BMocaGesture(Dialect):
    """`[0.6, 0.0, -0.6, 0.0]`: touch y, touch x, lift y, lift x, from `low` to 1.

    Source: B-MoCA, paper App. A.1, and gimme1dollar/b-moca, bmoca/environment/environment.py and
    coordinator.py. -1 and 1 are the edges of the screen; with `low=0`, as in the demonstrations,
    0 and 1. A tap at one of three places presses back, home or overview. What a tap is is
    measured as in `BMoca`, in fractions of the screen.
    """

    name: ClassVar[str] = "bmoca_gesture"
    on_error: ClassVar[OnError] = "no action"
    threshold: float = TAP_THRESHOLD
    low: float = -1.0

    def parse(self, words: str, frame: Frame) -> Decision:
        """Return what the four numbers mean.

        Raises:
            DialectError: they are not four numbers, or lie outside of the screen.
        """
        with reading(words):
            plain = re.sub(r"^dual[-_ ]gesture", "", words.strip().lower()).strip(" \t\r\n[]()")
            numbers = [number(each, "a coordinate") for each in re.split(r"[\s,;]+", plain)]
            if len(numbers) != 4:
                msg = f"a gesture is four numbers: {quoted(words)}"
                raise DialectError(msg)
            y1, x1, y2, x2 = (round((each - self.low) / (1 - self.low), 9) for each in numbers)
            return Decision((_action(gesture((y1, x1, y2, x2), frame, self.threshold), y1, x1),))

    def print(self, decision: Decision, frame: Frame) -> str:
        """Return the four numbers that say the decision, with four places.

        Raises:
            DialectError: it is not one tap, swipe or key that B-MoCA has.
        """
        if len(decision.actions) != 1:
            msg = "a gesture is one action"
            raise DialectError(msg)
        action = decision.actions[0]
        if isinstance(action, Key) and action.name in BUTTONS:
            ends = BUTTONS[action.name] * 2
        else:
            ends = fractions(action, frame, self.threshold)
        numbers = (self.low + each * (1 - self.low) for each in ends)
        return f"[{', '.join(f'{each:.5f}' for each in numbers)}]"


def _action(action: Action, y: float, x: float) -> Action:
    """Return the key instead of a tap at its place."""
    for name, (button_y, button_x) in BUTTONS.items():
        if isinstance(action, Tap) and max(abs(y - button_y), abs(x - button_x)) < _NEAR:
            return Key(name)
    return action
