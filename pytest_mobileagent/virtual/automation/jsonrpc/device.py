"""Methods about the device as a whole: touches, keys, the clipboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation import perform
from pytest_mobileagent.virtual.automation.appium.pointers import Sample, Touch, play
from pytest_mobileagent.virtual.automation.jsonrpc.errors import JavaThrowable
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import (
    integer,
    integers,
    number,
    text,
)
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service

STEP = 5  # ms that a step of a swipe takes
KEYS: Final = {
    "back": "BACK",
    "camera": "CAMERA",
    "center": "DPAD_CENTER",
    "del": "DEL",
    "delete": "DEL",
    "down": "DPAD_DOWN",
    "enter": "ENTER",
    "home": "HOME",
    "left": "DPAD_LEFT",
    "menu": "MENU",
    "power": "POWER",
    "recent": "APP_SWITCH",
    "right": "DPAD_RIGHT",
    "search": "SEARCH",
    "up": "DPAD_UP",
    "volume_down": "VOLUME_DOWN",
    "volume_mute": "VOLUME_MUTE",
    "volume_up": "VOLUME_UP",
}
DOWN, UP, MOVE = 0, 1, 2


@method("ping")
def ping(_: Service) -> str:
    """Answer."""
    return "pong"


@method("deviceInfo")
def device_info(service: Service) -> dict[str, Any]:
    """Tell what the device is, and what is in front."""
    phone = service.phone
    metrics, window = phone.display.metrics, phone.accessibility.active
    return {
        "currentPackageName": window.package if window else None,
        "displayHeight": metrics.height_px,
        "displayRotation": phone.display.rotation,
        "displaySizeDpX": round(metrics.width_px / metrics.density),
        "displaySizeDpY": round(metrics.height_px / metrics.density),
        "displayWidth": metrics.width_px,
        "productName": phone.props["ro.product.name"],
        "screenOn": phone.power.awake,
        "sdkInt": int(phone.props["ro.build.version.sdk"]),
        "naturalOrientation": phone.display.rotation % 2 == 0,
    }


# Touches.


@method("click", integer, integer)
def click(service: Service, x: int, y: int) -> bool:
    """Tap; false outside of the screen."""
    return press_at(service, x, y, 0)


@method("click", integer, integer, integer)
def press_at(service: Service, x: int, y: int, milliseconds: int) -> bool:
    """Hold a finger on a place; false outside of the screen."""
    metrics = service.phone.display.metrics
    if not (0 <= x < metrics.width_px and 0 <= y < metrics.height_px):
        return False
    service.phone.swipe(x, y, x, y, milliseconds)
    return True


@method("swipe", integer, integer, integer, integer, integer)
def swipe(  # noqa: PLR0917 - as Java has it
    service: Service, x1: int, y1: int, x2: int, y2: int, steps: int
) -> bool:
    """Move a finger."""
    service.phone.swipe(x1, y1, x2, y2, steps * STEP)
    return True


@method("swipePoints", integers, integer)
def swipe_points(service: Service, numbers: list[int], steps: int) -> bool:
    """Move a finger along a line of several points, in so many steps from one to the next."""
    points = list(zip(numbers[::2], numbers[1::2], strict=False))
    if len(points) < 2:
        raise JavaThrowable("java.lang.IllegalArgumentException", "at least 2 points are needed")
    way = [Sample(at * steps * STEP, x, y) for at, (x, y) in enumerate(points)]
    play(service.phone, [Touch(way, way[-1].time)])
    return True


@method("drag", integer, integer, integer, integer, integer)
def drag(  # noqa: PLR0917 - as Java has it
    service: Service, x1: int, y1: int, x2: int, y2: int, steps: int
) -> bool:
    """Hold a finger, then move it."""
    timeout = int(service.phone.settings.text("secure", "long_press_timeout", "400"))
    with service.phone.windows.watched():
        service.phone.gestures.drag(x1, y1, x2, y2, timeout + 1 + steps * STEP)
    return True


@method("injectInputEvent", integer, number, number, integer)
def inject(service: Service, action: int, x: float, y: float, _: int) -> bool:
    """Put a finger down, move it or lift it."""
    finger = service.phone.finger
    acts = {DOWN: finger.down, MOVE: finger.move, UP: finger.up}
    if action not in acts:
        return False
    acts[action](x, y)
    return True


# Keys and text.


@method("pressKey", text)
def press_key(service: Service, name: str | None) -> bool:
    """Press a key by name; false if there is no such."""
    key = KEYS.get((name or "").lower())
    if key is None:
        return False
    service.phone.key(key)
    return True


@method("pressKeyCode", integer)
def press_code(service: Service, code: int) -> bool:
    """Press a key by its code."""
    return press_code_with(service, code, 0)


@method("pressKeyCode", integer, integer)
def press_code_with(service: Service, code: int, meta: int) -> bool:
    """Press a key by its code, while others are held."""
    service.phone.key(code, meta)
    return True


@method("setClipboard", text, text)
def set_clipboard(service: Service, _label: str | None, content: str | None) -> None:
    """Copy a text."""
    service.phone.clipboard.text = content or ""


@method("getClipboard")
def get_clipboard(service: Service) -> str | None:
    """Tell what was copied; nothing if nothing was."""
    return service.phone.clipboard.text or None


@method("pasteClipboard")
def paste(service: Service) -> None:
    """Paste into the field that has the focus."""
    service.phone.key("PASTE")


@method("clearInputText")
def clear_input(service: Service) -> None:
    """Empty the field that has the focus."""
    node = service.phone.accessibility.focused()
    if node:
        perform.set_text(service.phone, node, "")
