"""Parses requests to the servers that automation tools run on the phone into acts.

The servers of uiautomator2 and of mobilecli, which mobile-mcp uses, speak JSON-RPC. The portal of
droidrun (now mobilerun) is an app that takes requests over HTTP or through `content`.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Key, Open, Raw
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import (
    PASTE,
    SCREEN_OFF,
    Act,
    Clear,
    Command,
    Erase,
    Pointer,
    android,
    fixed,
    opaque,
)
from pytest_mobileagent.program.commands.android import (
    CLIPBOARD,
    from_base64,
    pixel,
    stroke,
    swipe,
    typed,
)
from pytest_mobileagent.program.commands.script import call_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal

    # Return the acts of a call, given its arguments (by position or by name) and its text.
    ReadsList = Callable[[list[Any], str], tuple[Act, ...]]
    ReadsTable = Callable[[Mapping[str, Any], str], tuple[Act, ...]]


_STEP = 0.005  # seconds that UiAutomator takes for each step of a swipe
_LOOKS = {
    "takeScreenshot", "dumpWindowHierarchy", "dumpWindowHierarchyWithTimeout",
    "device.dump.ui", "device.screenshot", "device.screencapture", "device.source",
}  # fmt: skip
_PHASES: dict[int, Literal["down", "move", "up", "cancel"]] = {
    0: "down", 1: "up", 2: "move", 3: "cancel",
}  # fmt: skip
_KEYS: dict[str, Act] = {
    "back": Key("back"), "home": Key("home"), "recent": Key("overview"), "menu": Key("menu"),
    "enter": Key("enter"), "delete": Erase(), "del": Erase(), "volume_up": Key("volume_up"),
    "volume_down": Key("volume_down"), "power": SCREEN_OFF,
}  # fmt: skip


def is_call(values: dict[str, Any]) -> bool:
    """Return whether the body of a request is a JSON-RPC call."""
    return "method" in values and ("jsonrpc" in values or "params" in values)


def read_calls(values: Any, raw: str) -> Command:
    """Return the command of a JSON-RPC call or a batch of calls; `raw` is the request's text."""
    calls = values if isinstance(values, list) else [values]
    acts: list[Act] = []
    looks = False
    for call in calls:
        if not isinstance(call, dict):
            continue
        method, params = str(call.get("method")), call.get("params")
        done = _read(method, params, call_text(method, params))
        acts += done
        looks = method in _LOOKS or (looks and not done)
    return Command(raw, tuple(acts), looks=looks)


def _read(method: str, params: Any, raw: str) -> tuple[Act, ...]:
    try:
        if method.startswith("device."):
            if device_reader := _DEVICE_READERS.get(method):
                return device_reader(params or {}, raw)
            return (Raw(raw),) if method.startswith(_DEVICE_OPAQUE) else ()
        reader = _READERS.get(method)
        return reader(params if isinstance(params, list) else [], raw) if reader else ()
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError):
        return (Raw(raw),)


def _on_screen(arguments: list[Any]) -> bool:
    """Return whether the arguments begin with pixels rather than with a selector."""
    return bool(arguments) and isinstance(arguments[0], int | float)


