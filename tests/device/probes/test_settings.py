"""Single values: settings, properties, volumes, the activity in front."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import activity, prop, setting, volume
from pytest_mobileagent.errors import DeviceError, TaskError


@pytest.mark.parametrize(
    ("output", "value"),
    [("1\n", "1"), ("null\n", None), ("\n", ""), ("a b\n", "a b"), ("nullable\n", "nullable")],
)
def test_a_setting_is_text_or_nothing(output: str, value: Any) -> None:
    assert setting("global", "airplane_mode_on").parse(output) == value


def test_a_setting_is_asked_for_by_a_quoted_key() -> None:
    assert setting("secure", "a; rm b").script == "settings get secure 'a; rm b'"


def test_settings_have_three_namespaces() -> None:
    with pytest.raises(TaskError, match=r"no settings are called 'user' \(there are system, "):
        setting("user", "a")


@pytest.mark.parametrize(
    ("output", "value"), [("de-AT\n", "de-AT"), ("\n", None), ("", None), ("a b\n", "a b")]
)
def test_a_property_is_text_or_nothing(output: str, value: Any) -> None:
    assert prop("persist.sys.locale").parse(output) == value


@pytest.mark.parametrize("key", ["", "-T", "a b", "a;id", "$(id)", "a\n"])
def test_a_property_has_a_name_that_android_allows(key: str) -> None:
    with pytest.raises(TaskError, match="no system property can be called"):
        prop(key)


GET = "[v] will control stream=4 (STREAM_ALARM)\n[v] will get volume\n"


@pytest.mark.parametrize(
    "output",
    [
        f"{GET}[v] Connecting to AudioService\n[v] volume is 6 in range [1..7]\n",
        "[V] volume is 6 in range [1..7]\n",
        # What grep leaves of Android 7's, and of a service that says more.
        "volume is 6 in range [0..15]\n",
    ],
)
def test_a_volume_is_a_number(output: str) -> None:
    assert volume("alarm").parse(output) == 6


@pytest.mark.parametrize(
    "output",
    [
        "",
        "/system/bin/sh: media: inaccessible or not found\ncmd: Can't find service: media_session",
    ],
)
def test_a_phone_without_volume_is_the_phones_fault(output: str) -> None:
    with pytest.raises(DeviceError, match="does not tell its volume"):
        volume("alarm").parse(output)


def test_streams_have_names() -> None:
    assert "--stream 4 " in volume("alarm").script
    with pytest.raises(TaskError, match=r"no stream is called '4' \(there are voice_call, "):
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
def test_the_activity_in_front_is_told_by_its_full_name(output: str, value: Any) -> None:
    assert activity().parse(output) == value
