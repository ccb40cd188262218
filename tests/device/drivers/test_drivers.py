"""Tests of all drivers on a phone: observing, acting, and restoring the initial state."""

from __future__ import annotations

import pytest
import urllib3

from pytest_mobileagent import setting, sqlite
from pytest_mobileagent.action import Open, Type
from pytest_mobileagent.action.gestures import DoubleTap, Tap
from tests.device.conftest import COUNTER, center, open_counter

DATABASE = "/data/data/com.example.counter/databases/counter.db"

TEXTS = [
    "plain",
    "two words",
    "100%sure %s %",
    'it\'s "quoted" `twice` $HOME $(id) \\ ; | & < > * ? ! # ~',
    "-n --longpress",
    "",
    "Grüße, 世界 🙂",
]


def test_observation_is_consistent_with_device_properties(device, phone):
    info = device.info
    assert (info.size, info.density, info.sdk) == ((1080, 2400), 420, 34)
    assert info.serial == phone.serial
    screen = open_counter(device)
    assert (screen.package, screen.activity) == (COUNTER, f"{COUNTER}.MainActivity")
    assert screen.size == device.info.size == screen.image.size
    assert screen.time is not None
    assert screen.get(resource_id="count").text == "Count: 0"


def test_taps_reach_their_target(device):
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    device.perform(DoubleTap(*center(screen, resource_id="add")))
    assert device.observe().screen.find(text="Count: 3")


def test_text_is_typed_unchanged(device):
    at = center(open_counter(device), resource_id="note")
    for text in TEXTS:
        device.perform(Type(text, at=at, clear=True))
        assert device.observe().screen.get(resource_id="note").text == (text or "Note")


def test_opening_a_missing_app_changes_nothing(device):
    before = device.observe().screen
    device.perform(Open("com.example.absent; reboot"))
    assert device.observe().screen.xml == before.xml


def test_probes_read_settings_and_databases(device):
    probes = {
        "count": sqlite(DATABASE, "select n from counter"),
        "nothing": sqlite("/data/data/com.example.counter/databases/absent.db", "select 1"),
        "plane": setting("global", "airplane_mode_on"),
        "unset": setting("global", "it's unset; id"),
    }
    screen = open_counter(device)
    device.perform(Tap(*center(screen, resource_id="add")))
    device.system.shell("settings put global airplane_mode_on 1")
    assert device.observe(probes).probes == {
        "count": [{"n": 1}],
        "nothing": [],
        "plane": "1",
        "unset": None,
    }


def test_events_are_reported_if_adb_reaches_the_device(device, request):
    screen = open_counter(device)
    device.events()
    device.perform(Tap(*center(screen, resource_id="add")))
    device.observe()
    clicked = [event.resource_id for event in device.events() if event.type == "clicked"]
    assert clicked == ([f"{COUNTER}:id/add"] if device.info.listener else [])
    assert device.info.listener == ("hub" not in request.node.name)


@pytest.mark.slow
@pytest.mark.parametrize("connected", ["appium", "hub"], indirect=True)
def test_work_goes_on_after_the_automation_server_has_crashed(device):
    device.session.renew("a session")  # the snapshot has no server, so that it could not be stopped
    screen = open_counter(device)
    device.system.shell("am force-stop io.appium.uiautomator2.server")
    source = f"{device.session.url}/session/{device.session.driver.session_id}/source"
    while b"instrumentation process" not in urllib3.request("GET", source).data:
        pass
    device.perform(Tap(*center(screen, resource_id="add")))
    assert device.observe().screen.find(text="Count: 1")
