"""The clock of the phone, which is not that of the machine; and the log of an idle phone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pytest_mobileagent.virtual.kernel import clock as module
from pytest_mobileagent.virtual.kernel.clock import Clock
from pytest_mobileagent.virtual.kernel.log import Log

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class Host:
    now = 1000.0

    def monotonic(self):
        return self.now

    def time(self):
        return 5.0


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host()
    monkeypatch.setattr(module, "host", host)
    return host


def test_the_clock_runs_from_where_it_was_started(host):
    clock = Clock(START)
    host.now += 90
    assert clock.now().isoformat() == "2026-11-20T12:01:30+00:00"
    assert clock.uptime() == 90


def test_times_of_apps_are_dates_in_the_phones_zone():
    clock = Clock(START, frozen=True, timezone="Asia/Tokyo")
    assert clock.at(clock.milliseconds / 1000) == clock.now() == START
    assert clock.at(0).isoformat() == "1970-01-01T09:00:00+09:00"
    assert clock.midnight.isoformat() == "2026-11-20T00:00:00+09:00"


def test_the_clock_starts_at_the_hosts_time(host):
    assert Clock().time() == 5.0


def test_frozen_it_stands_still_and_inputs_take_a_second_of_uptime(host):
    clock = Clock(START)
    clock.freeze()
    host.now += 90
    assert clock.now() == START
    clock.input_happened()
    assert (clock.now(), clock.uptime()) == (START, 1.0)
    clock.thaw()
    host.now += 1
    assert clock.time() == START.timestamp() + 1


def test_setting_it_does_not_move_uptime(host):
    clock = Clock(START)
    host.now += 7
    clock.set(0)
    host.now += 1
    assert (clock.time(), clock.uptime()) == (1.0, 8.0)


def test_a_saved_clock_goes_on_from_the_saved_time(host):
    clock = Clock(START)
    saved = clock.save()
    host.now += 500
    clock.load(saved)
    host.now += 1
    assert clock.time() == START.timestamp() + 1


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 12), ("Asia/Tokyo", 21), ("No/Where", 12)])
def test_zones(host, zone, hour):
    assert Clock(START, frozen=True, timezone=zone).now().hour == hour


@pytest.mark.parametrize(
    ("now", "days", "part", "then"),
    [
        ("2026-11-20T12:00", 0, 0.5, "2026-11-20T06:00:00-05:00"),
        ("2026-11-20T12:00", 1, 0.75, "2026-11-19T18:00:00-05:00"),
        ("2026-03-08T03:10", 0, 0.9, "2026-03-08T01:57:00-05:00"),  # 2:10 hours after midnight
        ("2026-03-09T12:00", 1, 0.5, "2026-03-08T12:30:00-04:00"),
        ("2026-11-02T12:00", 1, 0.5, "2026-11-01T11:30:00-05:00"),
    ],
)
def test_parts_of_days_are_parts_of_the_time_that_passed(host, now, days, part, then):
    clock = Clock(datetime.fromisoformat(now), frozen=True, timezone="America/New_York")
    assert datetime.fromtimestamp(clock.ago(days, part), clock.zone).isoformat() == then


def test_a_start_without_an_offset_is_in_the_phones_zone(host):
    clock = Clock(datetime(2026, 4, 5, 2, 30), frozen=True, timezone="Pacific/Auckland")
    assert clock.now().isoformat() == "2026-04-05T02:30:00+13:00"


NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_the_log_speaks_once_a_minute_while_time_moves():
    clock = Clock(NOON, frozen=True)
    log = Log(clock)
    log.write("I", "Test", "begin")
    assert [entry.tag for entry in log.entries] == ["Test"]
    while clock.uptime() < 130:
        clock.input_happened()
    log.write("I", "Test", "end")
    assert [entry.tag == "Test" for entry in log.entries] == [True, False, False, True]
    times = [entry.time for entry in log.entries]
    assert times[2] - times[1] == 60


def test_a_snapshot_does_not_repeat_idle_messages():
    clock = Clock(NOON, frozen=True)
    log = Log(clock)
    saved = log.save()
    while clock.uptime() < 130:
        clock.input_happened()
    log.load(saved)
    assert log.entries == []
