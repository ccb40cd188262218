"""Settings: sixteen tasks of the phone itself, and opening an app."""

from pytest_mobileagent import open_app, press, swipe, tap

from ._registry import solves

SETTINGS = "com.android.settings"
APPS = {
    "camera": "com.android.camera2",
    "clock": "com.google.android.deskclock",
    "contacts": "com.google.android.contacts",
    "dialer": "com.google.android.dialer",
    "settings": SETTINGS,
}
WIFI = [open_app(SETTINGS), tap(text="Network & internet"), tap(text="Internet"), tap(text="Wi-Fi")]
BLUETOOTH = [
    open_app(SETTINGS),
    tap(text="Connected devices"),
    tap(text="Connection preferences"),
    tap(text="Bluetooth"),
    tap(text="Use Bluetooth"),
]


@solves("SystemWifiTurnOff", "SystemWifiTurnOn")
def switch_wifi(params):
    return WIFI


@solves("SystemBluetoothTurnOff", "SystemBluetoothTurnOn")
def switch_bluetooth(params):
    return BLUETOOTH


@solves("SystemWifiTurnOffVerify", "SystemWifiTurnOnVerify")
def look_at_wifi(params):
    return WIFI[:3]


@solves("SystemBluetoothTurnOffVerify", "SystemBluetoothTurnOnVerify")
def look_at_bluetooth(params):
    return BLUETOOTH[:4]


@solves("SystemBrightnessMax", "SystemBrightnessMin")
def set_brightness(params):
    ends = (
        [(0.5, 0.31), (0.99, 0.31)] if params["max_or_min"] == "max" else [(0.5, 0.31), (0.0, 0.31)]
    )
    return [open_app(SETTINGS), tap(text="Display"), swipe(*ends)]


@solves("SystemBrightnessMaxVerify", "SystemBrightnessMinVerify")
def look_at_brightness(params):
    return [open_app(SETTINGS), tap(text="Display")]


@solves("TurnOffWifiAndTurnOnBluetooth")
def switch_both(params):
    return [*WIFI, press("back"), press("back"), *BLUETOOTH]


@solves("TurnOnWifiAndOpenApp")
def switch_wifi_and_open(params):
    return [*WIFI, open_app(APPS[params["app_name"]])]


@solves("OpenAppTaskEval")
def open_it(params):
    return [open_app(APPS[params["app_name"]])]
