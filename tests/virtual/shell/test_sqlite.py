"""sqlite3: compared with the host's own, if it has one, and on the phone's files."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.shell.commands.sqlite import statements
from pytest_mobileagent.virtual.shell.interpreter import run
from pytest_mobileagent.virtual.shell.session import Pipe

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.shell.conftest import Shells

SQL = """
create table t(a integer primary key, b text, c real, d blob);
insert into t values(1, 'x y', 1.5, x'414200ff'), (2, 'q,"z"', 1e20, null),
    (3, 'it''s é', 100, 'plain'), (4, '', null, -0.0);
create table alarms(id int unique, "odd name" text);
create index by_b on t(b);
create view v as select a, b from t;
create table android_metadata(locale text);
insert into android_metadata values('en_US');
create trigger tr after insert on alarms begin delete from t where a = 9; end;
"""
MODES = ["-list", "-json", "-csv"]
ARGUMENTS = [
    *(
        [mode, *header, "select * from t; select count(*) n from t"]
        for mode in MODES
        for header in ([], ["-header"], ["-header", "-noheader"])
    ),
    ["select 1.0, 0.1 + 0.2, 1e100, -0.0, 123456789012345678, 1 / 3.0, 1e15, 1e-5"],
    ["select 1", "select 2", ".tables"],
    ["select 'a;b'; -- no; statement\nselect /* ; */ 2;;"],
    ["select * from x"],
    ["selec 1"],
    ["select a from t where"],
    ["select nope from t"],
    ["select a, nope(b) from t"],
    ["select 'abc"],
    ["create table t(a)"],
    ["insert into alarms(id) values(1); insert into alarms(id) values(1)"],
    ["select a from t; select * from x; select 2"],
    ["select a, b, c, d from t where a = 1 and b = 'a long statement to be cut' and nope = 3"],
    ["delete from t where a > 2; select changes(); select count(*) from t"],
    ["begin; delete from t; rollback; select count(*) from t"],
    ["update t set b = 'new' where a = 1 returning b"],
    ["-readonly", "delete from t"],
    ["-foo"],
    [".tables"],
    [".tables a%"],
    [".schema"],
    [".schema t"],
    [".foo"],
    [".quit", "select 1"],
    ["pragma table_info(t)"],
    ["pragma user_version = 7; pragma user_version"],
    ["with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n"],
    ["select json_extract('{\"a\": [1, 2]}', '$.a[1]')"],
    ["select b from t where b like '%Y%'"],
]
INPUTS = [
    "select 1;\nselect\n2;\n",
    "select 1;\nselect * from x;\nselect 2;\n",
    "insert into alarms(id) values(1);\ninsert into alarms(id) values(1);\n",
    ".tables\nselect a, b from t;\n.foo\nselect 3;\n",
    "select 'two\nlines';\n",
    "select 4",
    ".quit\nselect 5;\n",
    "\n\n-- comment\nselect 6;\n",
    "selec 1;\n",
]


def host_version() -> str:
    """The SQLite version of the host's command and of Python; "" if they differ."""
    if not shutil.which("sqlite3"):
        return ""
    version = subprocess.run(["sqlite3", "-version"], capture_output=True, check=False).stdout
    return sqlite3.sqlite_version if version.startswith(sqlite3.sqlite_version.encode()) else ""


needs_sqlite3 = pytest.mark.skipif(
    not host_version().startswith(("3.39.", "3.40.")),
    reason="the host's sqlite3 is not the one of Android 14, or none is there",
)


def store(path: Path) -> bytes:
    connection = sqlite3.connect(path)
    connection.executescript(SQL)
    connection.close()
    return path.read_bytes()


@pytest.fixture
def db(sh: Shells, tmp_path: Path) -> Path:
    path = tmp_path / "t.db"
    sh.device.files.write("/data/local/tmp/t.db", store(path), uid=2000, mode=0o660)
    return path


def quoted(argument: str) -> str:
    return "'" + argument.replace("'", "'\\''") + "'"


@needs_sqlite3
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
def test_arguments_do_what_they_do_on_the_host(arguments: list[str], sh: Shells, db: Path) -> None:
    options = [each for each in arguments if each.startswith("-")]
    command = ["sqlite3", *options, "t.db", *arguments[len(options) :]]
    expected = subprocess.run(command, cwd=db.parent, capture_output=True, input=b"", check=False)
    out, err, status = sh.raw(" ".join(map(quoted, command)))
    assert out.decode(errors="replace") == expected.stdout.decode(errors="replace")
    said = [
        text.partition("\n  ")[0].rstrip("\n") for text in (err.decode(), expected.stderr.decode())
    ]
    assert (said[0], status) == (said[1], expected.returncode)  # the host also shows the position


@needs_sqlite3
@pytest.mark.parametrize("text", INPUTS)
def test_input_does_what_it_does_on_the_host(text: str, sh: Shells, db: Path) -> None:
    command = ["sqlite3", "t.db"]
    expected = subprocess.run(
        command, cwd=db.parent, capture_output=True, input=text.encode(), check=False
    )
    out, err, status = sh.raw("sqlite3 t.db", stdin=text.encode())
    said = [
        text.partition("\n  ")[0].rstrip("\n") for text in (err.decode(), expected.stderr.decode())
    ]
    assert (out, said[0], status) == (expected.stdout, said[1], expected.returncode)


APP_DB = "/data/data/org.notes/databases/notes.db"


