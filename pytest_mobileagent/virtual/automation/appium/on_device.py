"""Routes for the phone and its screen: keys, settings, source, screenshot, dialogs, windows."""

from __future__ import annotations

import base64
import binascii
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError
from pytest_mobileagent.virtual.automation.appium.find import NoRoot
from pytest_mobileagent.virtual.system.configuration import DISPLAY
from pytest_mobileagent.virtual.system.interfaces import BAR
from pytest_mobileagent.virtual.ui.screenshot import png

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.session import Call, Route
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.metrics import Rect
    from pytest_mobileagent.virtual.ui.node import Node


BUTTONS = ("android:id/button1", "android:id/button2", "android:id/button3")
ALLOW = ("permission_allow_button", "permission_allow_foreground_only_button")
DENY = ("permission_deny_button", "permission_deny_and_dont_ask_again_button")


def crop(phone: Phone, bounds: Rect) -> str:
    """Return a part of the screen as PNG in base64."""
    return base64.b64encode(png(phone.sight.picture().crop(bounds))).decode()


def rect(bounds: Rect) -> dict[str, int]:
    """Convert a rectangle to WebDriver's format."""
    left, top, right, bottom = bounds
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def _source(call: Call) -> str:
    try:
        return str(call.session.finder.source())
    except NoRoot:
        words = "waiting for the root AccessibilityNodeInfo in the active window"
        timeout = call.session.settings["waitForSelectorTimeout"]
        raise WebDriverError("unknown error", f"Timed out after {timeout}ms {words}.") from None


def _size(call: Call) -> dict[str, int]:
    metrics = call.phone.display.metrics
    return {"width": metrics.width_px, "height": metrics.height_px}


def _orientation(call: Call) -> str:
    metrics = call.phone.display.metrics
    return "LANDSCAPE" if metrics.width_px > metrics.height_px else "PORTRAIT"


def _turn(call: Call) -> str:
    wanted = call.text("orientation").upper()
    if wanted not in ("PORTRAIT", "LANDSCAPE"):
        raise InvalidArgument(f"'{wanted}' is no orientation: PORTRAIT or LANDSCAPE")
    if _orientation(call) != wanted:
        call.phone.display.lock_rotation(1 if call.phone.display.rotation == 0 else 0)
    return wanted


# Dialogs


def _alert_text(call: Call) -> str:
    """Return the texts of the open dialog, without those of its buttons."""
    root = _alert(call.phone)
    buttons = _buttons(root)
    texts = [node.text for node in root.walk_seen() if node.text and node not in buttons]
    return "\n".join(texts)


def _answer(call: Call, ids: tuple[str, ...]) -> None:
    """Tap the button that accepts or dismisses the dialog, by id, or the one with a given label."""
    buttons = _buttons(_alert(call.phone))
    label = call.body.get("buttonLabel")
    if isinstance(label, str):
        wanted = [node for node in buttons if node.text.lower() == label.lower()]
    elif len(buttons) == 1:
        wanted = buttons
    else:
        wanted = [node for node in buttons if node.resource_id.endswith(ids)]
    if not wanted:
        words = f"with label '{label}'" if label else "for this action"
        raise WebDriverError("no such alert", f"The dialog that is open has no button {words}")
    call.phone.tap(*wanted[0].center)


def _alert(phone: Phone) -> Node:
    window = phone.accessibility.active
    if window and window.window.kind != "activity" and _buttons(window.root):
        return window.root
    if window and any(node.resource_id.endswith((*ALLOW, *DENY)) for node in window.root.walk()):
        return window.root
    raise WebDriverError("no such alert")


def _buttons(root: Node) -> list[Node]:
    ids = (*BUTTONS, *ALLOW, *DENY)
    return [node for node in root.walk_seen() if node.resource_id.endswith(ids)]


# Windows


def _list_windows(call: Call) -> list[dict[str, Any]]:
    """Return the windows of all displays; the phone has a single display."""
    filters = call.members("filters") if call.body.get("filters") else {}
    found: list[dict[str, Any]] = []
    for window in call.phone.accessibility.windows:
        told = {
            "windowId": window.id,
            "displayId": 0,
            "physicalDisplayId": DISPLAY,
            "rect": rect(window.bounds),
            "packageName": window.package,
            "screenshot": None,
        }
        if _passes(told, filters):
            if call.body.get("skipScreenshots") is not True:
                told["screenshot"] = crop(call.phone, window.bounds)
            found.append(told)
    return found


