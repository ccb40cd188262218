"""Tests of the phone's log as a stream: no round trips are needed, and crashes are reported."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Key
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address


LOUD = {"all": ["information", "warning"], "warnings": ["warning"], "off": []}


@pytest.fixture(scope="module", params=["warnings"])
def connected(phone: Address, request: pytest.FixtureRequest) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(phone, log=request.param)) as device:
        yield device


@pytest.mark.parametrize(("connected", "loud"), LOUD.items(), indirect=["connected"])
def test_log_lines_of_the_level_are_read_between_observations_and_resets(device, loud):
    device.observe()
    device.log()
    device.system.shell("log -p i -t app information; log -p w -t app warning")
    device.system.shell("log -p e -t AndroidRuntime error")
    device.observe()
    ours = [line.text for line in device.log() if line.tag in {"app", "AndroidRuntime"}]
    assert ours == [*loud, "error"]
    device.observe()
    assert not [line for line in device.log() if line.tag == "app"]
    device.system.shell("log -p e -t AndroidRuntime before")
    device.system.reset("default_boot", ())
    device.observe()
    assert not [line for line in device.log() if line.text == "before"]


def test_reconnected_stream_neither_loses_nor_repeats_lines(device):
    device.observe()
    device.log()
    device.system.shell("log -p e -t AndroidRuntime first")
    device.observe()
    device.log()
    device.system.shell("log -p e -t AndroidRuntime second")
    device.system._log._stream.shutdown(2)
    device.observe()
    assert [line.text for line in device.log() if line.tag == "AndroidRuntime"] == ["second"]


def test_a_phone_that_prints_no_log_says_so_and_continues(device, monkeypatch):
    log = device.system._log
    device.observe()
    device.log()
    monkeypatch.setattr("pytest_mobileagent.device.drivers.adb.streams._ANSWER_SECONDS", 0.05)

    def mark() -> str:
        log._asked += 1
        return ""

    monkeypatch.setattr(log, "mark", mark)
    device.observe()
    assert device.log() is None
    assert "does not print its log" in log.problem
    device.perform(Key("home"))
    assert device.observe().screen.package


def test_late_lines_belong_to_the_next_observation(device):
    device.observe()
    device.log()
    device.system.shell("log -p e -t AndroidRuntime late")
    stream = device.system._log._stream
    assert is_readable(stream, 5.0)  # The phone sends the line unasked.
    before = device.system.round_trips
    assert [line.text for line in device.log() if line.tag == "AndroidRuntime"] == []
    assert [line.text for line in device.log(late=True) if line.tag == "AndroidRuntime"] == ["late"]
    assert device.log(late=True) == ()
    assert device.system.round_trips == before


def test_a_log_that_was_cleared_behind_a_broken_stream_is_not_a_log(device):
    device.observe()
    device.log()
    device.system._log._stream.shutdown(2)
    device.system.shell("log -p e -t AndroidRuntime lost")
    device.observe()
    device.system.shell("logcat -b all -c")
    device.observe()
    assert device.log() is None
    assert "cleared" in device.system._log.problem
    device.system.reset("default_boot", ())
    device.observe()
    assert device.log() is not None


def test_phone_without_dropbox_has_no_stored_crashes(device, monkeypatch):
    moment = device.observe().screen.time
    printed = (
        f"Drop box contents: 1 entries\n\n{'=' * 40}\n2099-01-01 00:00:00 data_app_crash (x)\n"
    )
    monkeypatch.setattr(device.system, "shell", lambda script: printed + "Process: a.b\n\nE: x\n")
    ((when, crash),) = device.stored_crashes(moment)
    assert (when.year, crash.package, crash.error) == (2099, "a.b", "E: x")
    monkeypatch.undo()
    assert device.stored_crashes(moment) in (None, [])
