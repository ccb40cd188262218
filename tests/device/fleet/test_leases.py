"""Tests of a command's own device: shared services are started once, and end after the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.fleet import leases

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.fleet.shared import SharedRun


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
