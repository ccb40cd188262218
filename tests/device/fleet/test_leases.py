"""Tests of leases: over two slots whose devices are plain numbers, and for a command."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.fleet import leases
from pytest_mobileagent.device.fleet.leases import LeasedDevice, lease
from pytest_mobileagent.device.sources import Slots

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.fleet.shared import SharedRun


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


def test_working_device_is_kept_and_a_broken_one_replaced(slots):
    devices = leased(slots)
    assert devices.get() is devices.get()
    assert slots.asked == [(0, False)]
    devices.give_up()
    devices.get()
    assert slots.asked == [(0, False), (0, True) if slots.renews else (1, False)]


def test_sole_attached_device_is_reused_after_a_failure(tmp_path):
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


def test_lease_ends_before_the_services_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Run:
        def memory(self) -> None: ...

        def __init__(self) -> None:
            told.append("run starts")

        def close(self) -> None:
            told.append("run ends")

    class Lease:
        def __init__(self, shared: Callable[[], SharedRun]) -> None:
            self.shared = shared

        def get(self) -> str:
            assert self.shared() is self.shared()  # Every call returns the same object.
            return "device"

        def close(self) -> None:
            told.append("lease ends")

    def lease_devices(_s: Any, _o: Any, shared: Callable[[], SharedRun], _c: int) -> list[Lease]:
        return [Lease(shared)]

    class Source:
        reached_by = None

        def check(self, _: DeviceOptions) -> None:
            told.append("checked")

    class Driver:
        def check(self, *_: object) -> None: ...

    monkeypatch.setattr(leases, "SharedRun", Run)
    monkeypatch.setattr(leases, "lease_devices", lease_devices)
    monkeypatch.setattr(leases, "choose_driver", lambda *_: Driver())
    with leases.leased_device(cast("Any", Source()), DeviceOptions()) as device:
        assert cast("str", device) == "device"
    assert told == ["checked", "run starts", "lease ends", "run ends"]


def test_one_device_must_be_named() -> None:
    with pytest.raises(ValueError, match="must name one device"):
        leases.source_of("serial:a,b", pytest.fail)
