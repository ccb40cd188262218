"""Tests of parsing logcat lines and the crashes that they report, in AOSP's formats."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.device.logcat import crashes, dropbox_crashes, is_wanted, parse_line
from pytest_mobileagent.episode.event import Crash, LogLine

MANAGED = """\
--------- beginning of crash
11-23 08:00:01.123  3117  3117 E AndroidRuntime: FATAL EXCEPTION: main
11-23 08:00:01.123  3117  3117 E AndroidRuntime: Process: com.example.notes, PID: 3117
11-23 08:00:01.123  3117  3117 E AndroidRuntime: java.lang.RuntimeException: Unable to start
11-23 08:00:01.123  3117  3117 E AndroidRuntime: \tat android.app.ActivityThread.a(Thread.java:3)
11-23 08:00:01.123  3117  3117 E AndroidRuntime: Caused by: java.lang.NullPointerException: x
11-23 08:00:01.123  3117  3117 E AndroidRuntime: \tat java.util.Objects.check(Objects.java:1)
11-23 08:00:01.123   580   600 I ActivityManager: Process com.example.notes (pid 3117) has died
11-23 08:00:01.123  3117  3117 E AndroidRuntime: \tat com.example.notes.Main.on(Main.kt:42)
11-23 08:00:01.123  3117  3117 E AndroidRuntime: \t... 11 more
"""
PYTHON = """\
11-23 08:00:01.123  3117  3117 E AndroidRuntime: FATAL EXCEPTION: main
11-23 08:00:01.123  3117  3117 E AndroidRuntime: Process: com.example.water, PID: 3117
11-23 08:00:01.123  3117  3117 E AndroidRuntime: Traceback (most recent call last):
11-23 08:00:01.123  3117  3117 E AndroidRuntime:   File "/home/me/apps/water.py", line 26, in add
11-23 08:00:01.123  3117  3117 E AndroidRuntime:     self.total += None
11-23 08:00:01.123  3117  3117 E AndroidRuntime:   File "/usr/lib/sums.py", line 3, in __iadd__
11-23 08:00:01.123  3117  3117 E AndroidRuntime:     return self + other
11-23 08:00:01.123  3117  3117 E AndroidRuntime: TypeError: unsupported operand
"""
NATIVE = """\
11-23 08:00:03.000  5001  5001 F DEBUG   : *** *** *** *** *** ***
11-23 08:00:03.000  5001  5001 F DEBUG   : pid: 49, tid: 5, name: R  >>> com.example.game:gl <<<
11-23 08:00:03.000  5001  5001 F DEBUG   : signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr -----
11-23 08:00:03.000  5001  5001 F DEBUG   : Abort message: 'no surface'
11-23 08:00:03.000  5001  5001 F DEBUG   : backtrace:
11-23 08:00:03.000  5001  5001 F DEBUG   :     #00 pc 04d5a8 /libgame.so (draw(int)+28) (BuildId: f)
"""


def read(text: str) -> list[LogLine]:
    return [line for each in text.splitlines() if (line := parse_line(each)) is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MANAGED, "com.example.notes: java.lang.NullPointerException: x, Main.kt:42"),
        (PYTHON, "com.example.water: TypeError: unsupported operand, apps/water.py:26"),
        (NATIVE, "com.example.game: native crash: SIGABRT: 'no surface', libgame.so draw(int)+28"),
    ],
)
def test_crash_has_cause_and_location(text, expected):
    assert [str(crash) for crash in crashes(read(text))] == [expected]


def test_interleaved_and_repeated_reports_are_separated():
    pairs = zip(MANAGED.splitlines()[1:], NATIVE.splitlines(), strict=False)
    lines = [*(each for pair in pairs for each in pair), *MANAGED.splitlines()[7:]]
    found = crashes(read("\n".join(lines)))
    assert {crash.package for crash in found} == {"com.example.notes", "com.example.game"}
    assert len(crashes(read(PYTHON + PYTHON))) == 2


@pytest.mark.parametrize(
    "text",
    [
        "11-23 08:00:01.123  1  1 E AndroidRuntime: Class not found: Main",
        "11-23 08:00:01.123  1  1 I ActivityManager: ANR in a thought",
        "11-23 08:00:01.123  1  1 F DEBUG   : *** *** *** ***",  # printed by `debuggerd -b`
        "11-23 08:00:01.123  1  1 W notes: FATAL EXCEPTION: main",
    ],
)
def test_other_reports_are_not_crashes(text):
    assert read(text)
    assert crashes(read(text)) == []


def test_long_trace_is_truncated():
    long = [f"11-23 08:00:01.123  3117  3117 E AndroidRuntime: \tat a.B.c({n})" for n in range(999)]
    (crash,) = crashes(read(MANAGED + "\n".join(long)))
    assert len(crash.trace) == 8000


def test_logcat_line_is_parsed():
    line = parse_line("01-02 03:04:05.678  u0_a1   12    34 W my tag  : a: b : c\r\n")
    assert line == LogLine("01-02 03:04:05.678", 12, 34, "W", "my tag", "a: b : c")
    assert parse_line("01-02 03:04:05.678    12    34 I tag:") == LogLine(
        "01-02 03:04:05.678", 12, 34, "I", "tag", ""
    )
    assert parse_line("--------- beginning of main") is None


@given(
    st.lists(st.sampled_from(["FATAL EXCEPTION: main", "ANR in a.b", "*** *** ***"]) | st.text())
)
def test_any_report_can_be_parsed(texts):
    tags = ("AndroidRuntime", "ActivityManager", "DEBUG")
    lines = [LogLine("", 1, 1, "E", tag, text) for text in texts for tag in tags]
    assert all(isinstance(crash, Crash) for crash in crashes(lines))


@pytest.mark.parametrize(("level", "expected"), [("off", "c"), ("warnings", "bc"), ("all", "abc")])
def test_level_filters_lines(level, expected):
    lines = [
        LogLine("", 1, 1, "I", "app", "a"),
        LogLine("", 1, 1, "W", "app", "b"),
        LogLine("", 1, 1, "E", "AndroidRuntime", "c"),
        LogLine("", 1, 1, "I", "mobileagent.look", "d"),
    ]
    assert "".join(line.text for line in lines if is_wanted(line, level)) == expected


# The output of `dumpsys dropbox --print` for four tags, concatenated.
KEPT = """\
mobileagent data_app_crash
Drop box contents: 351 entries
Max entries: 1000
Low priority rate limit period: 2000 ms
Low priority tags: {data_app_wtf, keymaster}
Searching for: data_app_crash

