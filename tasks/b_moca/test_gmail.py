"""Gmail: table 10 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


@task(
    "gmail-open",
    probes={"log": log("START.*com.google.android.gm[ /]", tag="ActivityTaskManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    # Table 10 would take the Play services, com.google.android.gms, for Gmail, and the release asks
    # for a blank after the package. The start of an icon has that, a component a slash.
    assert episode.probe("log")
