"""Tests of the adb driver's event listener, across dropped connections and loaded snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Key, Tap
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.drivers.adb.streams import COMPONENT, PACKAGE, EventStream
from pytest_mobileagent.errors import DeviceError
from tests.device.conftest import COUNTER, open_counter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address

BUTTON = "android.widget.Button"
SETTING = "secure enabled_accessibility_services"


@pytest.fixture(scope="module")
def connected(phone: Address) -> Iterator[AdbDevice]:
    device = AdbDevice(phone)
    yield device
    device.close()


def tap(device, **criteria):
    device.perform(Tap(*device.observe().screen.get(**criteria).bounds.center))
    device.observe()


def clicks(events):
    return [event.text for event in events if event.type == "clicked"]


def test_listener_is_enabled_and_reports_events_without_extra_round_trips(device):
    assert device.info.listener
    assert device.system._listener.problem == ""
    open_counter(device)
    opened = [event for event in device.events() if event.type == "window_state_changed"]
    assert [(event.package, event.text) for event in opened] == [(COUNTER, ("Counter",))]
    tap(device, resource_id="add")
    events = device.events()
    clicked = next(event for event in events if event.type == "clicked")
    assert (clicked.resource_id, clicked.class_name) == (f"{COUNTER}:id/add", BUTTON)
    assert clicked.bounds is not None
    assert clicked.time is not None
    first = events[0].sequence
    assert [event.sequence for event in events] == list(range(first, first + len(events)))
    assert device.events() == ()
    before = device.system.round_trips
    device.perform(Key("home"))
    device.observe()
    device.events()
    assert device.system.round_trips - before == 2


def test_other_accessibility_services_stay_enabled(device, phone):
    device.system.shell(f"settings put {SETTING} com.other/.Service")
    stream = EventStream(phone)
    stream.start(lambda script: device.system.run(script)[0].text)
    stream.stop()
    enabled = device.system.shell(f"settings get {SETTING}").strip()
    assert enabled == f"com.other/.Service:{COMPONENT}"


def test_events_before_a_snapshot_are_discarded(device):
    open_counter(device)
    tap(device, resource_id="add")
    device.system.reset("default_boot", ())
    device.observe()
    assert device.events() == ()
    open_counter(device)
    tap(device, resource_id="add")
    assert clicks(device.events()) == [("Add one",)]


def test_events_survive_a_dropped_connection(device):
    open_counter(device)
    tap(device, resource_id="add")
    device.system._listener._stream.shutdown(2)
    tap(device, resource_id="add")
    assert clicks(device.events()) == [("Add one",), ("Add one",)]


def test_disabled_listener_is_a_device_error(device):
    device.events()
    device.system.shell(f"am force-stop {PACKAGE}")
    with pytest.raises(DeviceError, match="cannot be reached"):
        device.events()


def test_device_without_the_listener_app_has_no_events(device):
    device.system.shell(f"pm uninstall {PACKAGE}")
    device.system._listen()
    assert not device.info.listener
    assert device.system._listener.problem == f"the app {PACKAGE} is not installed"
    open_counter(device)
    assert device.events() == ()
