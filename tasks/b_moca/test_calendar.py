"""Calendar: table 8 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


# The paper names ActivityManager, which wrote this line before Android 10.
@task(
    "calendar-open",
    probes={"log": log("START.*com.android.calendar", tag="ActivityTaskManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")
