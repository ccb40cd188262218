"""Maps: table 10 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app

from .table import task


@task(
    "maps-open",
    probes={
        "log": log(
            "START.*com.google.android.maps.MapsActivity", tag="ActivityTaskManager", level="I"
        )
    },
    solution=[open_app()],
)
def test_open(episode):
    # Table 10 names a MainActivity, which Maps does not have; this is the release's pattern.
    assert episode.probe("log")
