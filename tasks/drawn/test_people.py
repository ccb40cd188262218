"""Contacts, messages and calls, with people, numbers and words that are drawn."""

from functools import partial

import pytest

from pytest_mobileagent import sqlite, tap, task, type_text

from .drawing import DIGITS, draw, fresh, opened, taps

STORAGE = "/data/data/com.android.providers"
DETAILS = sqlite(
    f"{STORAGE}.contacts/databases/contacts2.db",
    "SELECT display_name AS name, mimetype, data1 AS value FROM data"
    " JOIN raw_contacts ON raw_contact_id = raw_contacts._id"
    " JOIN mimetypes ON mimetype_id = mimetypes._id",
)
SENT = sqlite(
    f"{STORAGE}.telephony/databases/mmssms.db",
    "SELECT address, body FROM sms WHERE type = 2 ORDER BY _id",
)
BLOCKED = sqlite(
    f"{STORAGE}.blockednumber/databases/blockednumbers.db", "SELECT original_number FROM blocked"
)
GIVEN = ("Amir", "Julia", "Noor", "Pavel", "Sofia", "Kwame", "Ingrid", "Mateo")
FAMILY = ("Nazari", "Berg", "Castillo", "Mensah", "Silva", "Novik", "Haas", "Rossi")
COMPANIES = ("Harbour Bakery", "Blue Kite", "Stonebridge", "Fern and Co", "Northlight")
KNOWN = {"Ben Carter": "4155550178", "Daniel Okafor": "5105550167", "Nadia Haddad": "6285550172",
         "Oscar Delgado": "6505550148", "Hiro Tanaka": "4085550151"}  # fmt: skip
TEXTS = ("I will be late.", "Are you at home?", "The train has left.", "See you on Sunday!",
         "Can you call me?", "Thanks for the book.")  # fmt: skip
of_contacts = partial(task, app="com.google.android.contacts", probes={"details": DETAILS}, level=2)
of_messages = partial(task, app="com.google.android.apps.messaging", probes={"sent": SENT})
of_phone = partial(task, app="com.google.android.dialer", level=2)


def any_number(dice):
    """Draw a number that none of the contacts has."""
    return {"number": f"{dice.choice((212, 415, 650))}5550{dice.randint(200, 999)}"}


def somebody(dice):
    return {"given": dice.choice(GIVEN), "family": dice.choice(FAMILY), **any_number(dice)}


def details(rows, kind):
    """Return whose the details of a kind are, and what they say."""
    return [(row["name"], row["value"]) for row in rows if row["mimetype"].endswith(kind)]


def enter(text, field):
    """Return a move that types into the field of a contact that has this text."""
    return type_text(text, clear=True, xpath=f"//*[@text='{field}']")


def add(text, field):
    """Return the solution that adds somebody with a text in one more field."""
    name = [enter("{given}", "First name"), enter("{family}", "Last name")]
    return [*opened("Create new contact"), *name, enter(text, field), *taps("Save")]


def write(text):
    """Return moves that send a text in the conversation on the screen."""
    return [type_text(text, resource_id="compose_message_text"), *taps("Send SMS")]


def digits(number):
    return "".join(filter(str.isdecimal, number))[-10:]


@of_contacts(
    "In Contacts, add {given} {family}, whose mobile number is {number}.",
    parameters=somebody,
    solution=add("{number}", "Phone"),
)
def test_add_number(episode, given, family, number):
    added = details(fresh(episode, "details"), "phone_v2")
    assert [(name, digits(value)) for name, value in added] == [(f"{given} {family}", number)]


@of_contacts(
    "In Contacts, add {given} {family}, who works at {company}.",
    parameters=lambda dice: {**somebody(dice), "company": dice.choice(COMPANIES)},
    solution=add("{company}", "Company"),
)
def test_add_company(episode, given, family, company):
    added = details(fresh(episode, "details"), "organization")
    assert added == [(f"{given} {family}", company)]


@of_contacts(
    "In Contacts, add {given} {family} with the email address {given}.{family}@example.org.",
    parameters=somebody,
    solution=add("{given}.{family}@example.org", "Email"),
)
def test_add_mail(episode, given, family):
    added = details(fresh(episode, "details"), "email_v2")
    assert added == [(f"{given} {family}", f"{given}.{family}@example.org")]


@of_contacts(
    "Lena Fischer has moved: in Contacts, change her number to {number}.",
    parameters=any_number,
    solution=[
        *opened("Lena Fischer", "Edit contact"),
        enter("{number}", "(415) 555-0183"),
        *taps("Save"),
    ],
)
def test_change_number(episode, number):
    numbers = details(episode.probe("details"), "phone_v2")
    assert [digits(value) for name, value in numbers if name == "Lena Fischer"] == [number]


@of_messages(
    'Send {name} the text message "{text}".',
    level=2,
    parameters=draw(name=list(KNOWN), text=TEXTS),
    solution=[
        *opened("Start chat"),
        type_text("{name}", resource_id="recipient_text_view"),
        tap(resource_id="contact_name", text="{name}"),
        *write("{text}"),
    ],
)
def test_send(episode, name, text):
    sent = [(digits(row["address"]), row["body"]) for row in fresh(episode, "sent")]
    assert sent == [(KNOWN[name], text)]


@pytest.mark.parametrize("name", ["Grace Lindholm", "Priya Raman", "Evelyn Shaw"])
@of_messages(
    'Answer {name} in our conversation in Messages: "{text} {number}"',
    level=1,
    parameters=draw(text=TEXTS, number=DIGITS),
    solution=[*opened("{name}"), *write("{text} {number}")],
)
def test_reply(episode, name, text, number):
    assert [row["body"] for row in fresh(episode, "sent")] == [f"{text} {number}"]


@of_phone(
    "In Phone, call {number} by its keypad, and stay in the call.",
    parameters=any_number,
    solution=[
        *opened("key pad"),
        *(tap(xpath=f"//*[@text=substring('{{number}}', {at}, 1)]") for at in range(1, 11)),
        *taps("dial"),
    ],
)
def test_call(episode, number):
    assert episode.screen.find_all(resource_id="incall_end_call")
    assert digits(episode.screen.get(resource_id="contactgrid_contact_name").text) == number


@of_phone(
    "In Phone, block calls from {number}.",
    probes={"blocked": BLOCKED},
    parameters=any_number,
    solution=[
        *opened("More options", "Settings", "Blocked numbers", "Add a number"),
        type_text("{number}", resource_id="add_blocked_number"),
        *taps("Block"),
    ],
)
def test_block(episode, number):
    assert [digits(row["original_number"]) for row in fresh(episode, "blocked")] == [number]
