"""Routes about the phone: keys, clipboard, settings, and what it tells about itself."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError
from pytest_mobileagent.virtual.automation.appium.routing import Call, route
from pytest_mobileagent.virtual.system.window.window import BAR

PLAIN = "PLAINTEXT"
WIFI_ONLY = 2  # of WebDriver's network connection types


@route("POST", "back")
def back(call: Call) -> None:
    """Press the back key."""
    call.phone.key("BACK")


@route("POST", "appium/device/press_keycode")
@route("POST", "appium/device/long_press_keycode")
def press_keycode(call: Call) -> None:
    """Press a key."""
    code, meta = call.number("keycode"), call.number("metastate", 0)
    call.phone.key(int(code), int(meta))


@route("POST", "appium/device/open_notifications")
def open_notifications(call: Call) -> None:
    """Pull the notification shade down."""
    call.phone.shade.pull()


@route("POST", "appium/device/get_clipboard")
def get_clipboard(call: Call) -> str:
    """Give the clipboard's text in base64."""
    _check_type(call)
    return base64.b64encode(call.phone.clipboard.text.encode()).decode()


@route("POST", "appium/device/set_clipboard")
def set_clipboard(call: Call) -> None:
    """Copy a text that is given in base64."""
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


@route("POST", "network_connection")
def network_connection(call: Call) -> int:
    """Turn Wi-Fi on; the other kinds are left to adb."""
    kind = int(call.number("type"))
    if kind != WIFI_ONLY:
        raise WebDriverError(f"Setting Network Connection to '{kind}' is not implemented")
    call.phone.settings.put("global", "wifi_on", "1")
    return kind


@route("GET", "appium/settings")
def get_settings(call: Call) -> dict[str, Any]:
    """Give the session's settings."""
    return call.session.settings.all()


@route("POST", "appium/settings")
def update_settings(call: Call) -> dict[str, Any]:
    """Change some of the session's settings."""
    values = call.body.get("settings")
    if not isinstance(values, dict):
        raise InvalidArgument("'settings' must be an object")
    call.session.settings.update(values)
    return call.session.settings.all()


@route("GET", "appium/device/battery_info")
def battery_info(call: Call) -> dict[str, float]:
    """Tell charge, from 0 to 1, and state of the battery."""
    battery = call.phone.power.battery
    return {"level": battery.level / 100, "status": battery.status}


@route("GET", "appium/device/display_density")
def display_density(call: Call) -> int:
    """Give the dots per inch."""
    return call.phone.display.density


@route("GET", "appium/device/pixel_ratio")
def pixel_ratio(call: Call) -> float:
    """Give the pixels of a dp."""
    return call.phone.display.metrics.density


@route("GET", "appium/device/system_bars")
def system_bars(call: Call) -> dict[str, int]:
    """Give the height of the status bar."""
    return {"statusBar": call.phone.display.metrics.px(BAR)}


@route("GET", "appium/device/apps")
def apps(call: Call) -> list[str]:
    """List the installed packages."""
    return call.phone.packages.names()


@route("GET", "appium/device/info")
def device_info(call: Call) -> dict[str, Any]:
    """Tell what this phone is."""
    phone = call.phone
    metrics, props, settings = phone.display.metrics, phone.props, phone.settings
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
        "networks": _networks(call),
        "platformVersion": props.get("ro.build.version.release"),
        "realDisplaySize": f"{metrics.width_px}x{metrics.height_px}",
        "timeZone": phone.clock.timezone,
    }


def _networks(call: Call) -> list[dict[str, Any]]:
    if not call.phone.settings.on("global", "wifi_on"):
        return []
    state = {"connected": True, "available": True, "isFailover": False, "isRoaming": False}
    return [{"type": 1, "typeName": "WIFI", "subtype": 0, "subtypeName": "", **state}]
