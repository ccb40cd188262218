"""--mobile-device-time: the clock of the phones that the run starts."""

from __future__ import annotations

import pytest

TASK = """
import pytest
from pytest_mobileagent import prop, task

class Installed:
    script = "dumpsys package com.android.systemui | grep firstInstallTime"
    parse = staticmethod(str.strip)

PROBES = {"zone": prop("persist.sys.timezone"), "installed": Installed()}

@pytest.mark.parametrize("time", [1, 2])
@task("It is {today:%A}.", probes=PROBES, step_limit=1)
def test_day(episode, time):
    assert episode.goal == "It is Thursday."
    assert episode.started.isoformat().startswith("2024-02-29T23:5")
    assert episode.probe("installed").startswith("firstInstallTime=2024-02-29 23:5")
    assert episode.probe("zone") == "ZONE"
"""


@pytest.mark.parametrize(
    "value",
    ["tomorrow", "9:00", "2026-13-01", "2026-02-30T09:00", "2026-11-22[No/Where]", "[Asia/Tokyo]"],
)
def test_an_invalid_time_is_refused(wrong, value):
    said = wrong("--mobile-device-time", value)
    assert "must be a date and time such as 2026-11-22T09:00" in said


def test_phones_of_others_keep_their_clocks(refused):
    assert "only phones that the run starts have their clock set" in refused(
        "--mobile-device-time=2024-02-29T23:58"
    )


@pytest.mark.parametrize(
    ("value", "zone"),
    [
        pytest.param("2024-02-29T23:58", "UTC", marks=pytest.mark.slow),
        ("2024-02-29T23:58[America/New_York]", "America/New_York"),
    ],
)
def test_each_episode_begins_at_that_time_as_do_the_phones(project, monkeypatch, value, zone):
    monkeypatch.setenv("TZ", "Pacific/Auckland")  # of this machine, which is not the phones'
    project.write(tasks__test_day=TASK.replace("ZONE", zone))
    result = project.run_virtual(
        *("tasks/test_day.py", "--agent=noop", "--mobile-agent-process=off"),
        f"--mobile-device-time={value}",
    )
    result.assert_outcomes(passed=2)
