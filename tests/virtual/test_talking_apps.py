"""Contacts, Phone, Messages and Calendar, on one phone."""

import re
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from pytest_mobileagent.virtual.intent import Intent
from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
CONTACTS, PHONE = "com.android.contacts", "com.android.dialer"
MESSAGES, CALENDAR = "com.google.android.apps.messaging", "com.google.android.calendar"
BEN, DANIEL = "+14155550178", "+15105550167"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


def logged(phone: Phone, tag: str) -> list[str]:
    return [entry.message for entry in phone.log.entries if entry.tag == tag]


def calls(phone: Phone) -> list[tuple[str, int, int]]:
    rows = phone.resolver.query("content://call_log/calls")
    return [(row["number"], row["type"], row["duration"]) for row in rows]


# Contacts.


def test_insert_opens_the_editor_with_what_came_along(phone: Phone, hand: Hand) -> None:
    kind, extras = "vnd.android.cursor.dir/raw_contact", {"name": "Ada Bell", "phone": "5550111"}
    phone.activities.start(Intent("android.intent.action.INSERT", type=kind, extras=extras))
    hand.tap("text", "Save")
    assert hand.sees("Ada Bell")
    assert hand.sees("555-0111")


def test_starts_of_the_editor_name_action_and_class(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CONTACTS)
    hand.tap("content-desc", "Create new contact")
    starts = [line for line in logged(phone, "ActivityTaskManager") if "INSERT" in line]
    assert "ContactEditorActivity" in starts[-1].partition("android.intent.action.INSERT")[2]


def test_leaving_the_editor_asks_only_after_changes(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CONTACTS)
    hand.tap("content-desc", "Create new contact")
    phone.key("BACK")
    assert hand.nodes("content-desc", "Create new contact")
    hand.tap("content-desc", "Create new contact")
    hand.tap("text", "First name")
    phone.type_text("Zoe")
    phone.key("BACK")
    phone.key("BACK")
    assert hand.sees("Discard changes?")


def test_a_contact_that_the_shell_adds_is_on_the_screen(phone: Phone, hand: Hand, sh) -> None:
    phone.activities.launch(CONTACTS)
    sh("content insert --uri content://com.android.contacts/raw_contacts --bind account_type:n:")
    sh(
        "content insert --uri content://com.android.contacts/data --bind raw_contact_id:i:15"
        " --bind mimetype:s:vnd.android.cursor.item/name --bind data1:s:'Abe Young'"
    )
    assert hand.sees("Abe Young")


def test_clearing_the_storage_empties_the_list(phone: Phone, hand: Hand) -> None:
    phone.packages.clear("com.android.providers.contacts")
    phone.activities.launch(CONTACTS)
    assert hand.sees("Your contacts list is empty")
    phone.packages.clear(CONTACTS)
    phone.activities.launch(CONTACTS)
    assert hand.sees("Your contacts list is empty")


def test_names_can_be_shown_and_sorted_by_the_last(phone: Phone, hand: Hand) -> None:
    phone.packages.app(CONTACTS).preferences(CONTACTS).put_all({"sortOrder": 1, "displayOrder": 1})
    phone.activities.launch(CONTACTS)
    assert hand.bounds("text", "Delgado, Oscar")[1] < hand.bounds("text", "Fischer, Lena")[1]


# Calls.


def test_a_call_out_is_taken_after_a_while_and_logged(phone: Phone, hand: Hand) -> None:
    phone.activities.start(Intent("android.intent.action.CALL", data="tel:4155550178"))
    assert hand.sees("Calling\N{HORIZONTAL ELLIPSIS}")
    assert hand.sees("Ben Carter")
    for _ in range(4):
        phone.clock.input_happened()
    phone.changed()
    assert hand.sees("00:00")
    for _ in range(3):
        phone.clock.input_happened()
    hand.tap("content-desc", "End call")
    assert phone.telephony.call is None
    number, kind, seconds = calls(phone)[0]
    assert (number, kind) == ("4155550178", 2)
    assert 3 <= seconds <= 5


def test_a_call_in_can_be_answered_or_declined(phone: Phone, hand: Hand) -> None:
    phone.telephony.ring(BEN)
    assert hand.sees("Incoming call")
    hand.tap("content-desc", "Answer")
    assert hand.nodes("resource-id", f"{PHONE}:id/incall_end_call")
    hand.tap("content-desc", "End call")
    phone.telephony.ring(BEN)
    hand.tap("content-desc", "Decline")
    assert [kind for _, kind, _ in calls(phone)[:2]] in ([5, 1], [1, 5])


def test_a_missed_call_is_told_by_name(phone: Phone) -> None:
    phone.telephony.ring(BEN)
    phone.telephony.cancel()
    (posted,) = phone.notifications.posted
    assert (posted.title, posted.text) == ("Missed call", "Ben Carter")
    assert calls(phone)[0] == (BEN, 3, 0)


