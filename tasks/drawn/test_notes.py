"""Notes and lists, with words that are drawn."""

import json
from functools import partial

import pytest

from pytest_mobileagent import sqlite, tap, task, type_text

from .drawing import DIGITS, draw, opened, taps

NOTES = "com.simplemobiletools.notes.pro"
ROWS = sqlite(f"/data/data/{NOTES}/databases/notes.db", "SELECT title, value FROM notes")
TITLES = ("Packing", "Birthday", "Car", "Books", "Presents", "Repairs")
THINGS = ("Lemons", "Rice", "Candles", "Honey", "Basil", "Walnuts", "Soap", "Butter")
NAME = [type_text("{title}", clear=True, resource_id="locked_note_title"), *taps("OK")]
CREATE = [*opened("Create a new note"), *NAME]
of_notes = partial(task, app=NOTES, level=2, probes={"notes": ROWS})


def titled(dice):
    return {"title": f"{dice.choice(TITLES)} {dice.choice(DIGITS)}", "text": dice.choice(THINGS)}


def values(episode):
    return {row["title"]: row["value"] for row in episode.probe("notes")}


@of_notes(
    'In Notes, create a text note called "{title}" that says "{text}".',
    parameters=titled,
    solution=[*CREATE, type_text("{text}", resource_id="text_note_view")],
)
def test_create(episode, title, text):
    assert values(episode).get(title, "").strip() == text


@of_notes(
    'In Notes, create an empty text note called "{title}".',
    level=1,
    parameters=titled,
    solution=CREATE,
)
def test_create_empty(episode, title):
    assert values(episode).get(title) == ""


@pytest.mark.parametrize("note", ["Garden", "Groceries", "Trip to the coast"])
@of_notes(
    'In Notes, rename the note "{note}" to "{title}".',
    parameters=titled,
    solution=[*opened("{note}", "More options", "Rename note"), *NAME],
)
def test_rename(episode, note, title):
    assert title in values(episode)
    assert note not in values(episode)


@of_notes(
    'Put "{thing} ({number})" on the list "Groceries" that I keep in Notes.',
    parameters=draw(thing=THINGS, number=range(2, 10)),
    solution=[
        *opened("Groceries"),
        tap(resource_id="checklist_fab"),
        type_text("{thing} ({number})", resource_id="title_edit_text"),
        *taps("OK"),
    ],
)
def test_add_to_list(episode, thing, number):
    items = [item["title"] for item in json.loads(values(episode)["Groceries"])]
    assert f"{thing} ({number})" in items
