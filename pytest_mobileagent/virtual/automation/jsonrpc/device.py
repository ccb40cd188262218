"""Methods for the device as a whole: touches, keys, clipboard, screen; and the app's keyboard."""

from __future__ import annotations

import base64
import binascii
import io
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.actions import Sample, Touch, play, set_text
from pytest_mobileagent.virtual.automation.jsonrpc.service import (
    Methods,
    flag,
    integer,
    integers,
    number,
    text,
    thrown,
)
from pytest_mobileagent.virtual.content.intent import Reply
from pytest_mobileagent.virtual.sdk.app import App
from pytest_mobileagent.virtual.ui.node import HEADER, attributes, quoted, tags_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


DEPTH = 50  # default depth of a dump


def dump(service: Service, compressed: bool, depth: int = DEPTH, active_only: bool = False) -> str:
    """Return the hierarchy of all windows, or of the focused one, down to a depth."""
    phone, screen = service.phone, service.phone.accessibility
    windows = [each for each in screen.windows if each.active or not active_only]
    if not windows:
        return f'{HEADER}\n<hierarchy rotation="{phone.display.rotation}" />'
    lines = [f'{HEADER}\n<hierarchy rotation="{phone.display.rotation}">']
    how: dict[str, Any] = {"compressed": compressed, "depth": depth, "attributes": _attributes}
    for index, window in enumerate(windows):
        lines += [f"{'  ' * level}{tag}" for level, tag in tags_of(window.root, index, **how)]
    return "\n".join([*lines, "</hierarchy>", ""])


def _attributes(node: Node, index: int) -> Iterator[tuple[str, str]]:
    *flags, bounds = attributes(node, index)
    yield from flags
    yield "visible-to-user", '"true"' if node.visible else '"false"'
    yield bounds
    yield "drawing-order", f'"{node.drawing_order}"'
    yield "hint", quoted(node.hint)
    yield "display-id", '"0"'


STEP = 5  # duration of a swipe's step in ms
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


# Touches


def _click(service: Service, x: int, y: int, milliseconds: int = 0) -> bool:
    """Hold a finger on a point; return False if it is outside the screen."""
    metrics = service.phone.display.metrics
    if not (0 <= x < metrics.width_px and 0 <= y < metrics.height_px):
        return False
    service.phone.swipe(x, y, x, y, milliseconds)
    return True


def swipe(service: Service, *numbers: int) -> bool:
    """Move a finger from one point to another in `steps` steps."""
    *points, steps = numbers
    return swipe_points(service, points, steps)


def swipe_points(service: Service, numbers: list[int], steps: int) -> bool:
    """Move a finger along a line of points, with `steps` steps between two points."""
    points = list(zip(numbers[::2], numbers[1::2], strict=False))
    if len(points) < 2:
        raise thrown("java.lang.IllegalArgumentException", "at least 2 points are needed")
    way = [Sample(at * steps * STEP, x, y) for at, (x, y) in enumerate(points)]
    play(service.phone, [Touch(way, way[-1].time)])
    return True


def drag(service: Service, *numbers: int) -> bool:
    """Hold a finger, then move it in `steps` steps."""
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


# Keys and text


def _press(service: Service, name: str) -> bool:
    """Press a key by name; return False if the name is unknown."""
    key = KEYS.get(name.lower())
    return key is not None and _press_code(service, key)


def _press_code(service: Service, code: int | str, meta: int = 0) -> bool:
    """Press a key by its code, with modifiers held."""
    service.phone.key(code, meta)
    return True


def _copy(service: Service, _label: str, content: str) -> None:
    service.phone.clipboard.text = content


def _clear_input(service: Service) -> None:
    if node := service.phone.accessibility.focused():
        set_text(service.phone, node, "")


# The screen


def _screenshot(service: Service, scale: float, quality: int) -> str:
    """Return the screen as JPEG in base64, scaled down by a factor."""
    picture = service.phone.sight.picture()
    if 0 < scale < 1:
        width, height = (max(1, round(side * scale)) for side in picture.size)
        picture = picture.resize((width, height))
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=min(max(quality, 1), 100))
    return base64.b64encode(data.getvalue()).decode()


def _rotate(service: Service, name: str) -> None:
    """Rotate the screen and lock it; an unknown name has no effect."""
    for way, turns in ROTATIONS.items():
        if way.startswith(name or "?"):
            service.phone.display.lock_rotation(turns)


def _freeze(service: Service, frozen: bool) -> None:
    service.phone.settings.put("system", "accelerometer_rotation", "0" if frozen else "1")


def _pull(service: Service, *, full: bool = False) -> bool:
    """Open the shade, optionally with quick settings fully expanded."""
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
    # A screen reader's last traversed text: there is no screen reader.
    "getLastTraversedText": [((), lambda _: None)],
    "clearLastTraversedText": [((), lambda _: None)],
}


PACKAGE: Final = "com.github.uiautomator"
KEYBOARD: Final = f"{PACKAGE}/.AdbKeyboard"
DONE: Final = -1  # Activity.RESULT_OK
ACTION: Final = "ADB_KEYBOARD_"


class AdbKeyboard(App):
    """The app's behaviour; everything else comes from its APK."""

    package = PACKAGE

    def on_broadcast(self, intent: Intent) -> Reply | None:
        """Type or clear text, if this keyboard is the current input method."""
        name = intent.action.removeprefix(ACTION)
        act = _ACTS.get(name) if name != intent.action else None
        if act is None or self.phone.ime.current != KEYBOARD:
            return None
        try:
            told = act(self.phone, {key: str(value) for key, value in intent.extras.items()})
            return Reply(DONE, told if isinstance(told, str) and told else "success")
        except (ValueError, binascii.Error) as error:
            return Reply(0, str(error))


def _type(phone: Phone, extras: dict[str, str]) -> None:
    phone.ime.commit(base64.b64decode(extras.get("text", "")).decode("utf-8", "replace"))


def _hide(phone: Phone, _: dict[str, str]) -> None:
    phone.ime.hide()
    phone.changed()


_ACTS: Final[dict[str, Callable[[Phone, dict[str, str]], object]]] = {
    "CLEAR_TEXT": lambda phone, _: phone.ime.clear(),
    "EDITOR_CODE": lambda phone, _: phone.ime.enter(),
    "GET_CLIPBOARD": lambda phone, _: base64.b64encode(phone.clipboard.text.encode()).decode(),
    "HIDE": _hide,
    "INPUT_TEXT": _type,
    "SMART_ENTER": lambda phone, _: phone.ime.enter(),
}
