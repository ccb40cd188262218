"""--mobile-settle: the maximum wait for a screen to settle."""

from __future__ import annotations

import pytest


def test_apps_may_have_their_own_seconds(header):
    value = "2,com.example.counter=9"
    assert f"--mobile-settle={value} (--mobile-settle)" in header(f"--mobile-settle={value}")


@pytest.mark.parametrize("value", ["0", "soon", "5,com.example.counter", "5,a=1,a=2"])
def test_an_invalid_number_of_seconds_is_refused(wrong, value):
    message = "names a twice" if "a=2" in value else "must be a number of seconds above 0"
    assert message in wrong("--mobile-settle", value)


def test_the_device_of_a_test_waits_that_long_at_most(project):
    project.write(
        tasks__test_settle="""
def test_settle(device, monkeypatch):
    from pytest_mobileagent.device.device import Settle
    seen = []
    limit = Settle.limit

    def recorded(self, package):
        seen.append(limit(self, package))
        return seen[-1]

    monkeypatch.setattr(Settle, "limit", recorded)
    device.observe()
    assert set(seen) == {0.25}
"""
    )
    result = project.run("tasks/test_settle.py", "--agent=noop", "--mobile-settle=0.25")
    result.assert_outcomes(passed=1)
