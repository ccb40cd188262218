"""The log of an idle phone."""

from __future__ import annotations

from datetime import UTC, datetime

from pytest_mobileagent.virtual.kernel.clock import Clock
from pytest_mobileagent.virtual.kernel.log import Log

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