def test_a_blocked_number_does_not_ring(phone: Phone) -> None:
    assert phone.telephony.ring("+18005550137")
    assert phone.telephony.call is None
    assert calls(phone)[0][:2] == ("+18005550137", 6)
    phone.telephony.receive("+18005550137", "Buy!")
    assert not phone.notifications.posted


def test_the_line_takes_one_call_at_a_time(phone: Phone) -> None:
    assert phone.telephony.ring(BEN)
    assert not phone.telephony.ring(DANIEL)


def test_a_call_is_part_of_a_snapshot(phone: Phone, hand: Hand) -> None:
    phone.telephony.ring(BEN)
    phone.snapshots.save("ringing")
    phone.telephony.cancel()
    phone.snapshots.load("ringing")
    assert hand.sees("Incoming call")
    phone.snapshots.delete("ringing")


def test_emergency_numbers_are_noticed(phone: Phone) -> None:
    phone.telephony.dial("911")
    assert any("Emergency number detected" in line for line in logged(phone, "Telecom"))


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("11489", "11489"), ("2234458", "223-4458"), ("264451193", "(264) 451-193"),
     ("1234578", "1234578"), ("8003334636", "(800) 333-4636")],
)  # fmt: skip
def test_numbers_are_written_as_they_are_typed(phone: Phone, hand: Hand, typed, shown) -> None:
    phone.activities.start(Intent("android.intent.action.DIAL", data=f"tel:{typed}"))
    assert shown in hand.node("resource-id", f"{PHONE}:id/digits")
    hand.tap("content-desc", "dial")
    assert hand.nodes("resource-id", f"{PHONE}:id/incall_end_call")
    assert shown in hand.node("resource-id", f"{PHONE}:id/contactgrid_contact_name")


# Messages.


def test_a_message_that_arrives_is_told_and_kept_unread(phone: Phone, hand: Hand) -> None:
    phone.telephony.receive(DANIEL, "Is the drill still at your place?")
    (posted,) = phone.notifications.posted
    assert (posted.title, posted.text) == ("Daniel Okafor", "Is the drill still at your place?")
    phone.notifications.open(posted)
    assert hand.sees("Is the drill still at your place?")
    rows = phone.resolver.query("content://sms/inbox", where="read = 0", args=())
    assert DANIEL not in [row["address"] for row in rows]


def test_a_message_can_be_answered_from_its_notification(phone: Phone) -> None:
    phone.telephony.receive(DANIEL, "Are you coming?")
    (posted,) = phone.notifications.posted
    phone.notifications.do(posted, posted.deeds[0], "On my way")
    sent = phone.resolver.query("content://sms/sent")[0]
    assert (sent["address"], sent["body"]) == (DANIEL, "On my way")
    assert not phone.notifications.posted


