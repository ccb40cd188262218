"""Translates actions into Android shell commands."""

from __future__ import annotations

import base64
import re
import shlex
from typing import TYPE_CHECKING, assert_never

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    DoubleTap,
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Raw,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
    scroll_path,
)
from pytest_mobileagent.device.drivers import KEYCODES, NEVER_A_FLING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.action.action import Touch

UNICODE_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
_SELECT_ALL = "input keycombination 113 29"  # Ctrl+A
_COMBINATIONS_SINCE = 31
_MOVE_END = 123


def script(action: Action, size: tuple[int, int], sdk: int) -> str:
    """Return a shell script that performs an action on a screen of `size` pixels; may be empty.

    `sdk` is the device's API level.
    """
    match action:
        case Tap() | DoubleTap() | LongPress() | Swipe() | Scroll():
            return _touch(action, size)
        case Type():
            return "; ".join(_type(action, sdk))
        case Key(name):
            return f"input keyevent {KEYCODES[name]}"
        case Open(app):
            # Since Android 15, monkey fails on devices without physical keys unless its share of
            # system keys is 0.
            package = shlex.quote(app)
            return f"monkey -p {package} -c android.intent.category.LAUNCHER --pct-syskeys 0 1"
        case Wait(seconds):
            return f"sleep {seconds}"
        case Ask() | Finish() | Impossible() | Raw():
            return ""
        case _:
            assert_never(action)


def needs_unicode_keyboard(action: Action) -> bool:
    """Return whether an action types text that Android's own `input text` cannot type."""
    return isinstance(action, Type) and not action.text.isascii()


def _touch(action: Touch, size: tuple[int, int]) -> str:
    match action:
        case Tap(x, y):
            return f"input tap {x} {y}"
        case DoubleTap(x, y):
            return f"input tap {x} {y}; input tap {x} {y}"
        case LongPress(x, y, seconds):
            return f"input swipe {x} {y} {x} {y} {round(seconds * 1000)}"
        case Swipe(x1, y1, x2, y2, seconds):
            return f"input swipe {x1} {y1} {x2} {y2} {round(seconds * 1000)}"
        case Scroll():
            (x1, y1), (x2, y2) = scroll_path(action, size)
            return f"input swipe {x1} {y1} {x2} {y2} {NEVER_A_FLING}"


def _type(action: Type, sdk: int) -> Iterator[str]:
    if action.at is not None:
        yield f"input tap {action.at[0]} {action.at[1]}"
    if action.clear:
        yield _clear(sdk)
    if action.text.isascii():
        yield from _type_ascii(action.text)
    else:
        message = base64.b64encode(action.text.encode()).decode()
        yield f"am broadcast -a ADB_INPUT_B64 --es msg {message}"
    if action.enter:
        yield f"input keyevent {KEYCODES['enter']}"


def _clear(sdk: int) -> str:
    delete = str(KEYCODES["delete"])
    if sdk >= _COMBINATIONS_SINCE:
        return f"{_SELECT_ALL}; input keyevent {delete}"
    return f"input keyevent {_MOVE_END} {' '.join([delete] * 200)}"


def _type_ascii(text: str) -> Iterator[str]:
    """Yield commands that type text.

    `input text` reads %s as a space, and cannot type newlines and tabs.
    """
    for part in re.split(r"([\n\t])", re.sub(r"\r\n?", "\n", text)):
        if part in {"\n", "\t"}:
            yield f"input keyevent {KEYCODES['enter' if part == chr(10) else 'tab']}"
            continue
        for piece in re.split(r"(?<=%)(?=s)", part):
            if piece:
                yield f"input text {shlex.quote(piece.replace(' ', '%s'))}"
