"""Contacts: table 10 of B-MoCA's paper, and a task that only its release has."""

from pytest_mobileagent import log, open_app, tap

from .table import task


def editor(action):
    """Return a log probe for the start of the editor."""
    rule = f"START.*{action}.*ContactEditorActivity"
    return {"log": log(rule, tag="ActivityTaskManager", level="I")}


@task(
    "contacts-open",
    probes={"log": log("Start proc.*com.android.contacts", tag="ActivityManager", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")


# The paper names the tag of another process, to which Android 10 does not write this line.
@task(
    "contacts-insert_page",
    probes=editor("android.intent.action.INSERT"),
    solution=[open_app(), tap(resource_id="floating_action_button")],
)
def test_insert_page(episode):
    assert episode.probe("log")


@task(
    "contacts-edit_page",
    probes=editor("android.intent.action.EDIT"),
    solution=[open_app(), tap(resource_id="cliv_name_textview"), tap(resource_id="menu_edit")],
)
def test_edit_page(episode):
    assert episode.probe("log")
