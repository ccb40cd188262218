"""Gmail: table 10 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


@task(
    "gmail-open",
    probes={"log": log("START.*com.google.android.gm[ /]", tag="ActivityTaskManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    # Table 10 would also match the Play services, com.google.android.gms, and the release requires
    # a blank after the package. Starting from an icon logs a blank there, starting a component a
    # slash.
    assert episode.probe("log")
