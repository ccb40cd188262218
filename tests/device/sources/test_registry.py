"""Tests of the values of DEVICE, and of the errors for those that name no device."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.sources import Source, built_in, parse_device
from pytest_mobileagent.device.sources.attached import AttachedDevice, AttachedSource
from pytest_mobileagent.device.sources.avd import AvdSource
from pytest_mobileagent.device.sources.graph import GraphSource
from pytest_mobileagent.device.sources.hub import HubSource
from pytest_mobileagent.device.sources.virtual import VirtualSource


class Farm(Source):
    form = "farm:ROOM"
    help = "phones of a room"


def test_sources_are_found_by_their_modules():
    assert built_in().items() >= {
        ("virtual", VirtualSource),
        ("serial", AttachedSource),
        ("avd", AvdSource),
        ("appium", HubSource),
        ("graph", GraphSource),
    }


def test_every_source_is_documented():
    page = (Path(__file__).parents[3] / "docs" / "devices.md").read_text("utf-8")
    assert [prefix for prefix in built_in() if f"| `{prefix}" not in page] == []


@pytest.mark.parametrize(
    ("text", "source", "shown"),
    [
        ("virtual", VirtualSource, "virtual"),
        (" virtual ", VirtualSource, "virtual"),
        ("avd:Pixel_6.api-34", AvdSource, "avd:Pixel_6.api-34"),
        ("serial:a, b", AttachedSource, "serial:a, b"),
        ("appium:http://hub:4444/wd/hub/", HubSource, "appium:http://hub:4444/wd/hub"),
        ("appium:https://me:a%2Fb@hub/wd?k=S", HubSource, "appium:https://hub/wd?k=…"),
        ("graph:~/my graphs/notes", GraphSource, "graph:~/my graphs/notes"),
        ("emulator-5554", AttachedSource, "serial:emulator-5554"),
        ("192.168.1.7:5555", AttachedSource, "serial:192.168.1.7:5555"),
        ("farm:5037/emulator-5554", AttachedSource, "serial:farm:5037/emulator-5554"),
        ("[::1]:5037/x,y", AttachedSource, "serial:[::1]:5037/x,y"),
        ("farm:room 4", Farm, "farm:room 4"),
    ],
)
def test_device_values_are_parsed(text, source, shown):
    more = {"farm": Farm} if source is Farm else {}
    named = parse_device(text, more)
    assert type(named) is source
    assert named.shown == shown


def test_attached_devices_may_be_local_or_remote():
    text = "serial:farm:5037/emulator-5554,[::1]:5038/10.0.0.2:5555,x"
    source = parse_device(text)
    assert isinstance(source, AttachedSource)
    assert source.places == (
        AttachedDevice("emulator-5554", "farm", 5037),
        AttachedDevice("10.0.0.2:5555", "::1", 5038),
        AttachedDevice("x"),
    )
    assert source.count == 3


# What adb servers list: by USB, over the network, by mDNS, with two of one name, without a number.
SERIALS = [
    "R5CT10ABCDE", "emulator-5554", "192.168.1.5:5555", "localhost:5555", "[fe80::1%eth0]:5555",
    "adb-35121JEHN28132-jr888A._adb-tls-connect._tcp.", "adb-4c75-lL2   (2)._adb-tls-connect._tcp",
    "(no serial number)", "????????????", "ZUG 5S", "My device Phone", "0123456789ABCDEF#1+&=;'\"$",
    " GS101200400611", "usb/1-1.2", "a,b", r"back\slash", "farm:5037/x", "virtual", "serial:x",
]  # fmt: skip


@pytest.mark.parametrize("serial", SERIALS)
def test_every_serial_can_be_named_as_the_list_prints_it(serial):
    with pytest.raises(ValueError, match="it lists: ") as refused:
        AttachedSource("x")._check_state(Address("x"), {serial: "device"})
    written = str(refused.value).partition("it lists: ")[2].removesuffix(")")
    for server in ("", "farm:5037/", "[fe80::1%eth0]:5037/"):
        for text in (f"serial:{server}{written}", f"serial:y, {server}{written},z"):
            source = parse_device(text)
            assert isinstance(source, AttachedSource)
            assert [each.serial for each in source.places if each.serial not in "yz"] == [serial]
            assert {place.port for place in source.places} >= {5037 if server else None}
            source._check_state(Address(serial), {serial: "device"})
    if serial in SERIALS[:11]:  # most need no prefix
        source = parse_device(serial)
        assert isinstance(source, AttachedSource)
        assert source.places == (AttachedDevice(serial),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("virtual:2", "must be just `virtual`"),
        ("virtuel", "did you mean `virtual`.*`serial:virtuel`"),
        ("adv:pixel", "did you mean `avd:NAME`"),
        ("phones:all", "names no kind of device: choose from `virtual`"),
        ("avd:", "`avd:NAME`"),
        ("avd:-read-only --x", "`avd:NAME`"),
        ("serial:", "SERIAL"),
        ("serial:,", "SERIAL"),
        ("serial:a,b,a", "names a device twice"),
        ("serial:farm/x", "is not HOST:PORT/SERIAL"),
        ("serial:farm:99999/x", "is not HOST:PORT/SERIAL"),
        ("serial:farm:5037/", "is not HOST:PORT/SERIAL"),
        ("serial:a\0b", r"'a\\x00b' is not a serial"),
        ("appium:localhost:4723", "`appium:URL`"),
        ("appium:http://[::1", "`appium:URL`"),
        ("appium:http://host:port", "`appium:URL`"),
        ("appium:http://me:a/b@host", "write / as %2F"),
        ("appium:http://ho\0st/", "`appium:URL`"),
    ],
)
def test_an_invalid_device_is_explained(text, why):
    with pytest.raises(ValueError, match=why):
        parse_device(text)
