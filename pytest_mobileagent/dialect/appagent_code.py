"""How AppAgent's released code takes a reply apart, and where it ends over it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.dialect.dialect import DialectError
from pytest_mobileagent.dialect.reading import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.dialect.dialect import Frame

# Where in a cell of the grid each of its nine places lies, as quarters of its width and height.
PLACES = {
    "center": (2, 2),
    "top-left": (1, 1),
    "top": (2, 1),
    "top-right": (3, 1),
    "left": (1, 2),
    "right": (3, 2),
    "bottom-left": (1, 3),
    "bottom": (2, 3),
    "bottom-right": (3, 3),
}
_FUNCTIONS = ("tap", "long_press", "swipe")


@dataclass(frozen=True, slots=True)
class CodeCall:
    """A call as the code reads it: FINISH, or a function with its arguments; and what was said."""

    name: str
    arguments: tuple[str, ...]
    said: Mapping[str, str]

    def number(self, place: int) -> int:
        """Return an argument as Python's `int` reads it.

        Raises:
            DialectError: it is no whole number.
        """
        try:
            return int(self.arguments[place])
        except (ValueError, IndexError):
            raise unexpected(f"{quoted(', '.join(self.arguments))} has no whole number") from None

    def word(self, place: int) -> str:
        """Return an argument without its first and its last character, which should be quotes.

        Raises:
            DialectError: there are not so many arguments.
        """
        if len(self.arguments) <= place:
            raise unexpected(f"{self.name} needs more than {quoted(', '.join(self.arguments))}")
        return self.arguments[place].strip()[1:-1]


def code_call(words: str, *, grid: bool) -> CodeCall:
    """Return the call of a reply: each part is what follows "NAME: " first, up to the line's end.

    Source: AppAgent's scripts/model.py, `parse_explore_rsp` and `parse_grid_rsp`.

    Raises:
        DialectError: the code prints an error over it, and the run ends unexpectedly.
    """
    parts = {name: line(words, name) for name in ("Observation", "Thought", "Action", "Summary")}
    action = parts.pop("Action")
    said = {name.lower(): text for name, text in parts.items()}
    if "FINISH" in action:
        return CodeCall("FINISH", (), said)
    name = action.partition("(")[0]
    if name == "grid":
        return CodeCall(name, (), {**said, "summary": name})
    if name not in _FUNCTIONS and (grid or name != "text"):
        raise unexpected(f"{quoted(name)} is no function")
    behind = re.search(rf"{name}\((.*?)\)", action)
    if behind is None:
        raise unexpected(f"the call is not closed: {quoted(action)}")
    arguments = (behind[1],) if name == "text" else tuple(behind[1].split(","))
    if not grid and len(arguments) != (3 if name == "swipe" else 1):
        raise unexpected(f"{name} takes other arguments than {quoted(behind[1])}")
    return CodeCall(name, arguments, said)


def code_spot(area: int, place: str, frame: Frame) -> tuple[int, int]:
    """Return the pixel that the code acts on, beside the screen for a cell that is none.

    It is not quite the grid that is drawn: its cells share out what is left over at the edges.
    """
    columns = len({mark.bounds.left for mark in frame.marks.values()}) or 1
    rows = len(frame.marks) // columns or 1
    width, height = frame.size[0] // columns, frame.size[1] // rows
    across, down = PLACES.get(place, PLACES["center"])
    x = (area - 1) % columns * width + width * across // 4
    y = (area - 1) // columns * height + height * down // 4
    return x, y


def line(words: str, name: str) -> str:
    """Return what follows "NAME: " where it first stands, up to the end of the line.

    Raises:
        DialectError: it stands nowhere.
    """
    found = re.search(rf"{name}: (.*?)$", words, re.MULTILINE)
    if found is None:
        raise unexpected(f"there is no {name + ': '!r} in {quoted(words)}")
    return found[1]


def unexpected(problem: str) -> DialectError:
    """Return the error over which the original's run ends: it is neither done nor given up."""
    return DialectError(problem, on_error="crash")
