"""Requests to the UiAutomator2 server, which Appium installs on the phone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import DoubleTap, Key, LongPress, Raw, Tap
from pytest_mobileagent.program.commands import keys, pointers
from pytest_mobileagent.program.commands.inputs import pixel, swipe
from pytest_mobileagent.program.commands.intents import CLIPBOARD, from_base64
from pytest_mobileagent.program.commands.wording import told
from pytest_mobileagent.program.watching import Act, Clear, Command, ElementTap

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[dict[str, Any], str], tuple[Act, ...]]

_SESSION = re.compile(r"(?:/wd/hub)?/session/[^/]+/(.*)")
_ELEMENT_CLICK = re.compile(r"element/[\w.-]+/click")
_LOOKS = re.compile(r"screenshot|source|element/[^/]+/screenshot|screenshot/.*|appium/screenshot")


def read(method: str, path: str, values: Any, raw: str) -> Command | None:
    """Return what a request does; None if it is to another server."""
    match = _SESSION.fullmatch(path.rstrip("/"))
    if match is None:
        return None
    below = match[1]
    if method != "POST":
        return Command(raw, looks=method == "GET" and bool(_LOOKS.fullmatch(below)))
    body = values if isinstance(values, dict) else {}
    words = told(below, body)
    if _ELEMENT_CLICK.fullmatch(below):
        return Command(raw, (ElementTap(path.rstrip("/").removesuffix("/click"), words),))
    for pattern, reader in _READERS:
        if pattern.fullmatch(below):
            try:
                return Command(raw, reader(body, words))
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
                return Command(raw, (Raw(words),))
    return Command(raw)


def _click(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    place = _place(body)
    return (Tap(*place),) if place else (Raw(raw),)


def _double_click(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    place = _place(body)
    return (DoubleTap(*place),) if place else (Raw(raw),)


def _long_click(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    place = _place(body)
    milliseconds = body.get("duration")
    seconds = 0.5 if milliseconds is None else float(milliseconds) / 1000
    return (LongPress(*place, seconds),) if place else (Raw(raw),)


def _place(body: dict[str, Any]) -> tuple[int, int] | None:
    """Return the pixel of a gesture; None if it is one of an element."""
    offset = body.get("offset")
    if body.get("origin") or body.get("element") or not isinstance(offset, dict):
        return None
    return pixel(offset["x"]), pixel(offset["y"])


def _touch(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    """Read the gestures of servers before version 4: their pixels are in `params`."""
    values = body.get("params", body)
    if "element" in values or "x" not in values:
        return (Raw(raw),)
    return (Tap(pixel(values["x"]), pixel(values["y"])),)


def _perform(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    x1, y1, x2, y2 = (pixel(body[name]) for name in ("startX", "startY", "endX", "endY"))
    return (swipe(x1, y1, x2, y2, pixel(body.get("steps", 60)) * 0.005),)


def _actions(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return pointers.read_actions(body["actions"], raw)


def _value(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    """Read what is typed into an element; `replace` empties that before."""
    value = body.get("text", body.get("value", ""))
    text = "".join(map(str, value)) if isinstance(value, list) else str(value)
    replaces = (Clear(),) if str(body.get("replace")).lower() == "true" else ()
    if not text.endswith(("\n", "\\n")):
        return (*replaces, *pointers.keyed(text, raw))
    text = text.removesuffix("\n").removesuffix("\\n")  # the server takes it for the key
    return (*replaces, *pointers.keyed(text, raw), Key("enter"))


def _clear(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Clear(),)


def _key_code(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (keys.pressed(int(body["keycode"]), raw, int(body.get("metastate") or 0)),)


def _clipboard(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Raw(CLIPBOARD + from_base64(body["content"])),)


def _back(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Key("back"),)


def _raw(body: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Raw(raw),)


_READERS: list[tuple[re.Pattern[str], Reader]] = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        ("actions", _actions),
        ("element/[^/]+/clear", _clear),
        ("element/[^/]+/value", _value),
        ("keys", _value),
        ("back", _back),
        ("appium/device/press_keycode", _key_code),
        ("appium/device/long_press_keycode", _raw),
        ("appium/device/open_notifications", _raw),
        ("appium/device/set_clipboard", _clipboard),
        ("appium/gestures/click", _click),
        ("appium/gestures/double_click", _double_click),
        ("appium/gestures/long_click", _long_click),
        ("appium/gestures/.*", _raw),
        ("appium/tap", _touch),
        ("appium/element/[^/]+/scroll_to/.*", _raw),
        ("gestures/scroll_to", _raw),
        ("touch/click", _touch),
        ("touch/perform", _perform),
        ("touch/.*", _raw),
        ("orientation|rotation", _raw),
        ("alert/(accept|dismiss)", _raw),
        ("network_connection", _raw),
    )
]
