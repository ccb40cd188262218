"""YouTube: table 15 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


@task(
    "youtube-open",
    probes={"log": log("START.*com.google.android.youtube", tag="ActivityTaskManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")
