"""The phone's log: a stream that costs no round trip, and the crashes that it reports."""

from __future__ import annotations

import contextlib

import pytest

from pytest_mobileagent import Key
from pytest_mobileagent.device.drivers.adb.device import AdbDevice


@pytest.fixture(scope="module", params=["warnings", "all", "off"])
def connected(phone, request):
    with contextlib.closing(AdbDevice(phone, log=request.param)) as device:
        yield device


@pytest.fixture
def level(connected):
    return connected.system._log.level


def test_lines_of_the_level_are_read_between_two_observations(device, level):
    device.observe()
    device.log()
    device.system.shell("log -p i -t app information; log -p w -t app warning")
    device.system.shell("log -p e -t AndroidRuntime error")
    device.observe()
    ours = [line.text for line in device.log() if line.tag in {"app", "AndroidRuntime"}]
    loud = {"all": ["information", "warning"], "warnings": ["warning"], "off": []}[level]
    assert ours == [*loud, "error"]
    device.observe()
    assert not [line for line in device.log() if line.tag == "app"]


def test_reading_the_log_takes_no_round_trip(device):
    device.observe()
    before = device.system.round_trips
    device.log()
    assert device.system.round_trips == before


def test_lines_before_a_reset_are_not_read_after_it(device):
    device.system.shell("log -p e -t AndroidRuntime before")
    device.system.reset("default_boot", ())
    device.observe()
    assert not [line for line in device.log() if line.text == "before"]


def test_a_stream_that_breaks_off_loses_and_repeats_no_line(device):
    device.observe()
    device.log()
    device.system.shell("log -p e -t AndroidRuntime first")
    device.observe()
    device.log()
    device.system.shell("log -p e -t AndroidRuntime second")
    device.system._log._stream.shutdown(2)
    device.observe()
    assert [line.text for line in device.log() if line.tag == "AndroidRuntime"] == ["second"]


def test_a_phone_that_prints_no_log_says_so_and_goes_on(device, monkeypatch):
    log = device.system._log
    device.observe()
    device.log()
    monkeypatch.setattr("pytest_mobileagent.device.drivers.adb.logstream._ANSWER_SECONDS", 0.05)

    def mark() -> str:
        log._asked += 1
        return ""

    monkeypatch.setattr(log, "mark", mark)
    device.observe()
    assert device.log() is None
    assert "does not print its log" in log.problem
    device.perform(Key("home"))
    assert device.observe().screen.package
