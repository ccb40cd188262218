"""Apps store real data, which other programs can read."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.content.data import format_preferences, parse_preferences

XML = """<?xml version='1.0' encoding='utf-8' standalone='yes' ?>
<map>
    <boolean name="loud" value="false" />
    <string name="name">Ann &amp; Bob</string>
    <int name="opened" value="3" />
</map>
"""
PREFERENCES = "/data/data/org.demo/shared_prefs/org.demo_preferences.xml"
DATABASE = "/data/data/org.demo/databases/notes.db"


def test_preferences_are_androids_xml(phone):
    assert phone.files.read(PREFERENCES).decode() == XML
    node = phone.files.stat(PREFERENCES)
    assert (node.uid, node.mode & 0o777) == (phone.packages["org.demo"].uid, 0o660)


def test_preferences_that_the_shell_has_written_are_read(phone):
    preferences = phone.packages.app("org.demo").preferences()
    phone.files.write(PREFERENCES, b"<map><long name='a' value='5000000000' /></map>")
    assert preferences.all() == {"a": 5_000_000_000}
    preferences.put("b", "x")
    preferences.put("a", None)
    assert dict(preferences) == {"b": "x"}
    phone.files.write(PREFERENCES, b"no xml")
    assert len(preferences) == 0


names = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1)
values = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    names,
    st.lists(names),
)


@given(st.dictionaries(names, values))
def test_preferences_come_back_as_they_were(preferences):
    assert parse_preferences(format_preferences(preferences)) == preferences


def test_preferences_stand_in_the_order_of_a_hash_map(phone):
    preferences = phone.packages.app("org.demo").preferences("order")
    for name in ("apple", "banana", "cherry", "\N{GRINNING FACE}"):
        preferences.put(name, True)
    assert list(preferences) == ["banana", "apple", "cherry", "\N{GRINNING FACE}"]  # Java's order
    preferences.put_all({f"key{number * 7}": True for number in range(12)})
    grown = ["banana", "cherry", "key0", "key7", "key70", "key77", "key21", "key42"]
    assert list(preferences)[:8] == grown  # in a table of 32


def test_databases_are_sqlite_files(phone):
    with sqlite3.connect(":memory:") as connection:
        connection.deserialize(phone.files.read(DATABASE))
        rows = connection.execute("select title from notes").fetchall()
    connection.close()
    assert rows == [("Milk",), ('Bread <&> "salt"',)]


def test_an_app_sees_what_others_have_done_to_its_database(demo, hand):
    with sqlite3.connect(":memory:", isolation_level=None) as connection:
        connection.deserialize(demo.files.read(DATABASE))
        connection.execute("insert into notes (title) values ('Pushed')")
        demo.files.write(DATABASE, connection.serialize())
    connection.close()
    demo.changed()
    assert hand.sees("Pushed")


def test_rows_are_dictionaries_and_inserts_give_their_id(phone):
    database = phone.packages.app("org.demo").database("notes.db")
    assert database.execute("insert into notes (title) values (?)", "x") == 3
    assert database.query("select * from notes where _id = ?", 3) == [{"_id": 3, "title": "x"}]


def test_clearing_an_app_installs_its_data_anew(demo):
    database = demo.packages.app("org.demo").database("notes.db")
    database.execute("delete from notes")
    demo.files.write("/data/data/org.demo/x", b"x")
    demo.packages.clear("org.demo")
    assert len(database.query("select * from notes")) == 2
    assert not demo.files.exists("/data/data/org.demo/x")
    assert not demo.proc.running("org.demo")


@pytest.mark.parametrize("package", ["org.demo", "com.google.android.apps.nexuslauncher"])
def test_data_folders_belong_to_the_app(phone, package):
    node = phone.files.stat(f"/data/data/{package}")
    assert (node.kind, node.uid) == ("dir", phone.packages[package].uid)