def _click(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    if not _on_screen(arguments):
        return (Raw(raw),)
    x, y = pixel(arguments[0]), pixel(arguments[1])
    if len(arguments) > 2:
        return (swipe(x, y, x, y, float(arguments[2]) / 1000),)
    return (Tap(x, y),)


def _swipe(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    if not _on_screen(arguments):
        return (Raw(raw),)
    x1, y1, x2, y2, steps = map(pixel, arguments[:5])
    return (swipe(x1, y1, x2, y2, max(steps, 0) * _STEP),)


def _drag(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    """Read a drag, which holds before it moves: it is a Raw unless the finger stays in place."""
    act = _swipe(arguments, raw)[0]
    return (Raw(raw),) if isinstance(act, Swipe | Raw) else (act,)


def _swipe_points(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    numbers = [pixel(number) for number in arguments[0]]
    places = enumerate(zip(numbers[::2], numbers[1::2], strict=True))
    steps = pixel(arguments[1]) * _STEP  # between two points each
    return (stroke([(place * steps, x, y) for place, (x, y) in places]) or Raw(raw),)


def _key_code(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    meta = int(arguments[1]) if len(arguments) > 1 else 0
    return (android.pressed(int(arguments[0]), raw, meta),)


def _inject(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    phase = _PHASES.get(int(arguments[0]))
    if phase is None or not all(math.isfinite(number) for number in arguments[1:3]):
        return (Raw(raw),)
    return (Pointer(phase, pixel(arguments[1]), pixel(arguments[2])),)


_OPAQUE = (
    "dragTo gesture pinchIn pinchOut scrollForward scrollBackward scrollTo scrollToBeginning "
    "scrollToEnd flingForward flingBackward flingToBeginning flingToEnd openNotification "
    "openQuickSettings setOrientation setOrientationLeft setOrientationRight "
    "setOrientationNatural freezeRotation wakeUp clickAndWaitForNewWindow "
    "performActionOnCurrentObject"
)
_READERS: dict[str, ReadsList] = dict.fromkeys(_OPAQUE.split(), opaque)
_READERS |= {
    "click": _click,
    "longClick": lambda given, raw: (
        LongPress(pixel(given[0]), pixel(given[1])) if _on_screen(given) else Raw(raw),
    ),
    "swipe": _swipe,
    "swipePoints": _swipe_points,
    "drag": _drag,
    "pressKey": lambda given, raw: (_KEYS.get(str(given[0]).lower(), Raw(raw)),),
    "pressKeyCode": _key_code,
    "setText": lambda given, _: (Clear(), *typed(str(given[-1]))),
    "clearTextField": fixed(Clear()),
    "clearInputText": fixed(Clear()),
    "injectInputEvent": _inject,
    "setClipboard": lambda given, _: (Raw(CLIPBOARD + str(given[-1])),),
    "pasteClipboard": fixed(PASTE),
    "sleep": fixed(SCREEN_OFF),
}


_LONG_PRESS_SECONDS = 1.0  # if the call has no duration
_BUTTONS: dict[str, Act] = {
    "BACK": Key("back"), "HOME": Key("home"), "ENTER": Key("enter"), "APP_SWITCH": Key("overview"),
    "VOLUME_UP": Key("volume_up"), "VOLUME_DOWN": Key("volume_down"), "BACKSPACE": Erase(),
}  # fmt: skip


def _tap(params: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Tap(pixel(params["x"]), pixel(params["y"])),)


def _long_press(params: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    seconds = float(params.get("duration") or _LONG_PRESS_SECONDS)
    return (LongPress(pixel(params["x"]), pixel(params["y"]), seconds),)


def _swipes(ends: Sequence[str], unit: float) -> ReadsTable:
    """Return a reader of swipes, given the names of their coordinates and the unit of time."""

    def read_swipe(values: Mapping[str, Any], _: str) -> tuple[Act, ...]:
        x1, y1, x2, y2 = (pixel(values[name]) for name in ends)
        duration = values.get("duration")
        return (swipe(x1, y1, x2, y2, 0.3 if duration is None else float(duration) * unit),)

    return read_swipe


def _copied(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    return (Raw(CLIPBOARD + str(values["text"])),)


def _gesture(params: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    """Read the press, moves and release of one finger, each with its own duration."""
    points: list[tuple[float, int, int]] = []
    time = 0.0
    types = [item["type"] for item in params["actions"]]
    for item in params["actions"]:
        if item["type"] == "press":
            points.append((time, pixel(item["x"]), pixel(item["y"])))
        time += float(item.get("duration") or 0)
        if item["type"] in {"move", "release"}:
            points.append((time, pixel(item["x"]), pixel(item["y"])))
    one = types.count("press") == 1 and types[0] == "press" and types[-1] == "release"
    return ((one and stroke(points)) or Raw(raw),)


_DEVICE_OPAQUE = (
    "device.io.", "device.url", "device.apps.terminate", "device.orientation.set",
    "device.webview.go", "device.webview.reload",
)  # fmt: skip
_DEVICE_READERS: dict[str, ReadsTable] = {
    "device.io.tap": _tap,
    "device.io.longpress": _long_press,
    "device.io.swipe": _swipes(("x1", "y1", "x2", "y2"), unit=1),
    "device.io.text": lambda given, _: typed(str(given["text"])),
    "device.io.button": lambda given, raw: (_BUTTONS.get(str(given["button"]).upper(), Raw(raw)),),
    "device.io.gesture": _gesture,
    "device.apps.launch": lambda given, _: (Open(str(given.get("bundleId") or given["package"])),),
    "device.clipboard.set": _copied,
}


_PORTAL_LOOKS = ("a11y_tree", "state", "phone_state", "screenshot")
_GLOBAL: dict[int, Act] = {1: Key("back"), 2: Key("home"), 3: Key("overview"), 8: SCREEN_OFF}


def portal_shows(path: str) -> bool:
    """Return whether a request to a path of the portal returns the screen."""
    return path.strip("/").startswith(_PORTAL_LOOKS)


def portal_acts(path: str, values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    """Return the acts of sending `values` to a path of the portal; empty if they are unknown."""
    name = path.strip("/").removeprefix("action/").removeprefix("action.")
    if name not in _PORTAL_READERS:
        return ()
    try:
        return _PORTAL_READERS[name](values, raw)
    except (ValueError, TypeError, KeyError, OverflowError):
        return (Raw(raw),)


def _input(values: Mapping[str, Any], raw: str) -> tuple[Act, ...]:
    text = typed(from_base64(str(values["base64_text"])))
    return (Clear(), *text) if values.get("clear", True) in {True, "true"} else text


_PORTAL_READERS: dict[str, ReadsTable] = {
    "tap": _tap,
    "swipe": _swipes(("startX", "startY", "endX", "endY"), unit=0.001),
    "global": lambda given, raw: (_GLOBAL.get(int(given["action"]), Raw(raw)),),
    "app": lambda given, _: (Open(str(given.get("package") or given["packageName"])),),
    "app/stop": opaque,
    "keyboard/input": _input,
    "keyboard/clear": fixed(Clear()),
    "keyboard/key": lambda given, raw: (android.pressed(int(given["key_code"]), raw),),
    "clipboard/set": _copied,
}
_PORTAL_READERS |= {name: _PORTAL_READERS[f"keyboard/{name}"] for name in ("input", "clear", "key")}


_PORTAL = re.compile(r"content://com\.(?:droidrun|mobilerun)\.portal/([^?]*)")
_CHANGES = {"insert", "update", "delete"}
_BINDING = re.compile(r"([^:]+):([sbilfdn]):(.*)", re.DOTALL)


def read_content(arguments: Sequence[str], raw: str) -> Command:
    """Return the command of Android's `content` tool; `raw` is its text."""
    pairs = list(pairwise(arguments))
    uri = next((value for option, value in pairs if option == "--uri"), "")
    match = _PORTAL.match(uri)
    if not match:
        return Command(raw, (Raw(raw),) if arguments[:1] and arguments[0] in _CHANGES else ())
    if arguments[:1] == ["query"]:
        return Command(raw, looks=portal_shows(match[1]))
    bound = [_BINDING.fullmatch(value) for option, value in pairs if option == "--bind"]
    values = {e[1]: e[3] == "true" if e[2] == "b" else e[3] for e in bound if e}
    return Command(raw, portal_acts(match[1], values, raw))