@pytest.fixture
def app_db(sh: Shells, tmp_path: Path) -> str:
    files = sh.device.files
    files.mkdir("/data/data/org.notes/databases", 0o700, parents=True, uid=10100, gid=10100)
    files.write(APP_DB, store(tmp_path / "notes.db"), mode=0o660, uid=10100, gid=10100)
    return APP_DB


def test_only_statements_are_run() -> None:
    once = "insert into t values(1);"
    assert list(statements(f"{once}\n")) == [once]
    assert list(statements(f"{once} -- done; \n;;/* no; */ /**/\n")) == [once]
    assert list(statements("-- first\nselect '--'; /* then */ select 2 -- end")) == [
        "-- first\nselect '--';",
        "/* then */ select 2 -- end",
    ]
    assert list(statements("/* open")) == []
    assert list(statements("/**/" * 5000 + "x")) == ["/**/" * 5000 + "x"]


@pytest.mark.parametrize("after", ["", "\n;", " -- done", " /* done */"])
def test_an_error_is_reported_once(after: str, sh: Shells) -> None:
    twice = "insert into t values(1);\ninsert into t values(1);"
    sh("sqlite3 new.db 'create table t(a unique)'")
    ended = sh.raw("sqlite3 new.db", stdin=f"{twice}{after}\n".encode())
    assert ended == (b"", b"Runtime error near line 2: UNIQUE constraint failed: t.a (19)\n", 1)


def test_features_that_the_phones_sqlite_lacks_are_unknown(sh: Shells) -> None:
    ended = sh("sqlite3 -separator , :memory: 'select 1'; sqlite3 :memory: '.mode csv'")
    assert ended.err == (
        "sqlite3: Error: unknown option: -separator\nUse -help for a list of options.\n"
        'Error: unknown command or invalid arguments:  "mode". Enter ".help" for help\n'
    )


def test_a_change_is_in_the_file_and_the_owner_stays(sh: Shells, app_db: str) -> None:
    assert sh(f"sqlite3 {app_db} 'delete from t'", uid=0).status == 0
    node = sh.device.files.stat(app_db)
    assert (node.uid, node.mode) == (10100, 0o660)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(node.data)
    assert connection.execute("select count(*) from t").fetchone() == (0,)
    connection.close()


def test_reading_does_not_write(sh: Shells, app_db: str) -> None:
    before = sh.device.files.stat(app_db)
    assert sh(f"sqlite3 {app_db} 'select count(*) from t' .tables", uid=0).status == 0
    assert sh.device.files.stat(app_db) is before


def test_reading_a_database_with_a_write_ahead_log_does_not_write(sh: Shells, app_db: str) -> None:
    data = sh.device.files.read(app_db)
    sh.device.files.write(app_db, data[:18] + b"\x02\x02" + data[20:])
    before = sh.device.files.stat(app_db)
    assert sh(f"sqlite3 {app_db} 'select count(*) from t'", uid=0).out == "4\n"
    assert sh.device.files.stat(app_db) is before


def test_the_shell_may_not_open_an_apps_database(sh: Shells, app_db: str) -> None:
    ended = sh(f"sqlite3 {app_db} 'select 1'")
    text = f'Error: unable to open database "{app_db}": unable to open database file\n'
    assert (ended.out, ended.err, ended.status) == ("", text, 1)


def test_a_database_is_created_when_it_is_written(sh: Shells) -> None:
    assert sh("sqlite3 new.db 'select 1'; ls").out == "1\n"
    assert sh("sqlite3 new.db 'create table t(a)'; ls; sqlite3 new.db .tables").out == "new.db\nt\n"


def test_an_invalid_database_is_refused(sh: Shells) -> None:
    ended = sh("echo this is no database > f; sqlite3 f 'select 1 from t'")
    assert (ended.err, ended.status) == ("Error: in prepare, file is not a database (26)\n", 26)


def test_an_uncommitted_change_is_lost(sh: Shells, app_db: str) -> None:
    sh(f"sqlite3 {app_db} 'begin; delete from t'", uid=0)
    assert sh(f"sqlite3 {app_db} 'select count(*) from t'", uid=0).out == "4\n"


@pytest.mark.parametrize("sql", ["attach '{}' as other", "vacuum into '{}'"])
def test_no_statement_reaches_the_hosts_files(sql: str, sh: Shells, tmp_path: Path) -> None:
    goal = tmp_path / "host.db"
    ended = sh(f'sqlite3 :memory: "{sql.format(goal)}"')
    assert (ended.status != 0, goal.exists()) == (True, False)


def test_a_statement_is_run_when_its_line_arrives(sh: Shells, app_db: str) -> None:
    """The statement sees what the app has written meanwhile."""

    async def talk() -> bytes:
        stdin, stdout = Pipe(), Pipe()
        session = sh.session(uid=0, out=stdout)
        session.stdin = stdin
        shell = asyncio.create_task(run(session, f"sqlite3 {app_db}"))
        await stdin.write(b"select count(*)\nfrom t;\n")
        first = await stdout.read()
        await run(sh.session(uid=0), f"sqlite3 {app_db} 'delete from t where a > 1'")
        await stdin.write(b"select count(*) from t;\n")
        second = await stdout.read()
        await stdin.close_write()
        assert await shell == 0
        return first + second

    assert asyncio.run(asyncio.wait_for(talk(), 5)) == b"4\n1\n"
