"""Photos: table 11 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


@task(
    "photos-open",
    probes={
        "log": log("START.*com.google.android.apps.photos", tag="ActivityTaskManager", level="I")
    },
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")
