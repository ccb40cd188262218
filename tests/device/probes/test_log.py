"""Tests of probing the log for messages since the episode began."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from pytest_mobileagent import Probe, log, setting
from pytest_mobileagent.device.probes import ProbeSince, since_now
from pytest_mobileagent.device.probes.services import MARK
from pytest_mobileagent.errors import DeviceError, TaskError
from pytest_mobileagent.testing import FakePhone, make_screen

START = "1795356993.500000000"
# Android pads the seconds to 19 characters.
LOG = f"""--------- beginning of system
         1795356966.682   577   577 I ActivityTaskManager: START u0 {{cmp=a/.Old}} from uid 1000
         1795356993.400   577   612 I ActivityTaskManager: START u0 {{cmp=a/.Prepared}} from uid 0
--------- beginning of main
         1795356993.501 20010 20010 I {MARK}: {START}
         1795356993.501   577   577 V ActivityTaskManager: START u0 {{cmp=a/.Quiet}} from uid 2000
         1795356994.000   577   577 I ActivityTaskManager: START u0 {{cmp=a/.New}} from uid 2000
         1795356994.001   577   577 D vol.Events: writeEvent level_changed STREAM_ALARM 7
--------- switch to crash
         1795356995.001   577   577 E AndroidRuntime: FATAL EXCEPTION: main
         1795356995.001   577   577 W a       :  two: words
"""


@pytest.mark.parametrize(
    ("probe", "found"),
    [
        (log("START", tag="ActivityTaskManager", level="I"), [".New"]),
        (log("START", tag="ActivityTaskManager"), [".Quiet", ".New"]),
        (log(re.compile("start", re.IGNORECASE), level="I"), [".New"]),
        (log("start"), []),
        (log("STREAM_ALARM"), ["STREAM_ALARM 7"]),
        (log("", level="E"), ["FATAL EXCEPTION: main"]),
        (log("", tag="a"), ["two: words"]),
        (log("", tag="ActivityTask"), []),
    ],
)
def test_messages_since_the_start_of_the_episode_are_found(probe: Any, found: list[str]) -> None:
    messages = probe.since(START).parse(LOG)
    assert len(messages) == len(found)
    assert all(part in message for part, message in zip(found, messages, strict=True))


def test_times_are_compared_only_if_the_beginning_has_left_the_log() -> None:
    short = "".join(line for line in LOG.splitlines(keepends=True) if MARK not in line)
    found = log("START", level="I").since(START).parse(short)
    assert found == ["START u0 {cmp=a/.New} from uid 2000"]
    back = f"{LOG}         946684800.000   577   577 I Late: START u0\n"
    assert log("START", tag="Late").since(START).parse(back) == ["START u0"]
    earlier = LOG.replace(START, "1795356000.000000000")
    assert log("", tag=None, level="I").since(START).parse(earlier)[0].startswith("START")
    assert not any("1795356000" in each for each in log("").since(START).parse(earlier))
    assert log("a").since(START).parse("") == []
    assert log("a").since(START).parse("--------- beginning of main\n") == []


@pytest.mark.parametrize(
    "output",
    [
        "logcat: Unable to open log device '/dev/log/main': No such file or directory",
        "unknown buffer foo",
        "/system/bin/sh: logcat: inaccessible or not found",
    ],
)
def test_unreadable_log_is_a_device_error(output: str) -> None:
    with pytest.raises(DeviceError, match="the device's log cannot be read: "):
        log("a").parse(output)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"pattern": "("}, "is not a regular expression"),
        ({"pattern": "a", "level": "info"}, "must be one of V, D, I, W, E, F"),
        ({"pattern": "a", "tag": "b c"}, "a tag contains no spaces"),
        ({"pattern": "a", "tag": "b:V"}, "a tag contains no spaces, colons"),
    ],
)
def test_an_invalid_search_is_a_broken_task(words: Any, complaint: str) -> None:
    with pytest.raises(TaskError, match=complaint):
        log(**words)


def test_log_is_filtered_on_the_phone_with_quoted_arguments() -> None:
    assert log("a", tag="$(id)", level="W").script == (
        f"logcat -d -v epoch {MARK}:I '$(id):W' '*:S' 2>&1"
    )
    assert log("a").script == f"logcat -d -v epoch {MARK}:I '*:V' 2>&1"


def test_start_is_the_phones_own_time(tmp_path: Any) -> None:
    (tmp_path / "log").write_text('#!/bin/sh\necho "$@" >> written')
    (tmp_path / "log").chmod(0o755)
    command = ["sh", "-c", f"PATH=.:$PATH; {log('a').mark}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    began = log("a").since(done.stdout)
    assert (tmp_path / "written").read_text() == f"-p i -t {MARK} {began.start}\n"
    with pytest.raises(DeviceError, match="the device's clock reads 'log: not found'"):
        log("a").since("log: not found\n")


def test_probes_of_changes_alone_are_marked_when_an_episode_begins() -> None:
    probes: dict[str, Probe] = {"log": log("a"), "dark": setting("secure", "ui_night_mode")}
    phone = FakePhone([make_screen("a")], answers={log("a").mark: f"{START}\n"})
    assert isinstance(probes["log"], ProbeSince)
    began = since_now(probes, phone)
    assert began["log"] == log("a").since(START)
    assert began["dark"] is probes["dark"]
