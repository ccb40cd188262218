"""Messages: table 10 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app, tap

from .table import task

STARTED = log("START.*com.google.android.apps.messaging", tag="ActivityTaskManager", level="I")
# The release requires "VIA_DEFAULT", the paper only its end.
CREATED = log("BUGLE CREATE.*DEFAULT", tag="BugleUsageStatistics", level="I")


@task("messages-open", probes={"log": STARTED}, solution=[open_app()])
def test_open(episode):
    assert episode.probe("log")


@task(
    "messages-start_chat",
    probes={"log": CREATED},
    solution=[open_app(), tap(resource_id="start_chat_fab")],
)
def test_start_chat(episode):
    assert episode.probe("log")
