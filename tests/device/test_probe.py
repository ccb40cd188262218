from __future__ import annotations

import base64
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import files, setting, sqlite
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.device.probe import Files, Sqlite

QUERY = "select hour, on_ from alarms order by hour"


def output_of(probe: Files | Sqlite) -> str:
    """What the probe's script writes in a shell."""
    done = subprocess.run(["sh", "-c", probe.script], capture_output=True, check=True, text=True)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database whose name needs quotes, with one alarm."""
    path = tmp_path / "it's $HOME; alarms.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table alarms (hour integer, on_ integer, note text, blob blob)")
        connection.execute("insert into alarms values (7, 1, 'früh', x'00ff')")
        connection.commit()
    return path


def test_rows_are_read_from_a_database_on_the_phone(database: Path) -> None:
    probe = sqlite(str(database), QUERY)
    assert probe.parse(output_of(probe)) == [{"hour": 7, "on_": 1}]


def test_rows_in_the_write_ahead_log_are_read_while_an_app_keeps_it_open(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("insert into alarms values (22, 0, null, null)")
        connection.commit()
        assert database.with_name(f"{database.name}-wal").stat().st_size > 0
        probe = sqlite(str(database), QUERY)
        assert probe.parse(output_of(probe)) == [{"hour": 7, "on_": 1}, {"hour": 22, "on_": 0}]


def test_a_database_that_is_not_there_yet_has_no_rows(tmp_path: Path) -> None:
    probe = sqlite(str(tmp_path / "none.db"), QUERY)
    assert probe.parse(output_of(probe)) == []


def test_a_query_changes_nothing(database: Path) -> None:
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
def test_a_query_that_cannot_be_is_a_broken_task(
    database: Path, query: str, complaint: str
) -> None:
    probe = sqlite(str(database), query)
    with pytest.raises(TaskError, match=f"the query '{query}' fails on .*{complaint}"):
        probe.parse(output_of(probe))


@pytest.mark.parametrize(
    "output",
    [
        "base64: /data/a.db: Permission denied\n.\n",
        "base64: abcd: denied\n.\n",  # as many letters as base 64 could have
        "/system/bin/sh: base64: inaccessible or not found\n.\n",
        "abc\n.\n",
    ],
)
def test_a_database_that_the_phone_keeps_is_the_phones_fault(output: str) -> None:
    with pytest.raises(DeviceError, match=r"cannot read /data/a\.db on the device: "):
        sqlite("/data/a.db", QUERY).parse(output)


def test_a_database_that_was_copied_while_it_was_written_is_no_fault_of_the_task(
    tmp_path: Path,
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("create table alarms (hour integer)")
        connection.executemany("insert into alarms values (?)", [(n,) for n in range(5000)])
        connection.commit()
    torn = (tmp_path / "a.db").read_bytes()[:-8192]
    output = base64.b64encode(torn).decode() + "\n.\n"
    with pytest.raises(DeviceError, match="copied from the device while it was written"):
        sqlite("/data/a.db", "select sum(hour) from alarms").parse(output)


def test_what_is_no_database_is_told() -> None:
    output = base64.b64encode(b"not a database" * 100).decode() + "\n.\n"
    with pytest.raises(TaskError, match="file is not a database"):
        sqlite("/data/a.db", QUERY).parse(output)


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


def test_what_is_below_a_folder_is_told_by_paths_within_it(tmp_path: Path) -> None:
    (tmp_path / "a folder" / "empty").mkdir(parents=True)
    (tmp_path / "a folder" / "it's.txt").write_text("")
    probe = files(str(tmp_path))
    assert probe.parse(output_of(probe)) == ["a folder/", "a folder/empty/", "a folder/it's.txt"]


def test_nothing_is_below_a_folder_that_is_not_there(tmp_path: Path) -> None:
    probe = files(str(tmp_path / "none"))
    assert probe.parse(output_of(probe)) == []
