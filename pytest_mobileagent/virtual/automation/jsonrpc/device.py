"""Methods about the device as a whole: touches, keys, the clipboard, what the screen shows."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation import perform
from pytest_mobileagent.virtual.automation.jsonrpc.calls import (
    Methods,
    flag,
    integer,
    integers,
    number,
    text,
    thrown,
)
from pytest_mobileagent.virtual.automation.jsonrpc.hierarchy import dump
from pytest_mobileagent.virtual.automation.touches import Sample, Touch, play

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service

STEP = 5  # ms that a step of a swipe takes
KEYS: Final = {
    **{name: name.upper() for name in ("back", "camera", "del", "enter", "home", "menu", "power")},
    **{name: name.upper() for name in ("search", "volume_down", "volume_mute", "volume_up")},
    **{name: f"DPAD_{name.upper()}" for name in ("center", "down", "left", "right", "up")},
    "delete": "DEL",
    "recent": "APP_SWITCH",
}
DOWN, UP, MOVE = 0, 1, 2
ROTATIONS: Final = {"natural": 0, "left": 1, "upsidedown": 2, "right": 3}


def _info(service: Service) -> dict[str, Any]:
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


def _click(service: Service, x: int, y: int, milliseconds: int = 0) -> bool:
    """Hold a finger on a place; false outside of the screen."""
    metrics = service.phone.display.metrics
    if not (0 <= x < metrics.width_px and 0 <= y < metrics.height_px):
        return False
    service.phone.swipe(x, y, x, y, milliseconds)
    return True


def swipe(service: Service, *numbers: int) -> bool:
    """Move a finger from one place to another, in so many steps."""
    *points, steps = numbers
    return swipe_points(service, points, steps)


def swipe_points(service: Service, numbers: list[int], steps: int) -> bool:
    """Move a finger along a line of several points, in so many steps from one to the next."""
    points = list(zip(numbers[::2], numbers[1::2], strict=False))
    if len(points) < 2:
        raise thrown("java.lang.IllegalArgumentException", "at least 2 points are needed")
    way = [Sample(at * steps * STEP, x, y) for at, (x, y) in enumerate(points)]
    play(service.phone, [Touch(way, way[-1].time)])
    return True


def drag(service: Service, *numbers: int) -> bool:
    """Hold a finger, then move it, in so many steps."""
    x1, y1, x2, y2, steps = numbers
    timeout = int(service.phone.settings.text("secure", "long_press_timeout", "400"))
    service.phone.gestures.drag(x1, y1, x2, y2, timeout + 1 + steps * STEP)
    return True


def _inject(service: Service, action: int, x: float, y: float, _: int) -> bool:
    """Put a finger down, move it or lift it."""
    finger = service.phone.finger
    acts = {DOWN: finger.down, MOVE: finger.move, UP: finger.up}
    if action in acts:
        acts[action](x, y)
    return action in acts


# Keys and text.


def _press(service: Service, name: str) -> bool:
    """Press a key by name; false if there is no such."""
    key = KEYS.get(name.lower())
    return key is not None and _press_code(service, key)


def _press_code(service: Service, code: int | str, meta: int = 0) -> bool:
    """Press a key by its code, while others are held."""
    service.phone.key(code, meta)
    return True


def _copy(service: Service, _label: str, content: str) -> None:
    service.phone.clipboard.text = content


def _clear_input(service: Service) -> None:
    """Empty the field that has the focus."""
    if node := service.phone.accessibility.focused():
        perform.set_text(service.phone, node, "")


# The screen.


def _screenshot(service: Service, scale: float, quality: int) -> str:
    """Give the screen as JPEG in base64, smaller by some factor."""
    picture = service.phone.sight.picture()
    if 0 < scale < 1:
        picture = picture.resize(
            (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        )
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=min(max(quality, 1), 100))
    return base64.b64encode(data.getvalue()).decode()


def _rotate(service: Service, name: str) -> None:
    """Turn the screen and keep it so; an unknown way changes nothing."""
    for way, turns in ROTATIONS.items():
        if way.startswith(name or "?"):
            service.phone.display.lock_rotation(turns)


def _freeze(service: Service, frozen: bool) -> None:
    service.phone.settings.put("system", "accelerometer_rotation", "0" if frozen else "1")


def _pull(service: Service, *, full: bool = False) -> bool:
    """Pull the shade down, with all of quick settings or without."""
    if full or not service.phone.shade.open:
        service.phone.shade.pull(full=full)
    return True


def _clear_toast(service: Service) -> None:
    service.toast = None


METHODS: Final[Methods] = {
    "ping": [((), lambda _: "pong")],
    "deviceInfo": [((), _info)],
    "click": [((integer,) * 3, _click)],
    "swipe": [((integer,) * 5, swipe)],
    "swipePoints": [((integers, integer), swipe_points)],
    "drag": [((integer,) * 5, drag)],
    "injectInputEvent": [((integer, number, number, integer), _inject)],
    "pressKey": [((text,), _press)],
    "pressKeyCode": [((integer, integer), _press_code)],
    "setClipboard": [((text, text), _copy)],
    "getClipboard": [((), lambda service: service.phone.clipboard.text or None)],
    "pasteClipboard": [((), lambda service: service.phone.key("PASTE"))],
    "clearInputText": [((), _clear_input)],
    "dumpWindowHierarchy": [((flag, integer, flag), dump)],
    "takeScreenshot": [((number, integer), _screenshot)],
    "wakeUp": [((), lambda service: service.phone.power.wake())],
    "sleep": [((), lambda service: service.phone.power.sleep())],
    "setOrientation": [((text,), _rotate)],
    "freezeRotation": [((flag,), _freeze)],
    "openNotification": [((), _pull)],
    "openQuickSettings": [((), lambda service: _pull(service, full=True))],
    "getLastToast": [((), lambda service: service.toast)],
    "clearLastToast": [((), _clear_toast)],
    # What a reader of the screen has last gone over: there is no reader.
    "getLastTraversedText": [((), lambda _: None)],
    "clearLastTraversedText": [((), lambda _: None)],
}
