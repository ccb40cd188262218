"""Notes and checklists."""

import json

from pytest_mobileagent import answer, open_app, sqlite, tap, task, type_text

NOTES = "com.simplemobiletools.notes.pro"
ROWS = sqlite(f"/data/data/{NOTES}/databases/notes.db", "SELECT title, value FROM notes")


@task(
    'In Notes, create a text note called "Packing" that says "tent and stove".',
    app=NOTES,
    level=2,
    probes={"notes": ROWS},
    solution=[
        open_app(),
        tap(content_desc="Create a new note"),
        type_text("Packing", resource_id="locked_note_title"),
        tap(text="OK"),
        type_text("tent and stove", resource_id="text_note_view"),
    ],
)
def test_create(episode):
    values = {row["title"]: row["value"] for row in episode.probe("notes")}
    assert values.get("Packing", "").strip().lower() == "tent and stove"


@task(
    "Open Notes and the one about my trip to the coast. From which platform does the train leave?",
    app=NOTES,
    kind="single-frame query",
    level=1,
    solution=[
        open_app(),
        tap(text="Trip to the coast"),
        answer("7"),
    ],
)
def test_platform(episode):
    assert episode.saw(resource_id="text_note_view")
    assert episode.answers("7")


@task(
    "Open Notes and tick off red lentils on my list of groceries.",
    app=NOTES,
    level=1,
    probes={"notes": ROWS},
    solution=[open_app(), tap(text="Groceries"), tap(text="Red lentils")],
)
def test_tick_off(episode):
    (groceries,) = (row for row in episode.probe("notes") if row["title"] == "Groceries")
    done = [item["title"] for item in json.loads(groceries["value"]) if item["isDone"]]
    assert done == ["Red lentils"]


@task(
    'Put "Lemons" on the list "Groceries" that I keep in Notes.',
    app=NOTES,
    level=2,
    probes={"notes": ROWS},
    solution=[
        open_app(),
        tap(text="Groceries"),
        tap(resource_id="checklist_fab"),
        type_text("Lemons", resource_id="title_edit_text"),
        tap(text="OK"),
    ],
)
def test_add_to_list(episode):
    (groceries,) = (row for row in episode.probe("notes") if row["title"] == "Groceries")
    assert "Lemons" in [item["title"] for item in json.loads(groceries["value"])]


@task(
    'The garden is sold: delete the note "Garden" in Notes.',
    app=NOTES,
    level=2,
    probes={"notes": ROWS},
    solution=[
        open_app(),
        tap(text="Garden"),
        tap(content_desc="More options"),
        tap(text="Delete note"),
        tap(text="Delete"),
    ],
)
def test_delete(episode):
    others = [row for row in episode.initial_probe("notes") if row["title"] != "Garden"]
    assert episode.probe("notes") == others
