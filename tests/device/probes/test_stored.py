"""Tests of probes for stored data: databases, folders, preferences and files."""

from __future__ import annotations

import base64
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import file, files, preferences, sqlite
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.device.probes.stored import Files, Sqlite

QUERY = "select hour, on_ from alarms order by hour"


def output_of(probe: Files | Sqlite) -> str:
    """Return the output of the probe's script in a shell."""
    done = subprocess.run(["sh", "-c", probe.script], capture_output=True, check=True, text=True)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a database whose file name must be quoted, with one alarm."""
    path = tmp_path / "it's $HOME; alarms.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table alarms (hour integer, on_ integer, note text, blob blob)")
        connection.execute("insert into alarms values (7, 1, 'früh', x'00ff')")
        connection.commit()
    return path


def test_rows_are_read_from_a_database_and_its_write_ahead_log(database, tmp_path):
    probe = sqlite(str(database), QUERY)
    assert probe.parse(output_of(probe)) == [{"hour": 7, "on_": 1}]
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("insert into alarms values (22, 0, null, null)")
        connection.commit()
        assert database.with_name(f"{database.name}-wal").stat().st_size > 0
        assert probe.parse(output_of(probe)) == [{"hour": 7, "on_": 1}, {"hour": 22, "on_": 0}]
    probe = sqlite(str(tmp_path / "none.db"), QUERY)
    assert probe.parse(output_of(probe)) == []


def test_query_changes_nothing(database):
    probe = sqlite(str(database), "delete from alarms returning hour")
    assert probe.parse(output_of(probe)) == [{"hour": 7}]
    probe = sqlite(str(database), "select count(*) as n from alarms")
    assert probe.parse(output_of(probe)) == [{"n": 1}]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("select minute from alarms", "no such column: minute"),
        ("select 1 from timers", "no such table: timers"),
        ("selct", "syntax error"),
        ("select 1; select 2", "one statement at a time"),
    ],
)
def test_invalid_query_is_a_task_error(database, query, complaint):
    probe = sqlite(str(database), query)
    with pytest.raises(TaskError, match=f"the query '{query}' fails on .*{complaint}"):
        probe.parse(output_of(probe))


@pytest.mark.parametrize(
    "output",
    [
        "base64: /data/a.db: Permission denied\n.\n",
        "base64: abcd: denied\n.\n",  # as many letters as valid base64 could have
        "/system/bin/sh: base64: inaccessible or not found\n.\n",
        "abc\n.\n",
    ],
)
def test_inaccessible_database_is_a_device_error(output):
    with pytest.raises(DeviceError, match=r"cannot read /data/a\.db on the device: "):
        sqlite("/data/a.db", QUERY).parse(output)


def test_a_database_that_was_copied_while_it_was_written_is_not_a_fault_of_the_task(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("create table alarms (hour integer)")
        connection.executemany("insert into alarms values (?)", [(n,) for n in range(5000)])
        connection.commit()
    torn = (tmp_path / "a.db").read_bytes()[:-8192]
    output = base64.b64encode(torn).decode() + "\n.\n"
    with pytest.raises(DeviceError, match="copied while the device was writing it"):
        sqlite("/data/a.db", "select sum(hour) from alarms").parse(output)
    output = base64.b64encode(b"not a database" * 100).decode() + "\n.\n"
    with pytest.raises(TaskError, match="file is not a database"):
        sqlite("/data/a.db", QUERY).parse(output)


def test_files_below_a_folder_have_relative_paths(tmp_path):
    (tmp_path / "a folder" / "empty").mkdir(parents=True)
    (tmp_path / "a folder" / "it's.txt").write_text("")
    probe = files(str(tmp_path))
    assert probe.parse(output_of(probe)) == ["a folder/", "a folder/empty/", "a folder/it's.txt"]
    probe = files(str(tmp_path / "none"))
    assert probe.parse(output_of(probe)) == []


def encoded(*parts: bytes | str) -> str:
    """Return the device's output for files; a text replaces a file's content, as an error does."""
    each = (p if isinstance(p, str) else base64.encodebytes(p).decode() for p in parts)
    return ".\n".join(each)


ABSENT = "base64: /data/data/a/shared_prefs/P.xml: No such file or directory\n"
DENIED = "base64: /data/data/a/shared_prefs/P.xml: Permission denied\n"
PREFERENCES = b"""<?xml version='1.0' encoding='utf-8' standalone='yes' ?>
<map>
    <string name="name">Zo\xc3\xab &amp; co</string>
    <int name="number" value="-3" />
    <long name="long" value="1795356966675" />
    <float name="float" value="0.5" />
    <float name="endless" value="Infinity" />
    <boolean name="on" value="true" />
    <boolean name="off" value="false" />
    <set name="days"><string>Tue</string><string>Mon</string></set>
    <null name="nothing" />
    <string name="empty"></string>
</map>
"""
VALUES = {
    "name": "Zo\u00eb & co", "number": -3, "long": 1795356966675, "float": 0.5,
    "endless": "Infinity", "on": True, "off": False, "days": ["Mon", "Tue"], "nothing": None,
    "empty": "",
}  # fmt: skip


@pytest.mark.parametrize("parts", [(PREFERENCES, ABSENT), (ABSENT, PREFERENCES)])
def test_preferences_are_typed_in_either_storage(parts):
    assert preferences("a", "P").parse(encoded(*parts)) == VALUES
    assert preferences("a", "P.xml", "number").parse(encoded(*parts)) == -3
    assert preferences("a", "P", "none").parse(encoded(*parts)) is None
    assert preferences("a", "P").parse(encoded(ABSENT, ABSENT)) == {}
    assert preferences("a", "P", "on").parse(encoded(ABSENT, ABSENT)) is None


def test_unreadable_preferences_are_a_device_error_and_names_contain_no_folder():
    for part, why in ((DENIED, "can become root"), (b"<map><int", "P of a cannot be read")):
        with pytest.raises(DeviceError, match=why):
            preferences("a", "P").parse(encoded(part, ABSENT))
    for package, name in (("", "P"), ("a/b", "P"), ("a", "../P")):
        with pytest.raises(TaskError, match="name of a file without its folder"):
            preferences(package, name)


def test_file_content_is_text_or_base64(tmp_path):
    path = tmp_path / "it's $(touch x).txt"
    path.write_bytes("fr\u00fch\n".encode() + b"\xff")
    for probe, value in [
        (file(str(path)), "fr\u00fch\n\ufffd"),
        (file(str(path), "latin-1"), "fr\u00c3\u00bch\n\u00ff"),
        (file(str(path), None), "ZnLDvGgK/w=="),
        (file(str(tmp_path / "none")), None),
    ]:
        done = subprocess.run(
            ["sh", "-c", probe.script], capture_output=True, text=True, check=False
        )
        assert probe.parse(done.stdout) == value
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_invalid_file_probe_is_a_task_error():
    for probe in (lambda: file("a.txt"), lambda: files("a"), lambda: sqlite("a.db", "SELECT 1")):
        with pytest.raises(TaskError, match="must start with a slash"):
            probe()
    with pytest.raises(TaskError, match="the query is empty"):
        sqlite("/a.db", " ")
    with pytest.raises(TaskError, match="unknown encoding: utf-9"):
        file("/a.txt", "utf-9")
    with pytest.raises(TaskError, match=r"/sdcard is a folder .* files\('/sdcard'\)"):
        file("/sdcard").parse("base64: /sdcard: Is a directory\n")
