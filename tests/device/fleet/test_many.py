"""Tests of many phones at once: none affects another, and nothing is lost."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_mobileagent import Open, Tap
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots
from tests.project import APPS

PHONES = 8


def count(slots, slot):
    with contextlib.closing(AdbDevice(slots.address(slot))) as device:
        device.system.reset("default_boot", ())
        device.perform(Open("com.example.counter"))
        for _ in range(slot + 1):
            device.perform(Tap(*device.observe().screen.get(resource_id="add").bounds.center))
        return device.observe().screen.get(resource_id="count").text


@pytest.mark.slow
def test_each_phone_performs_its_own_actions():
    with contextlib.closing(SharedRun()) as run, ThreadPoolExecutor(PHONES) as threads:
        slots = virtual_slots(run, PHONES, [APPS])
        texts = list(threads.map(lambda slot: count(slots, slot), range(PHONES)))
    assert texts == [f"Count: {slot + 1}" for slot in range(PHONES)]
