"""Tests of side effects: what is found on a phone, what is expected, and what stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent.device.state import BY_ROLE, UNREAD, PhoneState
from pytest_mobileagent.episode.findings import FILE, SideEffect, SideEffects
from pytest_mobileagent.run.side_effects import _changes, _is_permitted, _without

DB = "/data/data/com.a/databases/notes.db"


def state(**fields):
    return replace(
        PhoneState(
            settings={("system", "volume"): "5", ("global", "wifi"): "1"},
            services={("role", "SMS"): "com.a", ("lock screen", ""): "false"},
            rows={(DB, "notes"): [(("_id", 1), ("text", "milk"))]},
            preferences={("com.a", "prefs", "tab"): 0},
            files={"/sdcard/a.txt": (3, 1), "/sdcard/b/": (0, 0), "/sdcard/b/c.txt": (3, 1)},
            packages={"com.a", "com.b"},
            apps={("com.a", "version"): "1", ("com.b", "android.permission.CAMERA"): "denied"},
        ),
        **fields,
    )


def rows(*texts, **more):
    each = [(("_id", n), *more.items(), ("text", text)) for n, text in enumerate(texts)]
    return {(DB, "notes"): each}


def shown(before, after):
    return [str(each.shown) for each in _changes(before, after)]


def keys(before, after):
    return [each.key for each in _changes(before, after)]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        (
            {"settings": {("system", "volume"): "7", ("global", "wifi"): "1"}},
            ["settings system/volume: 5 → 7"],
        ),
        ({"preferences": {("com.a", "prefs", "tab"): 2}}, ["preferences com.a/prefs/tab: 0 → 2"]),
        (  # a removed folder is one change, whatever was in it
            {"files": {"/sdcard/a.txt": (3, 2)}},
            ["files /sdcard/b/: removed", "files /sdcard/a.txt: 3 → 3 bytes"],
        ),
        (
            {
                "apps": {
                    ("com.a", "version"): "2",
                    ("com.b", "android.permission.CAMERA"): "granted",
                }
            },
            ["app com.a/version: 1 → 2", "app com.b/android.permission.CAMERA: denied → granted"],
        ),
        (
            {"services": {("role", "SMS"): "com.a", ("lock screen", ""): "true"}},
            ["lock screen: false → true"],
        ),
        (
            {"preferences": {("com.a", "prefs", "tab"): ["a", "b"]}},  # a set of texts
            ["preferences com.a/prefs/tab: 0 → ['a', 'b']"],
        ),
        ({"rows": rows("milk", "eggs")}, ["rows notes.db:notes: + text: eggs"]),
        ({"rows": {}}, ["rows notes.db:notes: - text: milk"]),
        ({"rows": rows("milk", "milk", "milk")}, ["rows notes.db:notes: + text: milk"] * 2),
        (  # a removed package is one change, whatever goes with it
            {
                "packages": {"com.b"},
                "rows": {},
                "preferences": {},
                "apps": {("com.b", "android.permission.CAMERA"): "denied"},
            },
            ["packages com.a: removed"],
        ),
    ],
)
def test_every_change_is_found_once(changed, found):
    assert shown(state(), state(**changed)) == found


def test_another_app_for_messages_is_one_change():
    """Android grants its permissions, and repeats it in a setting and as a preferred activity."""
    asked, named = ("com.b", "android.permission.SEND_SMS"), ("secure", "sms_default_application")
    before, after = (
        state(
            settings={named: app},
            services={("role", "SMS"): app, ("preferred", f"{app}/.Main"): "true"},
            apps={asked: granted},
        )
        for app, granted in (("com.a", "denied"), ("com.b", BY_ROLE))
    )
    assert shown(before, after) == ["role SMS: com.a → com.b"]
    revoked = state(services=after.services, apps={asked: "denied"}, settings={named: "com.c"})
    assert shown(after, revoked) == ["settings secure/sms_default_application: none → com.c"]


def test_new_ids_stamps_and_times_in_texts_do_not_distinguish_rows():
    before = state(rows={(DB, "notes"): []})
    each, other, third = (
        keys(before, state(rows={(DB, "notes"): [row]}))
        for row in (
            (("_id", 7), ("created", 1_700_000_000), ("text", "at 2026-11-29 10:00"), ("n", 1)),
            (("_id", 9), ("created", 1_800_000_000), ("text", "at 2026-12-01 09:30"), ("n", 1)),
            (("_id", 9), ("created", 1_800_000_000), ("text", "at 2026-12-01 09:30"), ("n", 2)),
        )
    )
    assert each == other != third
    trashed = [
        keys(state(), state(files={**state().files, name: (1, 1)}))
        for name in ("/sdcard/.trashed-1700000000-a.jpg", "/sdcard/.trashed-1800000000-a.jpg")
    ]
    assert trashed[0] == trashed[1]


def test_earlier_entries_are_distinguished_by_name_and_id():
    twins = state(rows=rows("milk", "milk", "eggs"))
    first, second = twins.rows[DB, "notes"][:2]
    gone = [
        keys(twins, state(rows={(DB, "notes"): [left, twins.rows[DB, "notes"][2]]}))
        for left in (first, second)
    ]
    assert gone[0] != gone[1]
    pictures = {f"/sdcard/IMG_20261129_10000{n}.jpg": (1, 1) for n in (1, 2)}
    lost = [keys(state(files=pictures), state(files={name: pictures[name]})) for name in pictures]
    assert lost[0] != lost[1]


@pytest.mark.parametrize(
    ("column", "old", "new", "found"),
    [
        ("begin", 1_800_000_000_000, 1_800_003_600_000, 2),  # moved by an hour
        ("calendar_id", 1, 2, 2),  # into another calendar
        ("last_opened", 1_800_000_000_000, 1_800_003_600_000, 0),
    ],
)
def test_a_row_that_was_changed_is_seen_though_times_and_new_ids_are_alike(column, old, new, found):
    other = (("_id", 5), ("calendar_id", 2), ("text", "eggs"))
    before, after = (
        state(rows={(DB, "notes"): [(("_id", 1), (column, value), ("text", "milk")), other]})
        for value in (old, new)
    )
    assert len(shown(before, after)) == found


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


def test_changes_of_the_solution_are_expected_as_often_as_it_makes_them():
    before, solved = state(rows=rows("milk")), state(rows=rows("milk", "eggs"))
    done = state(rows=rows("milk", "eggs", "eggs"))
    expected = keys(before, solved)
    left = _without(_changes(before, done), expected)
    assert [str(each.shown) for each in left] == ["rows notes.db:notes: + text: eggs"]
    # The asked setting with a wrong value is a failure of the task, and no side effect.
    wanted, wrong = ({("system", "volume"): value} for value in ("7", "9"))
    key = keys(state(), state(settings=wanted))
    assert _without(_changes(state(), state(settings=wrong)), key) == []


@pytest.mark.parametrize(
    ("pattern", "permits"),
    [("settings system/vol*", True), ("settings global/*", False), ("*", True)],
)
def test_may_change_permits_places_by_pattern(pattern, permits):
    assert _is_permitted(SideEffect("settings system/volume", "5 → 7"), [pattern]) is permits


@pytest.mark.parametrize(
    ("effects", "count", "listed"),
    [
        (SideEffects(), 0, []),
        (SideEffects((SideEffect("a", "b"),)), 1, ["a: b"]),
        (
            SideEffects((SideEffect("a", "b"),), is_filtered=False),
            None,
            ["a: b", "unfiltered: what the task asks for is among them"],
        ),
        (SideEffects(unknown=(UNREAD,)), None, [f"unknown: {UNREAD}"]),  # never "clean"
        (SideEffects((SideEffect("a", "b"),), (UNREAD,)), 1, ["a: b", f"unknown: {UNREAD}"]),
    ],
)
def test_unknown_side_effects_are_not_clean(effects, count, listed, tmp_path):
    assert (effects.count, effects.listed) == (count, listed)
    assert SideEffects.read(tmp_path) is None
    effects.write(tmp_path)
    assert SideEffects.read(tmp_path) == effects
    assert (tmp_path / FILE).exists()
