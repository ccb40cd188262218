"""The phone's log, as adb logcat shows it."""

from __future__ import annotations

import re
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.virtual.phones import Adb, Running

DATE = r"\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
FORMATS = {
    "brief": r"I/Tests   \( *\d+\): hello",
    "process": r"I\( *\d+\) hello  \(Tests\)",
    "tag": r"I/Tests   : hello",
    "thread": r"I\( *\d+: *\d+\) hello",
    "raw": r"hello",
    "time": rf"{DATE} I/Tests   \( *\d+\): hello",
    "threadtime": rf"{DATE} +\d+ +\d+ I Tests   : hello",
    "long": rf"\[ {DATE} +\d+: *\d+ I/Tests    \]",
}


@pytest.fixture
def logging(adb: Adb) -> Adb:
    """A phone whose log starts with three lines from the test."""
    adb.run("logcat", "-c")
    adb.run("shell", "log -p i -t Tests hello; log -p w -t Other world; log -p e -t Tests no")
    return adb


def lines(adb: Adb, *words: str) -> list[str]:
    """The lines of the log, without the dividers between buffers."""
    text = adb.text("logcat", "-d", *words)
    return [line for line in text.splitlines() if line and not line.startswith("-----")]


def test_formats(logging: Adb) -> None:
    for name, line in FORMATS.items():
        first = lines(logging, "-v", name)[0]
        assert re.fullmatch(line, first), (name, first)
    first = lines(logging, "-v", "threadtime", "-v", "year")[0]
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ", first), first


def test_filters(logging: Adb) -> None:
    found = [
        (["Tests:I", "*:S"], ["hello", "no"]),
        (["Tests:E", "*:S"], ["no"]),
        (["-s", "Other"], ["world"]),
        (["*:W"], ["world", "no"]),
        (["-t", "1"], ["no"]),
        (["-e", "^h.*o$"], ["hello"]),
        (["-m", "2"], ["hello", "world"]),
        (["-b", "crash"], []),
        (["-b", "main,crash"], ["hello", "world", "no"]),
        (["--pid=1"], []),
    ]
    for words, expected in found:
        assert (words, lines(logging, "-v", "raw", *words)) == (words, expected)


def test_invalid_arguments_are_reported(adb: Adb) -> None:
    complaints = [
        (["-v", "warp"], 'Invalid parameter "warp" to -v'),
        (["-b", "warp"], "unknown buffer warp"),
        (["-t", "warp"], '-t "warp"'),
        (["warp:Q"], "Invalid filter expression 'warp:Q'"),
    ]
    for words, complaint in complaints:
        done = adb.run("logcat", *words)
        assert done.returncode != 0
        assert complaint in (done.stdout + done.stderr).decode()


def test_a_log_that_is_cleared_is_empty(logging: Adb) -> None:
    assert logging.run("logcat", "-c").returncode == 0
    assert lines(logging, "-b", "main") == []


def test_lines_arrive_as_they_are_written(running_phone: Running) -> None:
    adb = running_phone.adb
    adb.run("logcat", "-c")
    command = adb.command("logcat", "-v", "raw", "-s", "Live")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=adb.env) as client:
        assert client.stdout
        for word in ("one", "two"):
            adb.run("shell", f"log -t Live {word}")
            while (line := client.stdout.readline()).startswith(b"-----"):
                pass
            assert line == f"{word}\n".encode()
        client.kill()


def test_entries_as_logd_keeps_them(logging: Adb) -> None:
    data = logging.run("exec-out", "logcat -B -d Tests:I '*:S'").stdout
    entries = []
    while data:
        size, header, _, _, seconds, _, buffer, _ = struct.unpack_from("<HHiIIIII", data)
        payload, data = data[header : header + size], data[header + size :]
        entries.append((buffer, payload))
        assert seconds
    assert entries == [(0, b"\x04Tests\0hello\0"), (0, b"\x06Tests\0no\0")]
