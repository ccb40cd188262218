"""Tests of a lease over two slots whose devices are plain numbers."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.device.fleet.leases import LeasedDevice, lease
from pytest_mobileagent.device.fleet.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class NumberSlots(Slots):
    locks: Sequence[str] = ()

    def __init__(self, folder, *, renews):
        self.locks = [str(folder / f"slot-{number}.lock") for number in range(2)]
        self.renews = renews
        self.asked: list[tuple[int, bool]] = []

    def address(self, slot: int, *, fresh: bool = False) -> Any:
        self.asked.append((slot, fresh))
        return slot


@pytest.fixture(params=[True, False], ids=["renews", "attached"])
def slots(tmp_path: Path, request: pytest.FixtureRequest) -> NumberSlots:
    return NumberSlots(tmp_path, renews=request.param)


def leased(slots, recycle=50):
    numbers = count()
    return LeasedDevice(
        slots, lambda _: SimpleNamespace(number=next(numbers), close=lambda: None), recycle
    )


def test_working_device_is_kept(slots):
    devices = leased(slots)
    assert devices.get() is devices.get()
    assert slots.asked == [(0, False)]


def test_broken_device_is_replaced(slots):
    devices = leased(slots)
    devices.get()
    devices.give_up()
    devices.get()
    assert slots.asked == [(0, False), (0, True) if slots.renews else (1, False)]


def test_only_attached_device_is_reused_after_a_failure(tmp_path):
    slots = NumberSlots(tmp_path, renews=False)
    held = lease(slots, avoid=0)
    assert held.slot == 1
    devices = leased(slots)
    devices.get()
    devices.give_up()
    devices.get()
    assert [slot for slot, _ in slots.asked] == [0, 0]


def test_a_worn_out_device_is_replaced_if_the_run_started_it(slots):
    devices = leased(slots, recycle=2)
    numbers = [devices.get().number for _ in range(5)]
    assert numbers == ([0, 0, 1, 1, 2] if slots.renews else [0] * 5)


def test_closed_lease_is_free_for_others(slots):
    devices = leased(slots)
    devices.get()
    devices.close()
    assert lease(slots, seconds=0).slot == 0
