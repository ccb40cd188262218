"""Routes for the phone: keys, clipboard, settings and device information."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument
from pytest_mobileagent.virtual.system.records import BAR

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.routing import Call, Route

PLAIN = "PLAINTEXT"


def _press(call: Call) -> None:
    call.phone.key(int(call.number("keycode")), int(call.number("metastate", 0)))


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
    """Return information about the device."""
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
)
