"""Camera: table 8 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


@task(
    "camera-open",
    probes={"log": log("Start proc.*com.android.camera", tag="ActivityManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")