========================================
2026-11-23 07:59:59 data_app_crash (text, 300 bytes)
Process: com.example.old
PID: 1

java.lang.Error: before the episode
========================================
2026-11-23 08:00:05 data_app_crash (compressed text, 2348 bytes)
SystemUptimeMs: 60916
Process: com.example.notes:sync
PID: 9641
UID: 10273
Frozen: false
Flags: 0x28e8be44
Package: com.example.notes v4 (0.3.1)
Foreground: Yes
Build: google/sdk/emu:15/1/1:user/release-keys

java.lang.RuntimeException: Unable to start
\tat android.app.ActivityThread.a(ActivityThread.java:3)
Caused by: java.lang.NullPointerException: x
\tat com.example.notes.Main.on(Main.kt:42)
\t... 11 more

========================================
2026-99-23 08:00:06 data_app_crash (text, 9 bytes)
mobileagent data_app_anr
Drop box contents: 351 entries
Max entries: 1000
Searching for: data_app_anr

========================================
2026-11-23 08:00:01 data_app_anr (compressed text, 18561 bytes)
Process: com.example.mail
Subject: Input dispatching timed out (com.example.mail/.In is not responding)
Build: google/sdk/emu:15/1/1:user/release-keys

----- pid 4001 at 2026-11-23 08:00:01 -----
"main" prio=5 tid=1 Sleeping

mobileagent system_app_anr
Drop box contents: 351 entries
Searching for: system_app_anr

(No entries found.)
mobileagent system_app_crash
end of an entry whose beginning was cut off

========================================
2026-11-23 08:00:09 system_app_crash (contents lost)
========================================
2026-11-23 08:00:10 data_app_native_crash (text, 99 bytes)
Process: com.example.game
Package: com.example.game v1 (1)

*** *** *** *** ***
pid: 49, tid: 5, name: R  >>> com.example.game:gl <<<
signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
Abort message: 'no surface'
    #00 pc 04d5a8 /libgame.so (draw(int)+28) (BuildId: f)
"""
SILENT = "Input dispatching timed out (com.example.mail/.In is not responding)"
DRAWING = "libgame.so draw(int)+28"
BEGAN = datetime(2026, 11, 23, 8, 0, 1, 500_000)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_crashes_stored_by_android_are_read_from_a_moment_on(end: str) -> None:
    found = dropbox_crashes(KEPT.replace("\n", end), BEGAN)
    assert found is not None
    told = [(when.second, c.kind, c.package, c.error, c.place) for when, c in found]
    assert told == [
        (1, "not responding", "com.example.mail", SILENT, ""),
        (5, "crash", "com.example.notes", "java.lang.NullPointerException: x", "Main.kt:42"),
        (10, "native crash", "com.example.game", "SIGABRT: 'no surface'", DRAWING),
    ]
    assert "Frozen: false" in found[1][1].trace


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("Can't find service: dropbox\n", None),
        ("", None),
        (f"Drop box contents: 1 entries\n\n{'=' * 40}\n2026-11-23 08:00:05 data_app_crash", []),
    ],
)
def test_phone_may_store_no_crashes(printed: str, found: list[object] | None) -> None:
    assert dropbox_crashes(printed, BEGAN) == found


@given(st.text())
def test_any_dropbox_output_can_be_parsed(text: str) -> None:
    dropbox_crashes(f"Drop box contents: 9 entries\n\n{text}\n{KEPT}{text}", BEGAN)
