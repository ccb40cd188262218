"""Calls of mobilecli to its server on the phone, which does what mobile-mcp's agents ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Key, LongPress, Open, Raw, Tap
from pytest_mobileagent.program.commands.inputs import pixel, stroke, swipe
from pytest_mobileagent.program.commands.intents import CLIPBOARD, typed
from pytest_mobileagent.program.watching import Act, Erase

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS = {"device.dump.ui", "device.screenshot", "device.screencapture", "device.source"}
_SECONDS = 1.0  # of a long press that says none
_BUTTONS: dict[str, Act] = {
    "BACK": Key("back"), "HOME": Key("home"), "ENTER": Key("enter"), "APP_SWITCH": Key("overview"),
    "VOLUME_UP": Key("volume_up"), "VOLUME_DOWN": Key("volume_down"), "BACKSPACE": Erase(),
}  # fmt: skip


def read_call(method: str, params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    """Return what a call does; `raw` is it in its own words.

    Raises:
        ValueError, TypeError, KeyError, OverflowError: the call is malformed.
    """
    if reader := _READERS.get(method):
        return reader(params, raw)
    return (Raw(raw),) if method.startswith(_OPAQUE) else ()


def _tap(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Tap(pixel(params["x"]), pixel(params["y"])),)


def _long_press(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    seconds = float(params.get("duration") or _SECONDS)
    return (LongPress(pixel(params["x"]), pixel(params["y"]), seconds),)


def _swipe(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    x1, y1, x2, y2 = (pixel(params[name]) for name in ("x1", "y1", "x2", "y2"))
    return (swipe(x1, y1, x2, y2, float(params.get("duration") or 0.3)),)


def _text(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return typed(str(params["text"]))


def _button(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (_BUTTONS.get(str(params["button"]).upper(), Raw(raw)),)


def _launch(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Open(str(params.get("bundleId") or params["package"])),)


def _clipboard(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    return (Raw(CLIPBOARD + str(params["text"])),)


def _gesture(params: dict[str, Any], raw: str) -> tuple[Act, ...]:
    """Read one finger's press, moves and release; each lasts as long as it says."""
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


_OPAQUE = (
    "device.io.", "device.url", "device.apps.terminate", "device.orientation.set",
    "device.webview.go", "device.webview.reload",
)  # fmt: skip
_READERS: dict[str, Callable[[dict[str, Any], str], tuple[Act, ...]]] = {
    "device.io.tap": _tap,
    "device.io.longpress": _long_press,
    "device.io.swipe": _swipe,
    "device.io.text": _text,
    "device.io.button": _button,
    "device.io.gesture": _gesture,
    "device.apps.launch": _launch,
    "device.clipboard.set": _clipboard,
}
