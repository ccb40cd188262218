"""Tests of setting a device's clock to a chosen moment."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.environment import parse_moment
from pytest_mobileagent.environment.apply import set_clock
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.testing import FakePhone, make_screen

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def device(phone: Any) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(phone)) as device:
        yield device
        device.system.reset("default_boot", ())


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", None),
        ("2026-11-22", datetime(2026, 11, 22)),
        ("2026-11-22T09:00Z", datetime(2026, 11, 22, 9, tzinfo=UTC)),
        ("2026-11-22T09:00+09:00", datetime(2026, 11, 22, 9, tzinfo=timezone(timedelta(hours=9)))),
        ("2026-11-22T09:00[Asia/Tokyo]", datetime(2026, 11, 22, 9, tzinfo=ZoneInfo("Asia/Tokyo"))),
        ("2026-11-22T00Z[Asia/Tokyo]", datetime(2026, 11, 22, 9, tzinfo=ZoneInfo("Asia/Tokyo"))),
    ],
)
def test_a_moment_is_read(text, moment):
    assert parse_moment(text) == moment


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2024-02-29T23:58", "2024-02-29 23:58"),
        ("2024-02-29T23:58Z", "2024-03-01 08:58"),
        ("2038-01-20T00:00+09:00", "2038-01-20 00:00"),
        ("2026-04-05T02:30[Pacific/Auckland]", "2026-04-05 02:30"),
    ],
)
def test_a_device_is_at_that_moment_in_its_own_zone_or_the_named_one(device, given, shown):
    device.system.shell("cmd alarm set-timezone Asia/Seoul")
    moment = parse_moment(given)
    assert moment is not None
    set_clock(device, moment)
    assert device.system.shell("date '+%Y-%m-%d %H:%M'").strip() == shown
    time = device.observe().screen.time
    assert time is not None
    assert f"{time:%Y-%m-%d %H:%M}" == shown


def test_a_zone_that_the_device_does_not_know_is_reported(device):
    class Unknown(ZoneInfo):
        """A zone of this machine only."""

        key = "Mars/Base"

    with pytest.raises(DeviceError, match=r"time zone cannot be Mars/Base: [\w/]+$"):
        set_clock(device, datetime(2024, 2, 29, tzinfo=Unknown("Asia/Tokyo")))


def test_root_sets_the_clock_if_the_alarm_manager_cannot():
    said: list[str] = []

    class Old(FakePhone):
        """A phone whose alarm manager lacks the command."""

        def shell(self, script: str) -> str:
            said.append(script)
            is_set = script.startswith("date -u @1709164800")
            return "1709164800\n" if is_set else "Unknown command: set-time\n1790000000\n"

    set_clock(Old([make_screen("0")]), datetime(2024, 2, 29, tzinfo=UTC))
    assert "cmd alarm set-time 1709164800000" in said[0]
    assert len(said) == 2


def test_a_refusal_is_reported_with_the_devices_output():
    class Stubborn(FakePhone):
        """A phone that refuses to set its clock."""

        def shell(self, script: str) -> str:
            assert "date" in script
            return "date: cannot set date: Operation not permitted\n1790000000\n"

    told = r"does not permit setting its clock to 2024-.*Operation not"
    with pytest.raises(DeviceError, match=told):
        set_clock(Stubborn([make_screen("0")]), datetime(2024, 2, 29, tzinfo=UTC))
