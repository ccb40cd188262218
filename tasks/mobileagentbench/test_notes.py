"""Notes: ten tasks of MobileAgentBench."""

import hashlib
import re
from typing import Any

from pytest_mobileagent import tap, tasks, type_text

from .checks import OK, agreed, at, says, view
from .setups import fresh, notes
from .table import SOURCE, fields, of

TEXT = "android.widget.TextView"
MEETING, UNDONE, CODE = "9pm May 5th 2024", "Undo", "unique2580"
EGGS = "//*[contains(@resource-id, ':id/checklist_holder')][.//*[@text='eggs']]//*[@checked='true']"


def titled(episode, title):
    """Return whether the title of a note is shown, not what was typed into a field."""
    return episode.screen.find(text=title, class_name=TEXT, package=episode.app)


def okayed(episode, title, *, new, **kind):
    """Return whether a dialog with this title was closed by OK: that for a new note, or another."""

    def okay(screen):
        named = says(view(episode, "locked_note_title", screen), title)
        is_new = bool(view(episode, "type_checklist", screen))
        chosen = not new or view(episode, "type_checklist", screen, **kind)
        return screen.find_all(resource_id=OK) if named and is_new == new and chosen else []

    return titled(episode, title) and episode.tapped(okay)


def added(episode, title, **kind):
    return okayed(episode, title, new=True, **kind)


def deleted(episode):
    """Ask whether the deletion of these two notes, and of no other, was confirmed."""
    wanted = ("to_do_list", "meeting")
    return (
        all(agreed(episode, re.compile(f"delete.*{name}")) for name in wanted)
        and not any(titled(episode, name) for name in wanted)
        and not any(agreed(episode, re.compile(f"delete.*{n}")) for n in ("work_list", "General"))
    )


def with_milk(episode):
    item = view(episode, "checklist_title", text="Milk")
    return item and added(episode, "Shopping list", checked=True)


def unlocked(episode):
    """Ask whether the item can be read since a PIN was confirmed."""
    okay = f"{episode.app}:id/pin_ok"
    return view(episode, "checklist_title", text=CODE) and episode.tapped(resource_id=okay)


def renamed(episode):
    shown = says(view(episode, "text_note_view"), UNDONE)
    return shown and okayed(episode, "finished_task", new=False)


def found(episode):
    note = view(episode, "text_note_view")
    return says(view(episode, "search_query"), "secret") and note and "secret" in note.text.lower()


QUESTIONS = {
    "note_add": lambda e: added(e, "TODO List"),
    "note_delete": deleted,
    "note_item_checked": lambda e: e.screen.find(xpath=EGGS, package=e.app),
    "note_lock": unlocked,
    "note_new_checklist": lambda e: added(e, "TODO List", checked=True),
    "note_new_checklist_items": with_milk,
    "note_open": lambda e: says(view(e, "text_note_view"), MEETING),
    "note_open_about": at(".AboutActivity"),
    "note_rename": renamed,
    "note_search": found,
}
GENERAL = ("General note", "")
PIN = hashlib.sha1(b"2580").hexdigest()  # noqa: S324 - which is what the app keeps
SETUPS = {
    "note_delete": fresh(notes(("meeting", ""), ("to_do_list", ""), ("work_list", ""), GENERAL)),
    "note_item_checked": fresh(
        notes(("shopping_list", ""), GENERAL, items=("eggs", "beer", "steak"))
    ),
    "note_lock": fresh(notes(("password_list", ""), GENERAL, items=(CODE,), pin=PIN)),
    "note_open": fresh(
        notes(
            ("to_do_list", "Complete the task"),
            ("meeting", MEETING),
            ("Charles's secrets", "I love you"),
            GENERAL,
        )
    ),
    "note_rename": fresh(notes(("unfinished_task", UNDONE), GENERAL)),
    "note_search": fresh(notes(("Charles's secrets", "The secret is I love you"), GENERAL)),
}
NEW = [tap(resource_id="new_note")]
TITLE: dict[str, Any] = {"resource_id": "locked_note_title"}
CHECKLIST = tap(resource_id="type_checklist")
DELETE = [tap(content_desc="More options"), tap(text="Delete note"), tap(resource_id=OK)]
SOLUTIONS = {
    "note_add": [*NEW, type_text("TODO List", **TITLE), tap(text="OK")],
    "note_delete": [*DELETE, tap(text="to_do_list"), *DELETE],
    "note_item_checked": [tap(text="eggs")],
    "note_lock": [
        tap(resource_id="note_locked_show"),
        *(tap(resource_id=f"pin_{key}") for key in (*"2580", "ok")),
    ],
    "note_new_checklist": [*NEW, type_text("TODO List", **TITLE), CHECKLIST, tap(text="OK")],
    "note_new_checklist_items": [
        *NEW,
        CHECKLIST,
        type_text("Shopping list", **TITLE),
        tap(text="OK"),
        tap(resource_id="checklist_fab"),
        type_text("Milk", resource_id="title_edit_text"),
        tap(text="OK"),
    ],
    "note_open": [tap(text="meeting")],
    "note_open_about": [tap(content_desc="More options"), tap(text="About")],
    "note_rename": [
        tap(content_desc="More options"),
        tap(text="Rename note"),
        type_text("finished_task", clear=True, **TITLE),
        tap(text="OK"),
    ],
    "note_search": [tap(resource_id="open_search"), type_text("secret")],
}


@tasks(of("note"), each=fields("note", SOLUTIONS, SETUPS), source=SOURCE)
def test_notes(episode, row):
    assert episode.ever(QUESTIONS[row.id])
