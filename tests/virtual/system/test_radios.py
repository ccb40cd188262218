"""The radios: switching them, and the consequences."""

import pytest


def lines(phone, tag):
    return [entry.message for entry in phone.log.entries if entry.tag == tag]


def test_airplane_mode_takes_the_radios_along_and_brings_them_back(phone, sh):
    sh("cmd connectivity airplane-mode enable")
    assert (phone.radios.wifi, phone.radios.bluetooth, phone.radios.online) == (False, False, False)
    assert sh("settings get global airplane_mode_on; settings get global wifi_on") == "1\n3\n"
    sh("svc wifi enable")
    assert sh("settings get global wifi_on") == "2\n"
    sh("cmd connectivity airplane-mode disable")
    assert (phone.radios.wifi, phone.radios.bluetooth) == (True, True)
    assert sh("settings get global wifi_on") == "1\n"
    assert lines(phone, "PhoneGlobals") == [
        "Turning radio off - airplane",
        "Turning radio on - airplane",
    ]


def test_the_radios_follow_the_settings_after_a_broadcast(phone, shell, sh):
    sh("settings put global airplane_mode_on 1; settings put global wifi_on 0")
    assert phone.radios.online
    assert sh("cmd connectivity airplane-mode") == "enabled\n"
    assert sh("cmd wifi status | head -1") == "Wifi is enabled\n"
    shell("am broadcast -a android.intent.action.AIRPLANE_MODE --ez state true", uid=0)
    assert not phone.radios.online


SWITCHES = [
    ("svc wifi disable", "wifi", "settings get global wifi_on", "0"),
    ("svc bluetooth disable", "bluetooth", "settings get global bluetooth_on", "0"),
    ("svc data disable", "data", "settings get global mobile_data", "0"),
]


@pytest.mark.parametrize(("script", "name", "look", "value"), SWITCHES)
def test_switches(sh, phone, script, name, look, value):  # noqa: PLR0917 - a row of the table
    sh(script)
    assert not getattr(phone.radios, name)
    assert sh(look) == f"{value}\n"
    phone.snapshots.load("default_boot")
    assert getattr(phone.radios, name)


def test_the_log_says_who_switched_wifi(phone, sh, hand):
    sh("svc wifi disable")
    assert lines(phone, "WifiService")[-1] == (
        "setWifiEnabled package=com.android.shell uid=2000 enable=false"
    )
    phone.key("NOTIFICATION")
    hand.tap("content-desc", "Wi-Fi, Off")
    assert "package=com.android.systemui" in lines(phone, "WifiService")[-1]
    assert phone.radios.wifi


TILES = [
    ("Do Not Disturb", "settings get global zen_mode", "1"),
    ("Auto-rotate", "settings get system accelerometer_rotation", "1"),
    ("Battery Saver", "settings get global low_power", "1"),
    ("Dark theme", "settings get secure ui_night_mode", "2"),
]


@pytest.mark.parametrize(("label", "look", "value"), TILES)
def test_tiles(sh, hand, label, look, value):
    sh("cmd statusbar expand-settings")
    tile = hand.node("content-desc", f"{label}, Off")
    assert 'class="android.widget.Switch"' in tile
    assert 'checkable="true" checked="false"' in tile
    hand.tap("content-desc", f"{label}, Off")
    assert 'checked="true"' in hand.node("content-desc", f"{label}, On")
    assert sh(look) == f"{value}\n"


def test_a_tile_shows_a_setting_that_was_written_meanwhile(sh, hand):
    sh("cmd connectivity airplane-mode enable; cmd statusbar expand-settings")
    assert hand.nodes("content-desc", "Airplane mode, On")
    sh("settings put global airplane_mode_on 0")
    hand.tap("content-desc", "Airplane mode, Off")
    assert sh("settings get global airplane_mode_on") == "1\n"


def test_the_flashlight_and_the_brightness(phone, hand):
    phone.shade.pull(full=True)
    hand.tap("content-desc", "Flashlight, Off")
    assert phone.radios.torch
    _, top, right, bottom = hand.bounds("content-desc", "Display brightness")
    phone.tap(right - 5, (top + bottom) // 2)
    assert phone.settings.text("system", "screen_brightness") == "255"
