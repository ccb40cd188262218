"""Tests of the differences between two states of a phone, and of the checks they suggest."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.device.state import PhoneState
from pytest_mobileagent.record.changes import changes

DATABASE = "/data/data/org.clock/databases/alarms.db"


def rows(*given: dict[str, Any]) -> list[tuple[tuple[str, Any], ...]]:
    return sorted((tuple(sorted(row.items())) for row in given), key=repr)


def alarms(*given: dict[str, Any]) -> PhoneState:
    return PhoneState(rows={(DATABASE, "alarms"): rows(*given)})


EARLY = {"_id": 1, "hour": 6, "minutes": 45, "enabled": 1, "label": "", "created": 1_700_000_000}
LATE = {"_id": 2, "hour": 22, "minutes": 15, "enabled": 1, "label": "", "created": 1_800_000_000}


def test_a_new_row_is_asserted_by_what_tells_rows_apart_and_lasts():
    (change,) = changes(alarms(EARLY), alarms(EARLY, LATE))
    assert change.where == "alarms.db: alarms"
    assert change.what == "+ {hour: 22, minutes: 15}"
    assert change.check.test == '{"hour": 22, "minutes": 15} in {probe}'
    assert change.check.probe == 'sqlite({path}, "select hour, minutes from alarms")'
    assert change.check.path == DATABASE
    assert not change.is_volatile


def test_a_row_that_is_gone_is_asserted_to_be_missing_and_one_of_other_numbers_is_volatile():
    (change,) = changes(alarms(EARLY, LATE), alarms(EARLY))
    assert change.check.test == '{"hour": 22, "minutes": 15} not in {probe}'
    (new, old) = changes(alarms(EARLY), alarms({**EARLY, "_id": 7, "created": 1_800_000_000}))
    assert (new.is_volatile, old.is_volatile) == (True, True)
    assert "only its numbers and times" in new.why
    assert changes(alarms(EARLY), alarms(EARLY)) == []


@pytest.mark.parametrize(
    ("key", "value", "is_volatile"),
    [
        ("ui_night_mode", "2", False),
        ("next_alarm_formatted", "Tue 7:30 AM", True),
        ("wallpaper_time", "5", True),
        ("anything", "1800000000", True),
        ("device_name", "Pixel", False),
    ],
)
def test_a_setting_is_asserted_unless_it_changes_with_the_clock(key, value, is_volatile):
    before, after = PhoneState(), PhoneState(settings={("secure", key): value})
    (change,) = changes(before, after)
    assert change.what == f"{key}: none → {value!r}"
    assert change.check.probe == f'setting("secure", "{key}")'
    assert change.check.test == f'{{probe}} == "{value}"'
    assert change.is_volatile is bool(change.why) is is_volatile
    (change,) = changes(after, before)
    assert change.check.test == "{probe} is None"


@pytest.mark.parametrize(
    ("value", "test"), [(True, "{probe} is True"), (3, "{probe} == 3"), (["a"], '{probe} == ["a"]')]
)
def test_a_preference_is_asserted_with_its_type(value, test):
    place = ("org.notes", "Prefs", "show_words")
    (change,) = changes(PhoneState(), PhoneState(preferences={place: value}))
    assert change.check.probe == 'preferences("org.notes", "Prefs", "show_words")'
    assert change.check.test == test
    assert not change.is_volatile


def test_files_packages_and_rows_of_providers_are_seen():
    before = PhoneState(files={"/sdcard/Download/a.txt": (1, 1)}, packages={"org.old"})
    sms = {"address": "555", "body": "Hi", "type": "2"}
    after = PhoneState(
        files={"/sdcard/Download/b c.txt": (1, 1), "/sdcard/New/": (0, 0)},
        packages={"org.old", "org.new"},
        rows={("content://sms", ""): rows(sms)},
    )
    found = {change.what: change.check for change in changes(before, after)}
    assert found["- /sdcard/Download/a.txt"].test == '"a.txt" not in {probe}'
    assert found["+ /sdcard/Download/b c.txt"].probe == 'files("/sdcard/Download")'
    new = found["+ /sdcard/New/"]
    assert (new.probe, new.test) == ('files("/sdcard")', '"New/" in {probe}')
    assert found["+ org.new"].test == '"org.new" in {probe}'
    (row,) = (check for what, check in found.items() if what.startswith("+ {"))
    assert row.probe == 'provider("content://sms", ["address", "body", "type"])'
