"""Notes and lists, with words that are drawn."""

import json

import pytest

from pytest_mobileagent import open_app, sqlite, tap, task, type_text

NOTES = "com.simplemobiletools.notes.pro"
ROWS = sqlite(f"/data/data/{NOTES}/databases/notes.db", "SELECT title, value FROM notes")
TITLES = ("Packing", "Birthday", "Car", "Books", "Presents", "Repairs")
THINGS = ("Lemons", "Rice", "Candles", "Honey", "Basil", "Walnuts", "Soap", "Butter")


def titled(dice):
    return {"title": f"{dice.choice(TITLES)} {dice.randint(1, 9)}", "text": dice.choice(THINGS)}


def values(episode):
    return {row["title"]: row["value"] for row in episode.probe("notes")}


@task(
    'In Notes, create a text note called "{title}" that says "{text}".',
    app=NOTES,
    level=2,
    probes={"notes": ROWS},
    parameters=titled,
    solution=[
        open_app(),
        tap(content_desc="Create a new note"),
        type_text("{title}", resource_id="locked_note_title"),
        tap(text="OK"),
        type_text("{text}", resource_id="text_note_view"),
    ],
)
def test_create(episode, title, text):
    assert values(episode).get(title, "").strip() == text


@task(
    'In Notes, create an empty text note called "{title}".',
    app=NOTES,
    level=1,
    probes={"notes": ROWS},
    parameters=titled,
    solution=[
        open_app(),
        tap(content_desc="Create a new note"),
        type_text("{title}", resource_id="locked_note_title"),
        tap(text="OK"),
    ],
)
def test_create_empty(episode, title):
    assert values(episode).get(title) == ""


@pytest.mark.parametrize("note", ["Garden", "Groceries", "Trip to the coast"])
@task(
    'In Notes, rename the note "{note}" to "{title}".',
    app=NOTES,
    level=2,
    probes={"notes": ROWS},
    parameters=titled,
    solution=[
        open_app(),
        tap(text="{note}"),
        tap(content_desc="More options"),
        tap(text="Rename note"),
        type_text("{title}", clear=True, resource_id="locked_note_title"),
        tap(text="OK"),
    ],
)
def test_rename(episode, note, title):
    assert title in values(episode)
    assert note not in values(episode)


@task(
    'Put "{thing} ({number})" on the list "Groceries" that I keep in Notes.',
    app=NOTES,
    level=2,
    probes={"notes": ROWS},
    parameters=lambda dice: {"thing": dice.choice(THINGS), "number": dice.randint(2, 9)},
    solution=[
        open_app(),
        tap(text="Groceries"),
        tap(resource_id="checklist_fab"),
        type_text("{thing} ({number})", resource_id="title_edit_text"),
        tap(text="OK"),
    ],
)
def test_add_to_list(episode, thing, number):
    items = [item["title"] for item in json.loads(values(episode)["Groceries"])]
    assert f"{thing} ({number})" in items
