"""JSON-RPC to uiautomator2's server on the phone, and to mobilecli's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Key, LongPress, Raw, Swipe, Tap
from pytest_mobileagent.program.commands import devicekit, inputs
from pytest_mobileagent.program.commands.inputs import pixel, stroke, swipe
from pytest_mobileagent.program.commands.intents import CLIPBOARD, typed
from pytest_mobileagent.program.commands.script import told
from pytest_mobileagent.program.watching import Act, Clear, Command, Erase, Pointer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    Reader = Callable[[list[Any], str], tuple[Act, ...]]

_STEP = 0.005  # seconds that UiAutomator takes for each step of a swipe
_LOOKS = {"takeScreenshot", "dumpWindowHierarchy", "dumpWindowHierarchyWithTimeout"}
_PHASES: dict[int, Literal["down", "move", "up", "cancel"]] = {
    0: "down",
    1: "up",
    2: "move",
    3: "cancel",
}
_KEYS: dict[str, Act] = {
    "back": Key("back"), "home": Key("home"), "recent": Key("overview"), "menu": Key("menu"),
    "enter": Key("enter"), "delete": Erase(), "del": Erase(), "volume_up": Key("volume_up"),
    "volume_down": Key("volume_down"), "power": inputs.SCREEN_OFF,
}  # fmt: skip


def is_call(values: dict[str, Any]) -> bool:
    """Whether the body of a request is a call."""
    return "method" in values and ("jsonrpc" in values or "params" in values)


def read_calls(values: Any, raw: str) -> Command:
    """Return what a call does, or a batch of calls; `raw` is it in its own words."""
    calls = values if isinstance(values, list) else [values]
    acts: list[Act] = []
    looks = False
    for call in calls:
        if not isinstance(call, dict):
            continue
        method, params = str(call.get("method")), call.get("params")
        done = _read(method, params, told(method, params))
        acts += done
        looks = method in _LOOKS | devicekit.LOOKS or (looks and not done)
    return Command(raw, tuple(acts), looks=looks)


def _read(method: str, params: Any, raw: str) -> tuple[Act, ...]:
    try:
        if method.startswith("device."):
            return devicekit.read_call(method, params or {}, raw)
        reader = _READERS.get(method)
        return reader(params if isinstance(params, list) else [], raw) if reader else ()
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError):
        return (Raw(raw),)


def _on_screen(arguments: list[Any]) -> bool:
    """Whether a method is given pixels, rather than a selector."""
    return bool(arguments) and isinstance(arguments[0], int | float)


def _click(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    if not _on_screen(arguments):
        return (Raw(raw),)
    x, y = pixel(arguments[0]), pixel(arguments[1])
    if len(arguments) > 2:
        return (swipe(x, y, x, y, float(arguments[2]) / 1000),)
    return (Tap(x, y),)


def _long_click(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    if not _on_screen(arguments):
        return (Raw(raw),)
    return (LongPress(pixel(arguments[0]), pixel(arguments[1])),)


def _swipe(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    if not _on_screen(arguments):
        return (Raw(raw),)
    x1, y1, x2, y2, steps = map(pixel, arguments[:5])
    return (swipe(x1, y1, x2, y2, max(steps, 0) * _STEP),)


def _drag(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    """Read a drag: unlike a swipe, it holds before it moves, unless it goes nowhere."""
    act = _swipe(arguments, raw)[0]
    return (Raw(raw),) if isinstance(act, Swipe | Raw) else (act,)


def _swipe_points(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    numbers = [pixel(number) for number in arguments[0]]
    places = list(zip(numbers[::2], numbers[1::2], strict=True))
    steps = pixel(arguments[1]) * _STEP  # between two points each
    ways = enumerate(places)
    return (stroke([(place * steps, x, y) for place, (x, y) in ways]) or Raw(raw),)


def _key(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (_KEYS.get(str(arguments[0]).lower(), Raw(raw)),)


def _key_code(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    meta = int(arguments[1]) if len(arguments) > 1 else 0
    return (inputs.pressed(int(arguments[0]), raw, meta),)


def _set_text(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (Clear(), *typed(str(arguments[-1])))


def _clear(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (Clear(),)


def _inject(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    phase = _PHASES.get(int(arguments[0]))
    if phase is None or not all(math.isfinite(number) for number in arguments[1:3]):
        return (Raw(raw),)
    return (Pointer(phase, pixel(arguments[1]), pixel(arguments[2])),)


def _clipboard(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (Raw(CLIPBOARD + str(arguments[-1])),)


def _paste(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (inputs.PASTE,)


def _sleep(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (inputs.SCREEN_OFF,)


def _raw(arguments: list[Any], raw: str) -> tuple[Act, ...]:
    return (Raw(raw),)


_OPAQUE = (
    "dragTo gesture pinchIn pinchOut scrollForward scrollBackward scrollTo scrollToBeginning "
    "scrollToEnd flingForward flingBackward flingToBeginning flingToEnd openNotification "
    "openQuickSettings setOrientation setOrientationLeft setOrientationRight "
    "setOrientationNatural freezeRotation wakeUp clickAndWaitForNewWindow "
    "performActionOnCurrentObject"
)
_READERS: dict[str, Reader] = dict.fromkeys(_OPAQUE.split(), _raw)
_READERS |= {
    "click": _click,
    "longClick": _long_click,
    "swipe": _swipe,
    "swipePoints": _swipe_points,
    "drag": _drag,
    "pressKey": _key,
    "pressKeyCode": _key_code,
    "setText": _set_text,
    "clearTextField": _clear,
    "clearInputText": _clear,
    "injectInputEvent": _inject,
    "setClipboard": _clipboard,
    "pasteClipboard": _paste,
    "sleep": _sleep,
}
