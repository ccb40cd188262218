"""Translates actions into Android shell commands."""

from __future__ import annotations

import base64
import re
import shlex
from typing import TYPE_CHECKING, assert_never

from pytest_mobileagent.action import Action, Ask, Finish, Impossible, Key, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap, scroll_path
from pytest_mobileagent.device.drivers import KEYCODES, NEVER_A_FLING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.action.gestures import Touch

UNICODE_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
_SELECT_ALL = "input keycombination 113 29"  # Ctrl+A
_COMBINATIONS_SINCE = 31
_MOVE_END = 123


def script(action: Action, size: tuple[int, int], sdk: int) -> str:
    """Return a shell script, which may be empty, for an action on a screen of `size` pixels."""
    match action:
        case Tap() | DoubleTap() | LongPress() | Swipe() | Scroll():
            return _touch(action, size)
        case Type():
            return "; ".join(_type(action, sdk))
        case Key(name):
            return f"input keyevent {KEYCODES[name]}"
        case Open(app):
            return open_app(app)
        case Wait(seconds):
            return f"sleep {seconds}"
        case Ask() | Finish() | Impossible() | Raw():
            return ""
        case _:
            assert_never(action)


_LAUNCHER = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
_NEW_TASK_OR_RESET = "0x10200000"  # the flags with which launchers start apps


def open_app(package: str) -> str:
    """Return a shell script that opens an app as a launcher does.

    Nothing happens if no activity of the app is meant for launchers. `monkey` opens apps, too, but
    turns automatic rotation on.
    """
    find = f"--brief {_LAUNCHER} {shlex.quote(package)}"
    # If the app has several such activities, the first command names a dialog of Android's.
    return (
        f"it=$({{ cmd package resolve-activity {find}; cmd package query-activities {find}; }} "
        f"| grep -m 1 {shlex.quote(f'^ *{package}/')}); "
        f'[ "$it" ] && am start {_LAUNCHER} -f {_NEW_TASK_OR_RESET} -n $it'
    )


def await_focus(package: str) -> str:
    """Return a shell script that waits until an app has the focus, or some seconds have passed."""
    shown = f"dumpsys window | grep -q {shlex.quote(f'mCurrentFocus=.* {package}/')}"
    return f"for i in 1 2 3 4 5 6 7 8 9 10; do {shown} && break; sleep 0.1; done"


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
        package = UNICODE_KEYBOARD.partition("/")[0]  # some builds block broadcasts to all apps
        yield f"am broadcast -a ADB_INPUT_B64 -p {package} --es msg {message}"
    if action.enter:
        yield f"input keyevent {KEYCODES['enter']}"


def _clear(sdk: int) -> str:
    delete = str(KEYCODES["delete"])
    if sdk >= _COMBINATIONS_SINCE:
        return f"{_SELECT_ALL}; input keyevent {delete}"
    return f"input keyevent {_MOVE_END} {' '.join([delete] * 200)}"


def _type_ascii(text: str) -> Iterator[str]:
    """Yield commands that type text: `input text` reads %s as a space, and types no new lines."""
    for part in re.split(r"([\n\t])", re.sub(r"\r\n?", "\n", text)):
        if part in {"\n", "\t"}:
            yield f"input keyevent {KEYCODES['enter' if part == chr(10) else 'tab']}"
            continue
        for piece in re.split(r"(?<=%)(?=s)", part):
            if piece:
                yield f"input text {shlex.quote(piece.replace(' ', '%s'))}"
