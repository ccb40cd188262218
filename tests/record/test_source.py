"""Tests of the source of a recorded task: valid Python, whatever texts were recorded."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent import Finish, Impossible, Tap
from pytest_mobileagent.record.changes import Check
from pytest_mobileagent.record.recording import Done
from pytest_mobileagent.record.source import RecordedTask, slug

APP = "org.clock"
MOVES = [Done(Tap(1, 1), "open_app()"), Done(Tap(1, 2), 'tap(resource_id="add")')]
PATH = "/data/data/org.clock/databases/alarms.db"
ROW = Check('{"hour": 7} in {probe}', 'sqlite({path}, "select hour from alarms")', "alarms",
            ("sqlite",), PATH)  # fmt: skip
DARK = Check('{probe} == "2"', 'setting("secure", "ui_night_mode")', "ui_night_mode", ("setting",))
SEEN = Check('episode.screen.find(text="Saved")')


def recorded(**fields: Any) -> RecordedTask:
    plain = {"goal": "Set it.", "apps": [APP], "done": MOVES, "ended": Finish(), "checks": [ROW]}
    return RecordedTask(**{**plain, **fields})


def test_a_task_is_written_as_an_author_would_write_it():
    written = recorded(goal="Set an alarm for 7.", checks=[ROW, DARK, SEEN], level=2).write()
    assert (
        written.text
        == '''"""Set an alarm for 7."""

from pytest_mobileagent import open_app, setting, sqlite, tap, task

ALARMS_DB = "/data/data/org.clock/databases/alarms.db"


@task(
    "Set an alarm for 7.",
    app="org.clock",
    level=2,
    probes={
        "alarms": sqlite(ALARMS_DB, "select hour from alarms"),
        "ui_night_mode": setting("secure", "ui_night_mode"),
    },
    solution=[
        open_app(),
        tap(resource_id="add"),
    ],
)
def test_set_alarm_7(episode):
    assert {"hour": 7} in episode.probe("alarms")
    assert episode.probe("ui_night_mode") == "2"
    assert episode.screen.find(text="Saved")
'''
    )
    lines = written.text.split("\n")
    assert [lines[n - 1].strip()[:6] for n in written.lines] == ["assert"] * 3


def test_an_answer_or_a_report_that_it_is_impossible_is_the_last_move():
    text = recorded(ended=Finish('It is "7".'), checks=[]).write().text
    assert 'answer("It is \\"7\\"."),' in text
    assert 'assert episode.answers("It is \\"7\\".")' in text
    assert 'kind="single-frame query"' in text
    text = recorded(ended=Impossible("no such app"), apps=[APP, "org.other"]).write().text
    assert 'impossible("no such app"),' in text
    assert 'open_app("org.clock"),' in text
    assert 'apps=["org.clock", "org.other"],' in text


def test_equal_names_of_probes_are_distinguished_and_equal_probes_merged():
    other = Check("{probe}", 'setting("global", "ui_night_mode")', "ui_night_mode", ("setting",))
    again = Check('{probe} != "3"', DARK.probe, DARK.name, DARK.imports)
    text = recorded(checks=[DARK, other, again]).write().text
    assert text.count('setting("secure", "ui_night_mode")') == 1
    assert '"ui_night_mode_2": setting("global", "ui_night_mode"),' in text
    assert 'assert episode.probe("ui_night_mode_2")' in text


def test_long_lines_are_broken_and_each_assert_is_found():
    long = Check(f'{{"label": "{"x" * 50}"}} in {{probe}}', ROW.probe, "alarms", (), PATH)
    written = recorded(checks=[long, SEEN]).write()
    lines = written.text.split("\n")
    assert max(map(len, lines)) <= 100
    assert [lines[n - 1].strip()[:6] for n in written.lines] == ["assert", "assert"]


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"goal": "  "}, "needs a goal"),
        ({"checks": []}, "needs a check"),
        ({"name": "test/it"}, "letters, digits and underscores"),
        ({"name": "x" * 61}, "letters, digits and underscores"),
    ],
)
def test_missing_input_is_reported(fields, what):
    task = recorded(**fields)
    assert what in task.missing()
    assert "@task(" in task.write().text  # It is shown while it grows.


@settings(max_examples=50)
@given(goal=st.text(min_size=1), answer=st.text())
def test_any_words_make_a_file_that_says_them(goal, answer):
    if not goal.strip() or any("\ud800" <= sign <= "\udfff" for sign in goal + answer):
        return
    text = recorded(goal=goal, ended=Finish(answer)).write().text
    tree = ast.parse(text)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    call = function.decorator_list[0]
    assert isinstance(call, ast.Call)
    said = ast.literal_eval(call.args[0])
    assert said.replace("{{", "{").replace("}}", "}") == goal.strip()
    if answer:
        assert repr(answer) in ast.unparse(function)


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("Set an alarm for half past seven.", "set_alarm_half_past"),
        ("把闹钟设为七点", "task"),
        ("Import", "task"),
        ("", "task"),
    ],
)
def test_a_name_is_made_of_the_goal(goal, name):
    assert slug(goal) == name
    assert recorded(name=" Set the alarm").write().name == "test_Set_the_alarm"
    assert f"test_{slug(goal)}".isidentifier()
