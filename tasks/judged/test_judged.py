"""Tasks with a single correct ending that are nevertheless decided by judges."""

from pytest_mobileagent import open_app, tap, task


@task(
    "Open the Trash in the Library of Photos.",
    app="com.google.android.apps.photos",
    level=1,
    solution=[open_app(), tap(text="Library"), tap(text="Trash")],
)
def test_key_components(episode, judge):
    assert judge(episode, key_components=["Trash", "Your trash is empty"])


@task(
    "In the Display part of Settings, choose a Screen timeout of 10 minutes.",
    app="com.android.settings",
    level=1,
    solution=[
        open_app(),
        tap(text="Display"),
        tap(text="Screen timeout"),
        tap(text="10 minutes"),
    ],
)
def test_final_hierarchy(episode, judge):
    assert judge(episode, evidence="xml")
