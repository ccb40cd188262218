"""The parts that both computer-use dialects share, and the functions that only a phone needs.

A computer has no back key, no home screen and no long press. `PHONE_FUNCTIONS` defines functions
for these, by name, which models can call in addition to the provider's computer tool.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Action, Ask, Finish, Impossible, Key, KeyName, Open, Type
from pytest_mobileagent.action.gestures import LongPress
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, lacks, quoted, unknown
from pytest_mobileagent.dialect.reading import amount, key_named, object_in, point, text
from pytest_mobileagent.jsonable import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Pixel = Callable[[tuple[float, float]], tuple[int, int]]

MOUSE = "mouse"  # the signal for a reply that only moves the mouse: phones have none
# For each function, its description, and its parameters with their descriptions.
PHONE_FUNCTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "back": ("Press the phone's back key.", {}),
    "home": ("Go to the phone's home screen.", {}),
    "recents": ("Show the apps that were used last.", {}),
    "open_app": ("Start an app.", {"name": "the app's name, as its icon says it"}),
    "long_press": (
        "Hold a finger on a point for a second.",
        {"x": "pixels from the left edge", "y": "pixels from the top edge"},
    ),
    "ask_user": ("Ask the user a question.", {"question": "the question"}),
    "give_up": ("End the task, because it cannot be done.", {"reason": "why it cannot be done"}),
}
_KEYS: dict[str, KeyName] = {"back": "back", "home": "home", "recents": "overview"}


def json_value(words: str) -> Any:
    """Return the first JSON object or list in a reply, ignoring the text around it.

    Raises:
        DialectError: if the reply has no JSON, or the JSON is invalid.
    """
    begin = re.search(r"[{\[]", words)
    if begin is None:
        raise lacks(words, "JSON")
    try:
        return json.JSONDecoder(strict=False).raw_decode(words, begin.start())[0]
    except (ValueError, RecursionError) as error:
        msg = f"{quoted(words[begin.start() :])} is invalid JSON: {why_unreadable(error)}"
        raise DialectError(msg) from error


def function_parameters(name: str) -> dict[str, Any]:
    """Return the parameters of a function in `PHONE_FUNCTIONS` as JSON Schema."""
    described = PHONE_FUNCTIONS[name][1]
    kinds = {each: "number" if each in {"x", "y"} else "string" for each in described}
    return {
        "type": "object",
        "properties": {
            each: {"type": kinds[each], "description": words} for each, words in described.items()
        },
        "required": list(described),
        "additionalProperties": False,
    }


def function_action(call: Mapping[str, Any], pixel: Pixel) -> Action:
    """Return the action for a call `{"name": …, "arguments": {…}}`, or for a closing message.

    Raises:
        DialectError: if there is no such function, or its arguments are wrong.
    """
    if call.get("type") == "message":
        return Finish(text(call.get("content", ""), "a message"))
    name = call.get("name")
    given = call.get("arguments", call.get("input", {}))
    arguments = object_in(given or "{}") if isinstance(given, str) else given
    if not isinstance(arguments, dict):
        raise DialectError(f"the arguments of {quoted(name)} are {quoted(given)}")
    match name:
        case "back" | "home" | "recents":
            return Key(_KEYS[name])
        case "open_app":
            return Open(text(arguments.get("name"), name))
        case "long_press":
            return LongPress(*pixel(point(arguments)), amount(arguments.get("seconds", 1.0)))
        case "ask_user":
            return Ask(text(arguments.get("question"), name))
        case "give_up":
            return Impossible(text(arguments.get("reason", ""), name))
    raise unknown("function", name)


def function_call(action: Action, dialect: str) -> dict[str, Any]:
    """Return the function call or the closing message that expresses an action.

    Raises:
        DialectError: if neither can express the action.
    """
    match action:
        case Key("back" | "home" as key):
            return {"name": key, "arguments": {}}
        case Key("overview"):
            return {"name": "recents", "arguments": {}}
        case Key(key):
            return {"type": "keypress", "keys": [key.upper()]}
        case Open(app):
            return {"name": "open_app", "arguments": {"name": app}}
        case Ask(question):
            return {"name": "ask_user", "arguments": {"question": question}}
        case Impossible(reason):
            return {"name": "give_up", "arguments": {"reason": reason}}
        case Finish(answer):
            return {"type": "message", "content": answer}
    raise cannot_say(dialect, action)


def one_key(keys: object) -> Key:
    """Return the key named by a value such as "ENTER" or `["ENTER"]`.

    Raises:
        DialectError: if a phone has no such key, or the value is a combination of keys.
    """
    several = keys if isinstance(keys, list) else str(keys).split("+")
    if len(several) != 1:
        raise DialectError(f"a phone has no key combinations such as {quoted(keys)}")
    return Key(key_named(several[0]))


def typed(value: object) -> Type:
    """Return the action that types text; a line break at its end presses the enter key."""
    words = text(value, "type")
    return Type(words.removesuffix("\n"), enter=words.endswith("\n"))


def typed_text(action: Type, dialect: str) -> str:
    """Return the text from which `typed` returns the action.

    Raises:
        DialectError: if the action cannot be expressed, because it also taps or clears the field.
    """
    words = action.text + "\n" * action.enter
    if typed(words) != action:
        raise cannot_say(dialect, action)
    return words


def scrolled_path(middle: int, distance: float, side: int) -> tuple[int, int]:
    """Return the start and end of a finger's move towards 0 by a distance, within the screen."""
    most = round(side * 0.8)
    length = round(max(-most, min(distance, most)))
    begin = middle + length // 2
    low, high = min(begin, begin - length), max(begin, begin - length)
    shift = max(0, -low) - max(0, high - (side - 1))
    return begin + shift, begin - length + shift