def _passes(window: dict[str, Any], filters: dict[str, Any]) -> bool:
    return all(
        fnmatchcase(str(window[name]), str(wanted))
        for name, wanted in filters.items()
        if wanted is not None and name in window
    )


def _list_displays(call: Call) -> list[dict[str, Any]]:
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


PLAIN = "PLAINTEXT"


def _press(call: Call) -> None:
    call.phone.key(call.whole("keycode"), call.whole("metastate", 0))


def _paste(call: Call) -> str:
    """Return the clipboard's text in base64."""
    _check_type(call)
    return base64.b64encode(call.phone.clipboard.text.encode()).decode()


def _copy(call: Call) -> None:
    """Copy text that is given in base64."""
    _check_type(call)
    try:
        text = base64.b64decode(call.text("content"), validate=False).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InvalidArgument(f"'content' is not a text in base64: {error}") from error
    call.phone.clipboard.text = text


def _check_type(call: Call) -> None:
    kind = str(call.body.get("contentType") or PLAIN).upper()
    if kind != PLAIN:
        raise InvalidArgument(f"Only {PLAIN} content type is supported, not '{kind}'")


def _update_settings(call: Call) -> dict[str, Any]:
    call.session.update(call.members("settings"))
    return call.session.settings


def _battery(call: Call) -> dict[str, float]:
    """Return the battery's charge, from 0 to 1, and its state."""
    battery = call.phone.power.battery
    return {"level": battery.level / 100, "status": battery.status}


def _info(call: Call) -> dict[str, Any]:
    phone = call.phone
    metrics, props, settings = phone.display.metrics, phone.props, phone.settings
    state = {"connected": True, "available": True, "isFailover": False, "isRoaming": False}
    wifi = {"type": 1, "typeName": "WIFI", "subtype": 0, "subtypeName": "", **state}
    return {
        "androidId": settings.text("secure", "android_id"),
        "apiVersion": props.get("ro.build.version.sdk"),
        "bluetooth": {"state": "ON" if settings.on("global", "bluetooth_on") else "OFF"},
        "brand": props.get("ro.product.brand"),
        "carrierName": props.get("gsm.operator.alpha"),
        "displayDensity": phone.display.density,
        "locale": props.get("persist.sys.locale", "").replace("-", "_"),
        "manufacturer": props.get("ro.product.manufacturer"),
        "model": props.get("ro.product.model"),
        "networks": [wifi] if settings.on("global", "wifi_on") else [],
        "platformVersion": props.get("ro.build.version.release"),
        "realDisplaySize": f"{metrics.width_px}x{metrics.height_px}",
        "timeZone": phone.clock.timezone,
    }


ROUTES: Final[tuple[Route, ...]] = (
    ("POST", "back", lambda call: call.phone.key("BACK")),
    ("POST", "appium/device/press_keycode", _press),
    ("POST", "appium/device/long_press_keycode", _press),
    ("POST", "appium/device/open_notifications", lambda call: call.phone.shade.pull()),
    ("POST", "appium/device/get_clipboard", _paste),
    ("POST", "appium/device/set_clipboard", _copy),
    ("GET", "appium/settings", lambda call: call.session.settings),
    ("POST", "appium/settings", _update_settings),
    ("GET", "appium/device/battery_info", _battery),
    ("GET", "appium/device/display_density", lambda call: call.phone.display.density),
    ("GET", "appium/device/pixel_ratio", lambda call: call.phone.display.metrics.density),
    (
        *("GET", "appium/device/system_bars"),
        lambda call: {"statusBar": call.phone.display.metrics.px(BAR)},
    ),
    ("GET", "appium/device/info", _info),
    ("GET", "source", _source),
    ("GET", "screenshot", lambda call: base64.b64encode(call.phone.screenshot()).decode()),
    ("GET", "window/:handle/size", _size),
    ("GET", "orientation", _orientation),
    ("POST", "orientation", _turn),
    # The orientation that the activity in front requests: as the user turns the screen.
    ("GET", "appium/device/declared_orientation", lambda _: "UNSPECIFIED"),
    ("GET", "alert/text", _alert_text),
    ("POST", "alert/accept", lambda call: _answer(call, (BUTTONS[0], *ALLOW))),
    ("POST", "alert/dismiss", lambda call: _answer(call, (BUTTONS[1], *DENY))),
    ("POST", "appium/list_windows", _list_windows),
    ("POST", "appium/list_displays", _list_displays),
    # Nothing to do: nodes are never cached.
    ("POST", "appium/reset_ax_cache", lambda _: None),
)
