"""content: data of providers, read and written from the shell."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.content import data

CONTACTS = "content://com.android.contacts"
CALENDAR = "content://com.android.calendar"
PHONE = "vnd.android.cursor.item/phone_v2"
NAME = "vnd.android.cursor.item/name"
NOON = 1795176000000  # milliseconds, of the phone's frozen clock


def add_person(sh, name, number):
    sh(f"content insert --uri {CONTACTS}/raw_contacts --bind account_type:n:")
    raw = re.findall(r"_id=(\d+)", sh(f"content query --uri {CONTACTS}/raw_contacts"))[-1]
    of = f"content insert --uri {CONTACTS}/data --bind raw_contact_id:i:{raw} --bind mimetype:s:"
    sh(f"{of}{NAME} --bind data1:s:'{name}'")
    sh(f"{of}{PHONE} --bind data1:s:'{number}' --bind data2:i:2")
    return int(raw)


def test_nothing_is_found_on_a_new_phone(sh):
    for uri in ["content://sms", "content://call_log/calls", f"{CONTACTS}/contacts"]:
        assert sh(f"content query --uri {uri}") == "No result found.\n"


def test_a_raw_contact_with_data_makes_a_contact(sh):
    add_person(sh, "Ada Lovelace", "(650) 555-0143")
    row = sh(
        f"content query --uri {CONTACTS}/contacts"
        " --projection display_name:display_name_alt:has_phone_number:starred"
    )
    assert row == (
        "Row: 0 display_name=Ada Lovelace, display_name_alt=Lovelace, Ada, "
        "has_phone_number=1, starred=0\n"
    )
    phones = sh(f"content query --uri {CONTACTS}/data/phones --projection data1:data2:data4")
    assert phones == "Row: 0 data1=(650) 555-0143, data2=2, data4=+16505550143\n"


def test_a_number_or_a_name_that_is_changed_is_completed(sh):
    add_person(sh, "Ada Lovelace", "5550143")
    change = f"content update --uri {CONTACTS}/data --where"
    sh(f"{change} \"data1='5550143'\" --bind data1:s:'(650) 555-0199'")
    phones = sh(f"content query --uri {CONTACTS}/data/phones --projection data2:data4")
    assert phones == "Row: 0 data2=2, data4=+16505550199\n"
    ask = f"content query --uri {CONTACTS}/contacts --projection display_name:display_name_alt"
    sh(f"{change} \"data1='Ada Lovelace'\" --bind data3:s:King")
    assert sh(ask) == "Row: 0 display_name=Ada King, display_name_alt=King, Ada\n"
    sh(f"{change} \"data1='Ada King'\" --bind data1:s:'Grace Hopper'")
    assert sh(ask) == "Row: 0 display_name=Grace Hopper, display_name_alt=Hopper, Grace\n"


def test_the_lookup_of_a_number_is_loose(sh):
    add_person(sh, "Ada Lovelace", "(650) 555-0143")
    found = "Row: 0 display_name=Ada Lovelace\n"
    for number in ["+16505550143", "650-555-0143", "5550143"]:
        ask = f"content query --uri {CONTACTS}/phone_lookup/{number} --projection display_name"
        assert sh(ask) == found
    ask = f"content query --uri {CONTACTS}/phone_lookup/5550144 --projection display_name"
    assert sh(ask) == "No result found.\n"


def test_a_deleted_contact_takes_its_data_along(sh):
    raw = add_person(sh, "Ada Lovelace", "5550143")
    sh(f"content delete --uri {CONTACTS}/contacts --where \"display_name='Ada Lovelace'\"")
    for table in ["contacts", "raw_contacts", "data"]:
        assert sh(f"content query --uri {CONTACTS}/{table}") == "No result found.\n"
    assert sh(f"content query --uri {CONTACTS}/phone_lookup/5550143") == "No result found.\n"
    assert raw == 1


def test_a_star_is_on_the_contact_and_its_raw_contact(sh):
    add_person(sh, "Ada Lovelace", "5550143")
    sh(f"content update --uri {CONTACTS}/contacts/1 --bind starred:i:1")
    for table in ["contacts", "raw_contacts"]:
        asked = sh(f"content query --uri {CONTACTS}/{table} --projection starred")
        assert asked == "Row: 0 starred=1\n"


def test_the_database_is_where_android_has_it(shell):
    def root(script):
        ran = shell(script, uid=0)
        assert (ran.status, ran.err) == (0, "")
        return ran.out

    add_person(root, "Ada Lovelace", "5550143")
    database = "/data/data/com.android.providers.contacts/databases/contacts2.db"
    assert root(f"sqlite3 {database} 'SELECT display_name FROM raw_contacts'") == "Ada Lovelace\n"
    assert root("pm clear com.android.providers.contacts") == "Success\n"
    assert root(f"content query --uri {CONTACTS}/contacts") == "No result found.\n"


def test_snapshots_hold_what_providers_keep(phone, sh):
    phone.snapshots.save("empty")
    sh("content insert --uri content://sms --bind address:s:123 --bind body:s:Hi")
    phone.snapshots.save("one")
    phone.snapshots.load("empty")
    assert sh("content query --uri content://sms") == "No result found.\n"
    phone.snapshots.load("one")
    assert "body=Hi" in sh("content query --uri content://sms")


def test_a_condition_without_an_end_is_an_error(sh, shell, monkeypatch):
    add_person(sh, "Ann", "1")
    monkeypatch.setattr(data, "SECONDS", 0.05)
    endless = "(WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x FROM t) SELECT count(*) FROM t)"
    ran = shell(f"content query --uri {CONTACTS}/contacts --where '{endless}>0'")
    assert "interrupted" in ran.out + ran.err
