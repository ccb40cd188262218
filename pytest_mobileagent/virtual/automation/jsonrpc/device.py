"""Methods about the device as a whole: touches, keys, the screen, the clipboard."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation import perform
from pytest_mobileagent.virtual.automation.appium.pointers import Sample, Touch, play
from pytest_mobileagent.virtual.automation.jsonrpc.errors import JavaThrowable
from pytest_mobileagent.virtual.automation.jsonrpc.hierarchy import hierarchy
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import (
    flag,
    integer,
    integers,
    number,
    text,
)
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service

STEP = 5  # ms that a step of a swipe takes
ALL = 50  # the depth of a dump, unless it is said
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
ROTATIONS: Final = {"natural": 0, "left": 1, "upsidedown": 2, "right": 3}
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


# The screen.


@method("dumpWindowHierarchy", flag)
def dump(service: Service, compressed: bool) -> str:
    """Give the hierarchy of all windows."""
    return dump_to_depth(service, compressed, ALL)


@method("dumpWindowHierarchy", flag, integer)
def dump_to_depth(service: Service, compressed: bool, depth: int) -> str:
    """Give the hierarchy of all windows, down to some depth."""
    return dump_windows(service, compressed, depth, False)


@method("dumpWindowHierarchy", flag, integer, flag)
def dump_windows(service: Service, compressed: bool, depth: int, active_only: bool) -> str:
    """Give the hierarchy of all windows, or of that which has the focus."""
    return hierarchy(service.phone, compressed=compressed, depth=depth, active_only=active_only)


@method("takeScreenshot", number, integer)
def screenshot(service: Service, scale: float, quality: int) -> str:
    """Give the screen as JPEG in base64, smaller by some factor."""
    picture = _picture(service)
    if 0 < scale < 1:
        picture = picture.resize(
            (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        )
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=min(max(quality, 1), 100))
    return base64.b64encode(data.getvalue()).decode()


def _picture(service: Service) -> Image:
    from PIL import Image  # noqa: PLC0415 - loaded with the first picture

    width, height, pixels = service.phone.raw_screenshot()
    return Image.frombytes("RGBA", (width, height), pixels).convert("RGB")


@method("isScreenOn")
def is_screen_on(service: Service) -> bool:
    """Tell whether the screen is on."""
    return service.phone.power.awake


@method("wakeUp")
def wake_up(service: Service) -> None:
    """Turn the screen on."""
    service.phone.power.wake()


@method("sleep")
def sleep(service: Service) -> None:
    """Turn the screen off."""
    service.phone.power.sleep()


@method("setOrientation", text)
def set_orientation(service: Service, name: str | None) -> None:
    """Turn the screen and keep it so; an unknown way changes nothing."""
    ways = {way: turns for way, turns in ROTATIONS.items() if way.startswith(name or "?")}
    for turns in ways.values():
        service.phone.settings.put("system", "accelerometer_rotation", "0")
        service.phone.settings.put("system", "user_rotation", str(turns))


@method("freezeRotation", flag)
def freeze_rotation(service: Service, frozen: bool) -> None:
    """Keep the screen as it is turned, or let it turn again."""
    service.phone.settings.put("system", "accelerometer_rotation", "0" if frozen else "1")


@method("openNotification")
def open_notification(service: Service) -> bool:
    """Pull the shade down."""
    if not service.phone.shade.open:
        service.phone.shade.pull()
    return True


@method("openQuickSettings")
def open_quick_settings(service: Service) -> bool:
    """Pull the shade down with all of quick settings."""
    service.phone.shade.pull(full=True)
    return True


@method("getLastToast")
def last_toast(service: Service) -> str | None:
    """Tell the last toast since they were cleared."""
    return service.toast


@method("clearLastToast")
def clear_toast(service: Service) -> None:
    """Forget the last toast."""
    service.toast = None


@method("getLastTraversedText")
def last_traversed_text(_: Service) -> str | None:
    """Tell what a reader of the screen has last gone over: there is none here."""
    return None


@method("clearLastTraversedText")
def clear_traversed_text(_: Service) -> None:
    """Forget it."""


@method("launchApp", text)
def launch_app(service: Service, package: str | None) -> bool:
    """Start an app as its icon does; false if it has none."""
    try:
        service.phone.activities.launch(package or "")
    except LookupError:
        return False
    return True


@method("waitForIdle", integer)
def wait_for_idle(_: Service, _milliseconds: int) -> None:
    """Wait until nothing happens any more: between two calls nothing does."""


@method("waitForWindowUpdate", text, integer)
async def wait_for_update(service: Service, package: str | None, milliseconds: int) -> bool:
    """Wait until the screen changes; false if it does not, or another app is in front."""
    window = service.phone.accessibility.active
    if package and window and window.package != package:
        return False
    before = service.phone.version
    return await service.until(lambda: service.phone.version != before, milliseconds)
