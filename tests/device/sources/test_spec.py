from __future__ import annotations

import pytest

from pytest_mobileagent.device.sources.spec import DeviceSpec, Place, parse_device


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("virtual", DeviceSpec("virtual")),
        ("avd:Pixel_6.api-34", DeviceSpec("avd", "Pixel_6.api-34")),
        ("serial:a, b", DeviceSpec("serial", places=(Place("a"), Place("b")))),
        ("serial:192.168.1.7:5555", DeviceSpec("serial", places=(Place("192.168.1.7:5555"),))),
        (
            "serial:farm:5037/emulator-5554,[::1]:5038/10.0.0.2:5555,x",
            DeviceSpec(
                "serial",
                places=(
                    Place("emulator-5554", "farm", 5037),
                    Place("10.0.0.2:5555", "::1", 5038),
                    Place("x"),
                ),
            ),
        ),
        ("appium:http://hub:4444/wd/hub/", DeviceSpec("appium", "http://hub:4444/wd/hub")),
    ],
)
def test_devices_are_named(text, spec):
    assert parse_device(text) == spec


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("phone", "has to be `virtual`"),
        ("virtual:2", "has to be `virtual`"),
        ("avd:", "`avd:NAME`"),
        ("avd:-read-only --x", "`avd:NAME`"),
        ("serial:", "SERIAL"),
        ("serial:,", "SERIAL"),
        ("serial:a,b,a", "names a device twice"),
        ("serial:farm/x", "no HOST:PORT/SERIAL"),
        ("serial:farm:99999/x", "no HOST:PORT/SERIAL"),
        ("serial:farm:5037/", "no HOST:PORT/SERIAL"),
        ("appium:localhost:4723", "`appium:URL`"),
        ("appium:http://[::1", "`appium:URL`"),
        ("appium:http://host:port", "`appium:URL`"),
    ],
)
def test_what_names_no_device_is_explained(text, why):
    with pytest.raises(ValueError, match=why):
        parse_device(text)
