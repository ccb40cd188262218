"""Tests of doctor's checks: each passes on a sound device and names the problem of another."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from pytest_mobileagent.device.doctor import LOOKING, checks, title
from pytest_mobileagent.device.doctor.checks import Finding, examine

TEN_HOURS_AGO = "ten hours ago"


def live(**methods):
    """Return a device that has nothing but a system."""
    return SimpleNamespace(system=SimpleNamespace(**methods))


def test_checks_pass_on_a_healthy_device(device):
    device.system.shell(
        "for s in window_animation_scale transition_animation_scale animator_duration_scale;"
        " do settings put global $s 0; done"
    )
    for check in LOOKING:
        finding = examine(title(check), check, device)
        assert (finding.level, finding.remedy) == ("ok", ""), finding
        assert finding.seen


@pytest.mark.parametrize(
    ("check", "command", "level", "seen"),
    [
        (checks.awake, "input keyevent SLEEP", "problem", "the screen is off"),
        (checks.animations, "settings put global window_animation_scale 1", "warning", "window_a"),
        (checks.screenshot, "wm size 720x1280; input keyevent HOME", "ok", "720x1280"),
    ],
)
def test_problems_on_the_screen_are_found(device, check, command, level, seen):
    device.system.shell(command)
    finding = examine("it", check, device)
    assert finding.level == level
    assert seen in finding.seen
    assert bool(finding.remedy) == (level != "ok")


@pytest.mark.parametrize(
    ("check", "said", "level", "seen"),
    [
        (checks.answers, "", "problem", "came back as ''"),
        (checks.awake, "", "warning", "does not say"),
        (checks.unlocked, "  isKeyguardShowing=true\n", "problem", "a lock screen covers the apps"),
        (checks.root, "2000\n", "warning", "user 2000"),
        (checks.storage, "Filesystem\n/dev/x 9000 8000 1000 88% /data\n", "problem", "0 MB"),
        (checks.storage, "df: /data: Permission denied", "warning", "Permission denied"),
        (checks.clock, TEN_HOURS_AGO, "warning", "10 hours off"),
        (checks.clock, "date: bad", "problem", "date: bad"),
        (checks.snapshots, "", "warning", "there are no snapshots"),
        (checks.events, "", "warning", "org.mobileagent.listener is not installed"),
        (checks.keyboard, "com.google.android.inputmethod.latin/.Ime", "warning", "beyond ASCII"),
    ],
)
def test_problems_in_device_properties_are_found(check, said, level, seen):
    # A test's parameters must be the same in every worker, so the time is filled in here.
    if said == TEN_HOURS_AGO:
        said = str(int(time.time()) - 36_000)
    finding = examine("it", check, live(shell=lambda _: said, snapshots=list))
    assert finding.level == level
    assert seen in finding.seen
    assert finding.remedy


def test_a_lost_device_is_a_problem_not_a_crash(device):
    device.close()
    broken = object.__new__(type(device))
    broken.system = device.system
    device.system.address = type(device.address)("emulator-1", "127.0.0.1", 1, "")
    device.system._shell.address = device.system.address
    finding = examine("it", checks.answers, broken)
    assert isinstance(finding, Finding)
    assert (finding.level, finding.check) == ("problem", "it")
    assert "no adb server" in finding.seen
