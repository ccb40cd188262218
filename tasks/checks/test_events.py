"""Clicks and changes of fields, in order; without a listener they are derived from the screens."""

from pytest_mobileagent import open_app, tap, task, type_text

NOTES = "com.simplemobiletools.notes.pro"


@task(
    'In Notes, create a text note called "Packing".',
    app=NOTES,
    level=1,
    solution=[
        open_app(),
        tap(content_desc="Create a new note"),
        type_text("Packing", resource_id="locked_note_title"),
        tap(text="OK"),
    ],
)
def test_named_and_confirmed(episode):
    named = episode.event(type="text_changed", resource_id="locked_note_title", text="Packing")
    assert named
    assert episode.event(type="clicked", text="OK", after=named)


@task(
    "Open the settings of Notes.",
    app=NOTES,
    level=1,
    solution=[open_app(), tap(content_desc="More options"), tap(text="Settings")],
)
def test_window(episode):
    opened = episode.event(type="window_state_changed", package=NOTES)
    assert opened
    assert episode.event(type="window_state_changed", class_name="SettingsActivity", after=opened)
