"""Routes about the screen as a whole: source, picture, rotation, dialogs, windows."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.automation.appium.errors import (
    InvalidArgument,
    NoSuchAlert,
    WebDriverError,
)
from pytest_mobileagent.virtual.automation.appium.find import NoRoot
from pytest_mobileagent.virtual.automation.appium.pictures import crop, whole
from pytest_mobileagent.virtual.automation.appium.routing import Call, route
from pytest_mobileagent.virtual.system.window.display import DISPLAY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.accessibility.nodes import AccessibilityWindow
    from pytest_mobileagent.virtual.ui.node import Node

BUTTONS = ("android:id/button1", "android:id/button2", "android:id/button3")
ALLOW = ("permission_allow_button", "permission_allow_foreground_only_button")
DENY = ("permission_deny_button", "permission_deny_and_dont_ask_again_button")
TURNS = {0: "PORTRAIT", 1: "LANDSCAPE", 2: "PORTRAIT", 3: "LANDSCAPE"}


@route("GET", "source")
def source(call: Call) -> str:
    """Give the page source."""
    try:
        return str(call.session.finder.source())
    except NoRoot:
        words = "waiting for the root AccessibilityNodeInfo in the active window"
        timeout = call.session.settings["waitForSelectorTimeout"]
        raise WebDriverError(f"Timed out after {timeout}ms {words}.") from None


@route("GET", "screenshot")
def screenshot(call: Call) -> str:
    """Give a picture of the screen."""
    return whole(call.phone)


@route("GET", "window/:handle/size")
def window_size(call: Call) -> dict[str, int]:
    """Give the size of the screen."""
    metrics = call.phone.display.metrics
    return {"width": metrics.width_px, "height": metrics.height_px}


# Rotation.


@route("GET", "orientation")
def orientation(call: Call) -> str:
    """Tell which way the screen is turned."""
    metrics = call.phone.display.metrics
    return "LANDSCAPE" if metrics.width_px > metrics.height_px else "PORTRAIT"


@route("POST", "orientation")
def set_orientation(call: Call) -> str:
    """Turn the screen."""
    wanted = call.text("orientation").upper()
    if wanted not in TURNS.values():
        raise InvalidArgument(f"'{wanted}' is no orientation: PORTRAIT or LANDSCAPE")
    if orientation(call) != wanted:
        turns = call.phone.display.rotation
        _turn(call.phone, 1 if turns == 0 else 0)
    return wanted


@route("GET", "rotation")
def rotation(call: Call) -> dict[str, int]:
    """Tell by how many degrees the screen is turned."""
    return {"x": 0, "y": 0, "z": call.phone.display.rotation * 90}


@route("POST", "rotation")
def set_rotation(call: Call) -> dict[str, int]:
    """Turn the screen by degrees."""
    x, y, z = (call.number(axis, 0) for axis in "xyz")
    if x or y or z not in (0, 90, 180, 270):
        words = "x and y must be 0, and z one of 0, 90, 180, 270"
        raise InvalidArgument(f"Unable to rotate: {words}")
    _turn(call.phone, int(z) // 90)
    return {"x": 0, "y": 0, "z": int(z)}


@route("GET", "appium/device/declared_orientation")
def declared_orientation(_: Call) -> str:
    """Tell which way the activity in front wants the screen: as the user turns it."""
    return "UNSPECIFIED"


def _turn(phone: Phone, turns: int) -> None:
    phone.settings.put("system", "accelerometer_rotation", "0")
    phone.settings.put("system", "user_rotation", str(turns))
    phone.changed()


# Dialogs.


@route("GET", "alert/text")
def alert_text(call: Call) -> str:
    """Give the texts of the dialog that is open, but for its buttons."""
    root = _alert(call.phone)
    buttons = _buttons(root)
    texts = [node.text for node in _seen(root) if node.text and node not in buttons]
    return "\n".join(texts)


@route("POST", "alert/accept")
def accept_alert(call: Call) -> None:
    """Tap the button that agrees, or the one with a label."""
    _answer(call, (BUTTONS[0], *ALLOW))


@route("POST", "alert/dismiss")
def dismiss_alert(call: Call) -> None:
    """Tap the button that refuses, or the one with a label."""
    _answer(call, (BUTTONS[1], *DENY))


def _answer(call: Call, ids: tuple[str, ...]) -> None:
    buttons = _buttons(_alert(call.phone))
    label = call.body.get("buttonLabel")
    if isinstance(label, str):
        wanted = [node for node in buttons if node.text.lower() == label.lower()]
    else:
        wanted = [node for node in buttons if node.resource_id.endswith(ids)]
        if len(buttons) == 1:
            wanted = buttons
    if not wanted:
        words = f"with label '{label}'" if label else "for this action"
        raise NoSuchAlert(f"The dialog that is open has no button {words}")
    call.phone.tap(*wanted[0].center)


def _alert(phone: Phone) -> Node:
    window = phone.accessibility.active
    if window and window.window.kind != "activity" and _buttons(window.root):
        return window.root
    if window and any(node.resource_id.endswith((*ALLOW, *DENY)) for node in window.root.walk()):
        return window.root
    raise NoSuchAlert


def _buttons(root: Node) -> list[Node]:
    ids = (*BUTTONS, *ALLOW, *DENY)
    return [node for node in _seen(root) if node.resource_id.endswith(ids)]


def _seen(node: Node) -> Iterator[Node]:
    yield node
    for child in node.seen():
        yield from _seen(child)


# Windows.


@route("POST", "appium/list_windows")
def list_windows(call: Call) -> list[dict[str, Any]]:
    """List the windows of all displays: of the one."""
    filters = call.body.get("filters") or {}
    if not isinstance(filters, dict):
        raise InvalidArgument("'filters' must be an object")
    skip = call.body.get("skipScreenshots") is True
    found = [_window(window) for window in call.phone.accessibility.windows]
    chosen = [each for each in found if _passes(each, filters)]
    for each in chosen:
        x, y, width, height = each["rect"].values()
        each["screenshot"] = None if skip else crop(call.phone, (x, y, x + width, y + height))
    return chosen


def _window(window: AccessibilityWindow) -> dict[str, Any]:
    left, top, right, bottom = window.bounds
    return {
        "windowId": window.id,
        "displayId": 0,
        "physicalDisplayId": DISPLAY,
        "rect": {"x": left, "y": top, "width": right - left, "height": bottom - top},
        "packageName": window.package,
        "screenshot": None,
    }


def _passes(window: dict[str, Any], filters: dict[str, Any]) -> bool:
    return all(
        fnmatchcase(str(window[name]), str(wanted))
        for name, wanted in filters.items()
        if wanted is not None and name in window
    )


@route("POST", "appium/list_displays")
def list_displays(call: Call) -> list[dict[str, Any]]:
    """List the displays."""
    metrics = call.phone.display.metrics
    measures = {
        "widthPixels": metrics.width_px,
        "heightPixels": metrics.height_px,
        "density": metrics.density,
        "densityDpi": call.phone.display.density,
        "scaledDensity": metrics.density * metrics.font_scale,
        "xdpi": float(call.phone.display.density),
        "ydpi": float(call.phone.display.density),
    }
    return [{"id": 0, "hardwareId": DISPLAY, "metrics": measures, "isDefault": True}]


@route("POST", "appium/reset_ax_cache")
def reset_ax_cache(_: Call) -> None:
    """Nothing to do: nodes are always looked at anew."""
