"""Contacts, messages and calls, with people, numbers and words that are drawn."""

import pytest

from pytest_mobileagent import open_app, sqlite, tap, task, type_text

CONTACTS = "com.google.android.contacts"
MESSAGES = "com.google.android.apps.messaging"
PHONE = "com.google.android.dialer"
STORAGE = "/data/data/com.android.providers"
DATABASE = f"{STORAGE}.contacts/databases/contacts2.db"
DETAILS = (
    "SELECT display_name AS name, data1 AS value FROM data"
    " JOIN raw_contacts ON raw_contact_id = raw_contacts._id"
    " JOIN mimetypes ON mimetype_id = mimetypes._id WHERE mimetype LIKE '%/{}'"
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


def any_number(dice):
    """Draw a number that none of the contacts has."""
    return f"{dice.choice((212, 415, 650))}5550{dice.randint(200, 999)}"


def somebody(dice):
    return {"given": dice.choice(GIVEN), "family": dice.choice(FAMILY), "number": any_number(dice)}


def digits(number):
    return "".join(filter(str.isdecimal, number))[-10:]


def fresh(episode, probe):
    """Return the rows of a probe added since the start."""
    return [row for row in episode.probe(probe) if row not in episode.initial_probe(probe)]


def names():
    return [
        open_app(),
        tap(content_desc="Create new contact"),
        type_text("{given}", xpath="//*[@text='First name']"),
        type_text("{family}", xpath="//*[@text='Last name']"),
    ]


@task(
    "In Contacts, add {given} {family}, whose mobile number is {number}.",
    app=CONTACTS,
    level=2,
    probes={"numbers": sqlite(DATABASE, DETAILS.format("phone_v2"))},
    parameters=somebody,
    solution=[*names(), type_text("{number}", xpath="//*[@text='Phone']"), tap(text="Save")],
)
def test_add_number(episode, given, family, number):
    added = [(row["name"], digits(row["value"])) for row in fresh(episode, "numbers")]
    assert added == [(f"{given} {family}", number)]


@task(
    "In Contacts, add {given} {family}, who works at {company}.",
    app=CONTACTS,
    level=2,
    probes={"companies": sqlite(DATABASE, DETAILS.format("organization"))},
    parameters=lambda dice: {**somebody(dice), "company": dice.choice(COMPANIES)},
    solution=[*names(), type_text("{company}", xpath="//*[@text='Company']"), tap(text="Save")],
)
def test_add_company(episode, given, family, company):
    added = [(row["name"], row["value"]) for row in fresh(episode, "companies")]
    assert added == [(f"{given} {family}", company)]


@task(
    "In Contacts, add {given} {family} with the email address {given}.{family}@example.org.",
    app=CONTACTS,
    level=2,
    probes={"mails": sqlite(DATABASE, DETAILS.format("email_v2"))},
    parameters=somebody,
    solution=[
        *names(),
        type_text("{given}.{family}@example.org", xpath="//*[@text='Email']"),
        tap(text="Save"),
    ],
)
def test_add_mail(episode, given, family):
    added = [(row["name"], row["value"]) for row in fresh(episode, "mails")]
    assert added == [(f"{given} {family}", f"{given}.{family}@example.org")]


@task(
    "Lena Fischer has moved: in Contacts, change her number to {number}.",
    app=CONTACTS,
    level=2,
    probes={"numbers": sqlite(DATABASE, DETAILS.format("phone_v2"))},
    parameters=lambda dice: {"number": any_number(dice)},
    solution=[
        open_app(),
        tap(content_desc="Lena Fischer"),
        tap(content_desc="Edit contact"),
        type_text("{number}", clear=True, xpath="//*[@text='(415) 555-0183']"),
        tap(text="Save"),
    ],
)
def test_change_number(episode, number):
    rows = episode.probe("numbers")
    assert [digits(r["value"]) for r in rows if r["name"] == "Lena Fischer"] == [number]


@task(
    'Send {name} the text message "{text}".',
    app=MESSAGES,
    level=2,
    probes={"sent": SENT},
    parameters=lambda dice: {"name": dice.choice(list(KNOWN)), "text": dice.choice(TEXTS)},
    solution=[
        open_app(),
        tap(content_desc="Start chat"),
        type_text("{name}", resource_id="recipient_text_view"),
        tap(resource_id="contact_name", text="{name}"),
        type_text("{text}", resource_id="compose_message_text"),
        tap(content_desc="Send SMS"),
    ],
)
def test_send(episode, name, text):
    sent = [(digits(row["address"]), row["body"]) for row in fresh(episode, "sent")]
    assert sent == [(KNOWN[name], text)]


@pytest.mark.parametrize("name", ["Grace Lindholm", "Priya Raman", "Evelyn Shaw"])
@task(
    'Answer {name} in our conversation in Messages: "{text} {number}"',
    app=MESSAGES,
    level=1,
    probes={"sent": SENT},
    parameters=lambda dice: {"text": dice.choice(TEXTS), "number": dice.randint(1, 9)},
    solution=[
        open_app(),
        tap(text="{name}"),
        type_text("{text} {number}", resource_id="compose_message_text"),
        tap(content_desc="Send SMS"),
    ],
)
def test_reply(episode, name, text, number):
    assert [row["body"] for row in fresh(episode, "sent")] == [f"{text} {number}"]


@task(
    "In Phone, call {number} by its keypad, and stay in the call.",
    app=PHONE,
    level=2,
    parameters=lambda dice: {"number": any_number(dice)},
    solution=[
        open_app(),
        tap(content_desc="key pad"),
        *(tap(xpath=f"//*[@text=substring('{{number}}', {at}, 1)]") for at in range(1, 11)),
        tap(content_desc="dial"),
    ],
)
def test_call(episode, number):
    assert episode.screen.find_all(resource_id="incall_end_call")
    assert digits(episode.screen.get(resource_id="contactgrid_contact_name").text) == number


@task(
    "In Phone, block calls from {number}.",
    app=PHONE,
    level=2,
    probes={"blocked": BLOCKED},
    parameters=lambda dice: {"number": any_number(dice)},
    solution=[
        open_app(),
        tap(content_desc="More options"),
        tap(text="Settings"),
        tap(text="Blocked numbers"),
        tap(text="Add a number"),
        type_text("{number}", resource_id="add_blocked_number"),
        tap(text="Block"),
    ],
)
def test_block(episode, number):
    assert [digits(row["original_number"]) for row in fresh(episode, "blocked")] == [number]
