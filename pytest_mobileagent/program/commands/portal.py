"""The portal of droidrun (now mobilerun), an app that acts for its agent: by HTTP or `content`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Key, Open, Raw, Tap
from pytest_mobileagent.program.commands import inputs
from pytest_mobileagent.program.commands.inputs import pixel, swipe
from pytest_mobileagent.program.commands.intents import CLIPBOARD, from_base64, typed
from pytest_mobileagent.program.watching import Act, Clear, Command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_LOOKS = ("a11y_tree", "state", "phone_state", "screenshot")
_GLOBAL: dict[int, Act] = {
    1: Key("back"), 2: Key("home"), 3: Key("overview"), 8: inputs.SCREEN_OFF,
}  # fmt: skip


def shows(path: str) -> bool:
    """Whether a path of the portal shows the screen."""
    return path.strip("/").startswith(_LOOKS)


def knows(path: str) -> bool:
    """Whether a path is one of the portal's that does something."""
    return _name(path) in _ACTS


def acts(path: str, values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    """Return what the portal does for a path and what is sent to it."""
    name = _name(path)
    if name not in _ACTS:
        return ()
    try:
        return _ACTS[name](values, raw)
    except (ValueError, TypeError, KeyError, OverflowError):
        return (Raw(raw),)


def _name(path: str) -> str:
    return path.strip("/").removeprefix("action/").removeprefix("action.")


def _tap(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Tap(pixel(values["x"]), pixel(values["y"])),)


def _swipe(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    x1, y1, x2, y2 = (pixel(values[name]) for name in ("startX", "startY", "endX", "endY"))
    return (swipe(x1, y1, x2, y2, float(values.get("duration", 300)) / 1000),)


def _global(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (_GLOBAL.get(int(values["action"]), Raw(raw)),)


def _open(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Open(str(values.get("package") or values["packageName"])),)


def _input(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    text = typed(from_base64(str(values["base64_text"])))
    clears = values.get("clear", True) in {True, "true"}
    return (Clear(), *text) if clears else text


def _clear(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Clear(),)


def _key(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (inputs.pressed(int(values["key_code"]), raw),)


def _clipboard(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Raw(CLIPBOARD + str(values["text"])),)


def _raw(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Raw(raw),)


_ACTS: dict[str, Callable[[Mapping[str, Any], str], tuple[Act, ...]]] = {
    "tap": _tap,
    "swipe": _swipe,
    "global": _global,
    "app": _open,
    "app/stop": _raw,
    "keyboard/input": _input,
    "input": _input,
    "keyboard/clear": _clear,
    "clear": _clear,
    "keyboard/key": _key,
    "key": _key,
    "clipboard/set": _clipboard,
}


_PORTAL = re.compile(r"content://com\.(?:droidrun|mobilerun)\.portal/([^?]*)")
_CHANGES = {"insert", "update", "delete"}
_BINDING = re.compile(r"([^:]+):([sbilfdn]):(.*)", re.DOTALL)


def read_content(arguments: Sequence[str], raw: str) -> Command:
    """Return what a `content` command does; `raw` is it in its own words."""
    pairs = list(pairwise(arguments))
    uri = next((value for option, value in pairs if option == "--uri"), "")
    match = _PORTAL.match(uri)
    if not match:
        return Command(raw, (Raw(raw),) if arguments[:1] and arguments[0] in _CHANGES else ())
    if arguments[:1] == ["query"]:
        return Command(raw, looks=shows(match[1]))
    bound = [_BINDING.fullmatch(value) for option, value in pairs if option == "--bind"]
    values = {each[1]: _value(each[2], each[3]) for each in bound if each}
    return Command(raw, acts(match[1], values, raw))


def _value(kind: str, text: str) -> object:
    return text == "true" if kind == "b" else text
