"""Tests of side effects: what is found on a phone, what is expected, and what stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent.device.state import UNREAD, PhoneState
from pytest_mobileagent.episode.side_effects import FILE, SideEffect, SideEffects
from pytest_mobileagent.run.side_effects import _changes, _is_permitted, _without

DB = "/data/data/com.a/databases/notes.db"


def state(**fields):
    return replace(
        PhoneState(
            {("system", "volume"): "5", ("global", "wifi"): "1"},
            {(DB, "notes"): [(("_id", 1), ("text", "milk"))]},
            {("com.a", "prefs", "tab"): 0},
            {"/sdcard/a.txt": 3},
            {"com.a", "com.b"},
        ),
        **fields,
    )


def rows(*texts, **more):
    each = [(("_id", n), *more.items(), ("text", text)) for n, text in enumerate(texts)]
    return {(DB, "notes"): each}


def shown(before, after):
    return [str(each.shown) for each in _changes(before, after)]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        (
            {"settings": {("system", "volume"): "7", ("global", "wifi"): "1"}},
            ["settings system/volume: 5 → 7"],
        ),
        (
            {"preferences": {("com.a", "prefs", "tab"): 2}},
            ["preferences com.a/prefs/tab: 0 → 2"],
        ),
        ({"files": {}}, ["files /sdcard/a.txt: removed"]),
        ({"files": {"/sdcard/a.txt": 9}}, ["files /sdcard/a.txt: 3 → 9 bytes"]),
        ({"disabled": {"com.b"}}, ["disabled com.b: added"]),
        ({"rows": rows("milk", "eggs")}, ["rows notes.db:notes: + text: eggs"]),
        ({"rows": {}}, ["rows notes.db:notes: - text: milk"]),
        (
            {"rows": rows("milk", "milk", "milk")},
            ["rows notes.db:notes: + text: milk"] * 2,
        ),
        (  # a removed package is one change, whatever goes with it
            {"packages": {"com.b"}, "rows": {}, "preferences": {}},
            ["packages com.a: removed"],
        ),
    ],
)
def test_every_change_is_found_once(changed, found):
    assert shown(state(), state(**changed)) == found


def test_ids_stamps_and_times_in_texts_do_not_distinguish_rows():
    before = state(rows={(DB, "notes"): []})
    keys = [
        [each.key for each in _changes(before, state(rows={(DB, "notes"): [row]}))]
        for row in (
            (("_id", 7), ("created", 1_700_000_000), ("text", "at 2026-11-29 10:00"), ("n", 1)),
            (("_id", 9), ("created", 1_800_000_000), ("text", "at 2026-12-01 09:30"), ("n", 1)),
            (("_id", 9), ("created", 1_800_000_000), ("text", "at 2026-12-01 09:30"), ("n", 2)),
        )
    ]
    assert keys[0] == keys[1] != keys[2]
    files = [
        [each.key for each in _changes(state(), state(files={"/sdcard/a.txt": 3, name: 1}))]
        for name in ("/sdcard/.trashed-1700000000-a.jpg", "/sdcard/.trashed-1800000000-a.jpg")
    ]
    assert files[0] == files[1]


def test_tables_that_are_computed_from_others_are_left_out():
    path = "/data/data/com.android.providers.contacts/databases/contacts2.db"
    row = [(("name", "Ada"),)]
    assert shown(state(), state(rows={**state().rows, (path, "phone_lookup"): row})) == []
    assert len(shown(state(), state(rows={**state().rows, (path, "data"): row}))) == 1


def test_a_provider_is_looked_at_only_where_its_database_cannot_be_read():
    found = {**state().rows, ("content://sms", ""): [(("body", "hi"),)]}
    assert shown(state(), state(rows=found)) == []
    unread = state(rows=found, unknown=[UNREAD])
    assert shown(state(unknown=[UNREAD]), unread) == ["rows content://sms: + body: hi"]


def test_what_the_solution_changes_is_expected_as_often_as_it_does():
    before, solved = state(rows=rows("milk")), state(rows=rows("milk", "eggs"))
    done = state(rows=rows("milk", "eggs", "eggs"))
    expected = [each.key for each in _changes(before, solved)]
    left = _without(_changes(before, done), expected)
    assert [str(each.shown) for each in left] == ["rows notes.db:notes: + text: eggs"]
    # The asked setting with a wrong value is a failure of the task, and no side effect.
    wanted, wrong = ({("system", "volume"): value} for value in ("7", "9"))
    key = [each.key for each in _changes(state(), state(settings=wanted))]
    assert _without(_changes(state(), state(settings=wrong)), key) == []


@pytest.mark.parametrize(
    ("pattern", "permits"),
    [("settings system/vol*", True), ("settings global/*", False), ("*", True)],
)
def test_may_change_permits_places_by_pattern(pattern, permits):
    assert _is_permitted(SideEffect("settings system/volume", "5 → 7"), [pattern]) is permits


@pytest.mark.parametrize(
    ("effects", "count"),
    [
        (SideEffects(), 0),
        (SideEffects((SideEffect("a", "b"),)), 1),
        (SideEffects((SideEffect("a", "b"),), is_filtered=False), None),
        (SideEffects(unknown=(UNREAD,)), None),  # never "clean"
        (SideEffects((SideEffect("a", "b"),), (UNREAD,)), 1),
    ],
)
def test_what_is_unknown_is_not_clean(effects, count, tmp_path):
    assert effects.count == count
    assert SideEffects.read(tmp_path) is None
    effects.write(tmp_path)
    assert SideEffects.read(tmp_path) == effects
    assert (tmp_path / FILE).exists()