def test_a_message_for_the_open_conversation_is_just_there(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(MESSAGES)
    hand.tap("text", "Ben Carter")
    phone.telephony.receive(BEN, "And bring water.")
    assert hand.sees("And bring water.")
    assert not phone.notifications.posted


def test_smsto_opens_the_conversation_with_its_text(phone: Phone, hand: Hand) -> None:
    extras = {"sms_body": "Hello there"}
    data = "smsto:(415)%20555-0178"
    phone.activities.start(Intent("android.intent.action.SENDTO", data=data, extras=extras))
    assert hand.sees("Are we still on for climbing on Saturday?")
    assert hand.sees("Hello there")


def test_no_message_leaves_in_airplane_mode(phone: Phone, hand: Hand) -> None:
    phone.settings.put("global", "airplane_mode_on", "1")
    phone.activities.launch(MESSAGES)
    hand.tap("text", "Mom")
    hand.tap("text", "Text message")
    phone.type_text("Hi")
    hand.tap("content-desc", "Send SMS")
    assert hand.sees("Not sent. Tap to try again.")
    assert phone.resolver.query("content://sms/failed")[0]["body"] == "Hi"


def test_an_archived_conversation_comes_back_with_a_new_message(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(MESSAGES)
    hand.tap("text", "Mom")
    hand.tap("content-desc", "More options")
    hand.tap("text", "Archive")
    assert not hand.sees("Mom")
    phone.telephony.receive("+17075550104", "Hello?")
    phone.notifications.hide()
    assert hand.sees("Mom")


def test_a_new_conversation_is_logged(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(MESSAGES)
    hand.tap("content-desc", "Start chat")
    (line,) = logged(phone, "BugleUsageStatistics")
    assert line.startswith("BUGLE CREATE")
    assert line.endswith("VIA_DEFAULT")


# The calendar.


def test_an_event_of_the_whole_day_is_kept_in_utc(phone: Phone, hand: Hand) -> None:
    phone.activities.start(
        Intent(
            "android.intent.action.INSERT",
            data="content://com.android.calendar/events",
            extras={"title": "Moving day", "allDay": True},
        )
    )
    hand.tap("text", "Save")
    (row,) = phone.resolver.query("content://com.android.calendar/events", (), "title LIKE 'Mov%'")
    assert (row["allDay"], row["eventTimezone"]) == (1, "UTC")
    midnight = NOON.replace(hour=0)
    assert row["dtstart"] == midnight.timestamp() * 1000
    assert row["dtend"] == (midnight + timedelta(days=1)).timestamp() * 1000


def test_a_repeating_event_loses_one_day_or_all(phone: Phone, hand: Hand) -> None:
    events = "content://com.android.calendar/events"
    for answer, left in (("This event", 1), ("All events", 0)):
        phone.activities.launch(CALENDAR)
        hand.tap("text", "Piano lesson")
        hand.tap("content-desc", "More options")
        hand.tap("text", "Delete")
        hand.tap("text", answer)
        rows = phone.resolver.query(events, ("exdate",), "title = 'Piano lesson'")
        assert len(rows) == left
        assert all(row["exdate"] == "20261121T160000Z" for row in rows)


def test_a_hidden_calendar_is_not_on_the_screen(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CALENDAR)
    assert hand.sees("Stand-up")
    phone.resolver.update("content://com.android.calendar/calendars/2", visible=0)
    assert not hand.sees("Stand-up")
    assert hand.sees("Lunch with Nadia")


def test_the_end_of_an_event_follows_its_begin(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CALENDAR)
    hand.tap("content-desc", "Create new event (and more)")
    hand.tap("text", "Event")
    hand.tap("resource-id", f"{CALENDAR}:id/start_time")
    hand.tap("content-desc", "5")
    hand.tap("content-desc", "30")
    hand.tap("text", "OK")
    assert hand.sees("5:30 PM")
    assert hand.sees("6:30 PM")


def test_events_are_placed_in_the_zone_of_the_phone(phone: Phone, hand: Hand) -> None:
    phone.props.set("persist.sys.timezone", "Asia/Tokyo")
    phone.activities.launch(CALENDAR)
    assert hand.sees("9:30 PM \N{EN DASH} 10:30 PM")


@pytest.mark.parametrize("package", [CONTACTS, PHONE, MESSAGES, CALENDAR])
@pytest.mark.parametrize("language", ["zh-CN", "ko-KR", "fr-FR", "ar-EG"])
def test_the_apps_speak_the_language_of_the_phone(phone: Phone, package, language) -> None:
    app = phone.packages.app(package)
    english = app.t("Navigate up")
    phone.locales.change([language])
    assert app.t("Navigate up") != english
    assert app.name != app.label or language == "fr-FR"  # where some are the same
    phone.activities.launch(package)
    assert phone.activities.top.package == package


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("am start -a android.intent.action.VIEW -d content://com.android.contacts/contacts/3",
         "Chloe Martin"),
        ("am start -a android.intent.action.INSERT -t vnd.android.cursor.dir/contact -e name Max",
         "Max"),
        ("am start -a android.intent.action.VIEW -d content://com.android.calendar/events/2",
         "Lunch with Nadia"),
        ("am start -a android.intent.action.VIEW -d content://com.android.calendar/time/0",
         "January 1970"),
        ("am start -a android.intent.action.DIAL -d tel:5550123", "555-0123"),
        ("am start -a android.intent.action.SENDTO -d sms:14155550178 -e sms_body Yes", "Yes"),
        ("am start -a android.telecom.action.MANAGE_BLOCKED_NUMBERS", "+1 800-555-0137"),
    ],
)  # fmt: skip
def test_intents_find_their_screens(sh, hand: Hand, script, text) -> None:
    sh(script)
    assert hand.sees(text)


def test_a_code_of_the_network_can_be_dialled(phone: Phone) -> None:
    phone.telephony.dial("#31#5550123")
    phone.telephony.hang_up()
    assert calls(phone)[0][:2] == ("#31#5550123", 2)


def test_a_new_conversation_keeps_the_number_as_it_is(phone: Phone, hand: Hand) -> None:
    phone.activities.start(Intent("android.intent.action.SENDTO", data="smsto:+4930123456"))
    hand.tap("text", "Text message")
    phone.type_text("Hallo")
    hand.tap("content-desc", "Send SMS")
    sent = phone.resolver.query("content://sms/sent")[0]
    assert (sent["address"], sent["body"]) == ("+4930123456", "Hallo")


def test_alarms_can_be_asked_for_too(sh) -> None:
    asked = "content query --uri content://com.android.deskclock/alarms --projection hour:minutes"
    assert sh(f"{asked} --where enabled=1") == "Row: 0 hour=6, minutes=45\n"


@pytest.mark.parametrize("folder", ["calendar", "contacts", "dialer", "messages"])
def test_whatever_an_app_says_is_translated(folder) -> None:
    sources = "".join(path.read_text("utf-8") for path in (APPS / folder).glob("*.py"))
    said = set(re.findall(r'\.t\(\s*"([^"]+)"', sources))
    assert len(said) > 20
    for path in (APPS / folder / "strings").glob("*.toml"):
        assert said - set(tomllib.loads(path.read_text("utf-8"))) == set(), path.name
