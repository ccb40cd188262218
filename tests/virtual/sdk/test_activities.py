"""What activities and apps get for nothing: dialogs, searches, preferences, databases, alarms."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.app.loading import load_apps
from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.sdk import AUTHORITY, SHARED, Document
from pytest_mobileagent.virtual.sdk.app import set_next_alarm
from tests.virtual.conftest import NOON, Hand

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
from functools import partial

from pytest_mobileagent.virtual import sdk as ui


class Notes:
    def __init__(self, app):
        rows = app.database("notes.db").query("SELECT title FROM notes")
        self.titles = [row["title"] for row in rows]


class Main(ui.Activity):
    name, title = ".Main", "Asking"
    notes = ui.FromApp(Notes)

    def on_create(self):
        self.set(searching=False, query="", chosen="", went=0)

    def content(self):
        names = ("question", "choice", "sheet")
        buttons = [ui.Button(name, on_click=partial(self.ask, name)) for name in names]
        search = ui.Button("look", on_click=self.begin_search)
        bar = ui.AppBar("Asking")
        if self.state["searching"]:
            field = self.search_field("words", "What?")
            bar = ui.AppBar(child=field, up=self.leave)
        words = ui.Text(f"{self.state['chosen']} {self.state['went']}")
        box = self.search_box("box", "Find a colour", lambda sought: self.set(chosen=sought))
        titles = ui.Text(", ".join(self.notes.titles), id="titles")
        return ui.Column([bar, words, search, box, titles, *buttons], height=ui.MATCH)

    def on_back(self):
        return self.end_search()

    def went(self):
        self.set(went=self.state["went"] + 1, asks="")

    def ask_question(self):
        return self.question("Really go?", self.went, "Go", title="Going")

    def ask_choice(self):
        return self.choice(("red", "blue"), lambda name: self.set(chosen=name, asks=""), "Colour")

    def ask_sheet(self):
        return ui.sheet([ui.Text("Below")], id="body")


class Asking(ui.App):
    package, label = "org.asking", "Asking"
    permissions = ui.uses_permissions("CAMERA RECORD_AUDIO")
    defaults = {"size": 3}
    activities = (Main,)
"""
SCHEMA = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, title TEXT, done INTEGER);"


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    folder = tmp_path / "asking"
    folder.mkdir()
    (folder / "__init__.py").write_text(textwrap.dedent(SOURCE), "utf-8")
    (folder / "notes.db.sql").write_text(SCHEMA, "utf-8")
    phone = boot(load_apps(tmp_path), time=NOON, frozen=True)
    phone.activities.launch("org.asking")
    return Hand(phone)


def test_a_question_is_closed_by_its_other_button_and_by_back(hand):
    for leave in (lambda: hand.tap("text", "Cancel"), lambda: hand.phone.key("BACK")):
        hand.tap("text", "question")
        assert hand.sees("Really go?")
        leave()
        assert not hand.sees("Really go?")
    hand.tap("text", "question")
    hand.tap("text", "Go")
    assert hand.sees(" 1")


def test_one_of_several_words_is_chosen(hand):
    hand.tap("text", "choice")
    assert hand.sees("Colour")
    hand.tap("text", "blue")
    assert hand.sees("blue 0")


@pytest.mark.parametrize("name", ["choice", "sheet"])
def test_back_closes_a_dialog_that_says_nothing_of_it(hand, name):
    hand.tap("text", name)
    assert len(hand.phone.activities.top.activity.state["asks"]) > 0
    hand.phone.key("BACK")
    assert hand.phone.activities.top.activity.state["asks"] == ""


def test_a_sheet_is_at_the_bottom_of_the_screen(hand):
    hand.tap("text", "sheet")
    *_, bottom = hand.bounds("resource-id", "org.asking:id/design_bottom_sheet")
    assert bottom >= hand.phone.display.metrics.screen[3] - hand.phone.display.metrics.px(48)
    assert hand.sees("Below")


def test_a_search_begins_with_the_cursor_in_its_field_and_ends_with_back(hand):
    hand.tap("text", "look")
    hand.phone.type_text("tulip")
    assert hand.sees("tulip")
    hand.tap("content-desc", "Navigate up")
    state = hand.phone.activities.top.activity.state
    assert (state["searching"], state["query"]) == (False, "")
    assert not hand.nodes("resource-id", "org.asking:id/words")


def test_the_words_of_a_box_are_looked_for_with_the_search_key(hand):
    hand.tap("resource-id", "org.asking:id/box")
    hand.phone.type_text("green")
    hand.phone.key("ENTER")
    assert hand.sees("green 0")


def test_objects_of_an_app_are_made_anew_each_time(hand):
    hand.phone.packages.app("org.asking").database("notes.db").insert("notes", title="Rye")
    hand.phone.changed()
    assert 'text="Rye"' in hand.node("resource-id", "org.asking:id/titles")


def test_documents_have_names_and_a_uri():
    file = Document("/storage/emulated/0/Music/A B.MP3", 10, 0.0, is_folder=False)
    assert (file.name, file.folder, file.extension) == ("A B.MP3", f"{SHARED}/Music", "mp3")
    assert file.uri == f"content://{AUTHORITY}/document/primary%3AMusic%2FA%20B.MP3"
    assert Document(f"{SHARED}/v1.2", 0, 0.0, is_folder=True).extension == ""


def test_preferences_have_defaults(hand):
    app = hand.phone.packages.app("org.asking")
    assert (app.preference("size"), app.preference("other")) == (3, None)
    app.put(size=4, other="x")
    assert dict(app.preferences()) == {"size": 4, "other": "x"}
    app.put(size=None)
    assert app.preference("size") == 3


def test_permissions_are_androids(hand):
    assert hand.phone.packages.app("org.asking").permissions == (
        "android.permission.CAMERA",
        "android.permission.RECORD_AUDIO",
    )


def test_databases_are_created_from_the_files_beside_an_app(hand):
    database = hand.phone.packages.app("org.asking").database("notes.db")
    assert database.insert("notes", title="Milk", done=0) == 1
    assert database.insert("notes", id=1, title="Bread", done=0) == 1
    assert database.insert("notes", 7, "Salt", 1) == 7
    assert database.first("SELECT title FROM notes WHERE done") == {"title": "Salt"}
    database.execute("DELETE FROM notes WHERE id = 7")
    database.update("notes", "id = ?", (1,), done=1)
    assert database.first("SELECT * FROM notes") == {"id": 1, "title": "Bread", "done": 1}
    assert database.first("SELECT * FROM notes WHERE id = ?", 2) is None


MORNING = datetime(2026, 11, 21, 6, 30, tzinfo=UTC)


def test_a_change_of_the_next_alarm_is_logged_once(phone, sh):
    set_next_alarm(phone, MORNING)
    set_next_alarm(phone, MORNING)
    told = [entry.message for entry in phone.log.entries if entry.tag == "ConditionProviders.SCP"]
    assert told == [
        (
            "evaluateSubscriptionLocked cal=null, now=Fri Nov 20 12:00:00 UTC 2026 (1795176000000),"
            " nextUserAlarmTime=Sat Nov 21 06:30:00 UTC 2026 (1795242600000)"
        )
    ]
    assert sh("settings get system next_alarm_formatted") == "Sat 6:30 AM\n"
    assert "Sat 6:30 AM" in sh("dumpsys alarm")
    set_next_alarm(phone, None)
    assert phone.log.entries[-1].message.endswith(
        "nextUserAlarmTime=Thu Jan 01 00:00:00 UTC 1970 (0)"
    )
