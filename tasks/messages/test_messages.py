"""Conversations in Messages."""

import pytest

from pytest_mobileagent import answer, long_press, open_app, sqlite, tap, task, type_text
from pytest_mobileagent.answers import exact

MESSAGES = "com.google.android.apps.messaging"
DATABASE = "/data/data/com.android.providers.telephony/databases/mmssms.db"
SENT = sqlite(DATABASE, "SELECT address, body FROM sms WHERE type = 2 ORDER BY _id")
KEPT = sqlite(DATABASE, "SELECT address, count(*) AS messages FROM sms GROUP BY address ORDER BY 1")
THREADS = sqlite(
    DATABASE,
    "SELECT address, archived FROM threads JOIN canonical_addresses"
    " ON canonical_addresses._id = recipient_ids ORDER BY address",
)


def digits(number):
    return "".join(filter(str.isdecimal, number))[-10:]


def fresh(episode):
    """Return the messages sent since the start."""
    return episode.probe("sent")[len(episode.initial_probe("sent")) :]


NUMBERS = {"Oscar Delgado": "6505550148", "Nadia Haddad": "6285550172"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Oscar Delgado", "I will be ten minutes late."),
        ("Nadia Haddad", "Happy birthday, Nadia!"),
    ],
)
@task(
    'Send {name} the text message "{text}".',
    app=MESSAGES,
    level=2,
    probes={"sent": SENT},
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
    number = NUMBERS[name]
    assert [(digits(row["address"]), row["body"]) for row in fresh(episode)] == [(number, text)]


@task(
    "Look in Messages: what is the code for Grace's garden gate?",
    app=MESSAGES,
    kind="single-frame query",
    level=1,
    solution=[
        open_app(),
        tap(text="Grace Lindholm"),
        answer("4471"),
    ],
)
def test_code(episode):
    assert episode.saw(text="The code for the gate is 4471. Turn the knob to the left.")
    assert episode.answers(exact("4471"))


@task(
    "The dentist has asked me something in Messages. Confirm the appointment.",
    app=MESSAGES,
    level=2,
    probes={"sent": SENT},
    solution=[
        open_app(),
        tap(text="Evelyn Shaw"),
        type_text("YES", resource_id="compose_message_text"),
        tap(content_desc="Send SMS"),
    ],
)
def test_confirm(episode):
    replies = [(digits(row["address"]), row["body"].strip().upper()) for row in fresh(episode)]
    assert replies == [("4155550190", "YES")]


@task(
    "In Messages, delete the conversation with the verification code, and archive the one with "
    "Priya.",
    app=MESSAGES,
    level=3,
    probes={"kept": KEPT, "threads": THREADS},
    solution=[
        open_app(),
        long_press(text="72645"),
        tap(content_desc="Delete"),
        tap(text="Delete"),
        long_press(text="Priya Raman"),
        tap(content_desc="Archive"),
    ],
)
def test_tidy_up(episode):
    assert episode.probe("kept") == [
        row for row in episode.initial_probe("kept") if row["address"] != "72645"
    ]
    archived = [digits(row["address"]) for row in episode.probe("threads") if row["archived"]]
    assert archived == ["4085550196"]


@task(
    "Open the conversation with Priya Raman in Messages.",
    app=MESSAGES,
    level=1,
    solution=[open_app(), tap(text="Priya Raman")],
)
def test_open(episode):
    assert episode.screen.find_all(resource_id="conversation_title", text="Priya Raman")
