"""Tests of probes for settings, properties, volumes, the activity in front, packages and rows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import activity, packages, prop, provider, setting, volume
from pytest_mobileagent.errors import DeviceError, TaskError


@pytest.mark.parametrize(
    ("output", "value"),
    [("1\n", "1"), ("null\n", None), ("\n", ""), ("a b\n", "a b"), ("nullable\n", "nullable")],
)
def test_setting_is_text_or_none(output: str, value: Any) -> None:
    assert setting("global", "airplane_mode_on").parse(output) == value


def test_setting_key_is_quoted_and_its_namespace_is_one_of_three() -> None:
    assert setting("secure", "a; rm b").script == "settings get secure 'a; rm b'"
    with pytest.raises(TaskError, match=r"settings have no namespace 'user' \(only system, "):
        setting("user", "a")


@pytest.mark.parametrize(("output", "value"), [("\n", None), ("", None), ("a b\n", "a b")])
def test_property_is_text_or_none(output: str, value: Any) -> None:
    assert prop("persist.sys.locale").parse(output) == value
    for key in ("", "-T", "a b", "a;id", "$(id)", "a\n"):
        with pytest.raises(TaskError, match="is not a valid name of a system property"):
            prop(key)


GET = "[v] will control stream=4 (STREAM_ALARM)\n[v] will get volume\n"


@pytest.mark.parametrize(
    "output",
    [
        f"{GET}[v] Connecting to AudioService\n[v] volume is 6 in range [1..7]\n",
        "[V] volume is 6 in range [1..7]\n",
        # The output after grep on Android 7 or with a more verbose service.
        "volume is 6 in range [0..15]\n",
    ],
)
def test_volume_is_a_number(output: str) -> None:
    assert volume("alarm").parse(output) == 6


def test_missing_volume_is_a_device_error_and_streams_are_named() -> None:
    for output in ("", "cmd: Can't find service: media_session"):
        with pytest.raises(DeviceError, match="printed no volume"):
            volume("alarm").parse(output)
    assert "--stream 4 " in volume("alarm").script
    with pytest.raises(TaskError, match=r"there is no audio stream '4' \(only voice_call, "):
        volume("4")


IN_FRONT = "com.android.settings/com.android.settings.Settings"
RECORD = "ActivityRecord{aa66d13 u0 com.android.settings/.Settings"
OTHER = "ActivityRecord{bb u0 com.example/.Other} t2}"


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ("  mFocusedActivity: ActivityRecord{5b u0 com.android.settings/.Settings t5}", IN_FRONT),
        ("    mResumedActivity: ActivityRecord{5b u0 com.android.settings/.Settings t5}", IN_FRONT),
        (f"    topResumedActivity={RECORD}}} t1}}\n  ResumedActivity: {OTHER}\n", IN_FRONT),
        ("  ResumedActivity: ActivityRecord{3f18031 u10 a.b/c.d.E$F t1290}\n", "a.b/c.d.E$F"),
        ("    mLastResumedActivity: ActivityRecord{3f u0 a.b/.C t9}\n", None),
        ("  topResumedActivity=null\n", None),
        ("", None),
    ],
)
def test_the_activity_in_front_is_reported_by_its_full_name(output: str, value: Any) -> None:
    assert activity().parse(output) == value


SMS = "content://sms"
ERROR = "Error while accessing provider:sms\n"


def test_packages_are_sorted_names_and_a_missing_list_is_a_device_error() -> None:
    assert packages().parse("package:b.c\npackage:a\n\n") == ["a", "b.c"]
    assert packages("disabled").parse("") == []
    asks = "pm list packages -3"
    assert packages("third-party").script == f"{asks} 2>/dev/null || {asks} --user 0 2>&1"
    with pytest.raises(DeviceError, match="printed no list of packages"):
        packages().parse("Can't find service: package\n")
    told = r"packages\('user'\): the kind must be one of all, third-party, "
    with pytest.raises(TaskError, match=told):
        packages("user")


def test_provider_rows_are_texts_by_column() -> None:
    output = "Row: 0 _id=1, body=Hi, Bob, read=NULL\nRow: 1 _id=2, body=two\nlines, read=1\n"
    rows = [
        {"_id": "1", "body": "Hi, Bob", "read": None},
        {"_id": "2", "body": "two\nlines", "read": "1"},
    ]
    assert provider(SMS, ["_id", "body", "read"]).parse(output) == rows
    assert provider(SMS).parse(output) == rows
    assert provider(SMS).parse("No result found.\n") == []


def test_column_like_text_in_a_value_is_not_a_column() -> None:
    output = "Row: 0 _id=1, body=a, b=c\nRow: 1 _id=2, body=plain\n"
    assert provider(SMS).parse(output)[0] == {"_id": "1", "body": "a, b=c"}
    output = "Row: 0 body=Row: 5 x\nRow: 7 y\nRow: 1 body=z\n"
    assert provider(SMS, ["body"]).parse(output) == [{"body": "Row: 5 x\nRow: 7 y"}, {"body": "z"}]


texts = st.text(st.characters(exclude_characters="\r"), max_size=20).filter(
    lambda text: "Row:" not in text and ", b=" not in text and text != "NULL"
)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_named_columns_are_parsed_exactly(values: list[tuple[str, str]]) -> None:
    output = "".join(f"Row: {n} a={a}, b={b}\n" for n, (a, b) in enumerate(values))
    expected = [{"a": a, "b": b} for a, b in values]
    assert provider(SMS, ["a", "b"]).parse(output) == expected


def test_query_is_quoted() -> None:
    probe = provider(SMS, ["address", "body"], where="body='$(id)'", sort="date DESC")
    assert probe.script == (
        "content query --uri content://sms --projection address:body"
        """ --where 'body='"'"'$(id)'"'"'' --sort 'date DESC' 2>&1"""
    )


@pytest.mark.parametrize(
    "output",
    [
        f"{ERROR}java.lang.IllegalStateException: Could not find provider: sms\n\tat a.b(C)\n",
        f"{ERROR}android.database.sqlite.SQLiteException: no such column: z (code 1)",
        f"{ERROR}java.lang.IllegalArgumentException: Unknown URL content://sms/x\n\tat a.b(C)\n",
        "usage: adb shell content [subcommand] [options]\n\n[ERROR] Unsupported argument: x\n",
    ],
)
def test_invalid_query_is_a_task_error(output: str) -> None:
    with pytest.raises(TaskError, match="the query of content://sms is invalid"):
        provider(SMS).parse(output)


def test_unresponsive_provider_is_a_device_error() -> None:
    denied = f"{ERROR}java.lang.SecurityException: Permission Denial: opening a.B requires c\n"
    for output, why in ((denied, "is denied"), ("", "cannot be read"), ("Killed", "cannot be r")):
        with pytest.raises(DeviceError, match=rf"content://sms {why}"):
            provider(SMS).parse(output)
    with pytest.raises(DeviceError, match="a row without _id, b"):
        provider(SMS, ["_id", "b"]).parse("Row: 0 _id=1\n")


def test_invalid_uri_or_column_is_a_task_error() -> None:
    with pytest.raises(TaskError, match="must start with content://"):
        provider("sms")
    with pytest.raises(TaskError, match="not valid names of columns"):
        provider(SMS, ["a:b"])
