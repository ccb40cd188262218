"""Functions that read objects, numbers, points, strings and keys in a reply.

The only error that they raise is `DialectError`.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pytest_mobileagent.action import KeyName
from pytest_mobileagent.dialect.parts import DialectError, quoted, unknown, without_markers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action.gestures import Direction

T = TypeVar("T")

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
PAIR = rf"[\[(（\s]*({NUMBER})\s*[,，\s]\s*({NUMBER})"  # with or without any brackets
# To show more of the content on one side, the finger moves in the opposite direction.
OPPOSITE: Mapping[Direction, Direction] = {
    "up": "down", "down": "up", "left": "right", "right": "left",
}  # fmt: skip
# Where left and right are the content's directions, but up and down the finger's.
ONLY_SIDEWAYS: Mapping[Direction, Direction] = {
    "up": "up", "down": "down", "left": "right", "right": "left",
}  # fmt: skip

# A thought must begin a line or follow another thought, since text to type may contain such tags.
_BEGINS = re.compile(
    "(?:^|(?<=</think>)|(?<=</thinking>))[ \t]*(?:<(?:seed:)?think(?:ing)?>|◁think▷)",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = re.compile("</(?:seed:)?think(?:ing)?>|◁/think▷", re.IGNORECASE)
_LONGEST = 20_000  # characters; longer replies are cut
_LONGEST_LITERAL = 10_000
_LONGEST_POINT = 200
_PLACES = 5  # the number of opening braces that are tried as the beginning of an object
_MOST_BRACES = 50
_KEYS: dict[str, KeyName] = {
    "app_switch": "overview", "backspace": "delete", "del": "delete", "esc": "escape",
    "kp_enter": "enter", "recent": "overview", "recents": "overview", "return": "enter",
}  # fmt: skip


def spoken(words: str) -> str:
    """Return a reply without a reasoning model's thoughts, and the markers behind them.

    Thoughts whose beginning is missing end with their tag at the end of a line. If the reply
    consists of thoughts only, they are kept. At most 20,000 characters are returned.
    """
    kept, place = [], 0
    # A single expression for both tags would take quadratic time if closing tags are missing.
    while (begins := _BEGINS.search(words, place)) and (ends := _ENDS.search(words, begins.end())):
        kept.append(words[place : begins.start()])
        place = ends.end()
    text = ("".join(kept) + words[place:])[:_LONGEST]
    if (ends := _ENDS.search(text)) and re.match(r"[ \t]*\n\s*\S", text[ends.end() :]):
        text = text[ends.end() :]
    return without_markers(text.strip() or words[:_LONGEST].strip()).strip()


def object_in(words: str, *keys: str) -> dict[str, Any]:
    """Return the first object {…} in a reply, in JSON or as a Python literal, ignoring other text.

    With `keys`, return the first object that has any of these keys.

    Raises:
        DialectError: if the reply has no such object, or the object cannot be read.
    """
    braces = islice(re.finditer(r"\{", words), _PLACES if keys else 1)
    starts = [brace.start() for brace in braces]
    for start in starts:
        found = _object(words[start:])
        if found is not None and (not keys or any(key in found for key in keys)):
            return found
    if keys:
        msg = f"there is no JSON object with {' or '.join(keys)} in {quoted(words)}"
    elif starts:
        msg = f"this is not a JSON object: {quoted(words[starts[0] :])}"
    else:
        msg = f"there is no {{…}} in {quoted(words)}"
    raise DialectError(msg)


def literal(words: str) -> Any:
    """Return the value of a Python literal, or None if the text is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes that Python does not know
            found = ast.literal_eval(words)
        repr(found)  # raises if the value is nested too deeply or has too large a number
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    return found


def number(value: object, name: str = "this") -> float:
    """Return a finite number, which may be given as text.

    Raises:
        DialectError: if the value is not a finite number; the message refers to it as `name`.
    """
    found = math.nan
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            found = float(value)
    if not math.isfinite(found):
        raise DialectError(f"{name} is not a number: {quoted(value)}")
    return found


def amount(value: object, name: str = "this") -> float:
    """Return a number, or the number at the beginning of the text ("5", "2 seconds").

    Raises:
        DialectError: if there is no number; the message refers to the value as `name`.
    """
    begins = re.match(NUMBER, value.strip()) if isinstance(value, str) else None
    return number(begins[0] if begins else value, name)


def point(value: object) -> tuple[float, float]:
    """Return a point given as `[x, y]`, `{"x": x, "y": y}` or "(x, y)", or the centre of a box.

    Raises:
        DialectError: if the value is not in one of these forms.
    """
    parts = value
    if isinstance(value, dict):
        parts = [value.get("x"), value.get("y")]
    elif isinstance(value, str):
        parts = re.findall(NUMBER, value[:_LONGEST_POINT])
    elif isinstance(value, list) and len(value) == 1:
        parts = value[0]
    if isinstance(parts, list | tuple) and len(parts) in {2, 4}:
        with suppress(DialectError):
            numbers = [number(part) for part in parts]
            return (numbers[0] + numbers[-2]) / 2, (numbers[1] + numbers[-1]) / 2
    raise DialectError(f"a point must be two numbers, x and y, not {quoted(value)}")


def text(value: object, of: str = "the action") -> str:
    """Return a string, or a number as a string.

    Raises:
        DialectError: if the value is neither a string nor a number; the message says that `of`,
            such as an action's name, needs a string.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format(number(value), "g") if isinstance(value, float) else f"{number(value):.0f}"
    raise DialectError(f"{of} needs a string, not {quoted(value)}")


def direction(value: object) -> Direction:
    """Return a direction, ignoring case and surrounding white space.

    Raises:
        DialectError: if the value is not a direction.
    """
    text = str(value).strip().lower()
    for each in OPPOSITE:
        if text == each:
            return each
    raise unknown("direction", value)


def key_named(name: object) -> KeyName:
    """Return the phone's key with a name, as written by Android, xdotool or a model.

    Raises:
        DialectError: if a phone has no such key.
    """
    text = str(name).strip().lower().replace(" ", "_").removeprefix("keycode_")
    text = _KEYS.get(text, text)
    for key in get_args(KeyName):
        if key == text:
            return key  # type: ignore[no-any-return]
    raise DialectError(f"a phone has no key {quoted(name)}")


def name_for(value: T, table: Mapping[str, T]) -> str | None:
    """Return the first key of a table that has a value, such as an action, or None.

    This lets a dialect print names from the same table with which it reads them.
    """
    return next((name for name, each in table.items() if each == value), None)


def _object(words: str) -> dict[str, Any] | None:
    """Return the object at the beginning of the text, up to the first brace at which it parses."""
    with suppress(ValueError, RecursionError):
        found: Any = json.JSONDecoder(strict=False).raw_decode(words)[0]
        return found if isinstance(found, dict) else None
    call, ended, _ = words.partition("</tool_call>")
    for forgotten in ("}", "}}") if ended else ():  # at the end of a call that is complete
        with suppress(ValueError, RecursionError):
            return dict(json.loads(call + forgotten, strict=False))
    shortest = words[:_LONGEST_LITERAL]
    for end in islice(re.finditer("}", shortest), _MOST_BRACES):
        found = literal(shortest[: end.end()])
        if isinstance(found, dict) and all(isinstance(key, str) for key in found):
            return found
    return None
