"""People in Contacts."""

import pytest

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task, type_text
from pytest_mobileagent.answers import one_of

CONTACTS = "com.google.android.contacts"
DATABASE = "/data/data/com.android.providers.contacts/databases/contacts2.db"
NUMBERS = sqlite(
    DATABASE,
    "SELECT display_name AS name, data1 AS number, data2 AS type FROM data"
    " JOIN raw_contacts ON raw_contact_id = raw_contacts._id"
    " JOIN mimetypes ON mimetype_id = mimetypes._id WHERE mimetype LIKE '%/phone_v2'",
)
STARRED = sqlite(DATABASE, "SELECT display_name FROM raw_contacts WHERE starred ORDER BY 1")
NAMES = sqlite(DATABASE, "SELECT display_name FROM raw_contacts WHERE deleted = 0 ORDER BY 1")


def digits(number):
    return "".join(filter(str.isdecimal, number))


@pytest.mark.parametrize(
    ("given", "family", "number"),
    [("Amir", "Nazari", "4155550121"), ("Julia", "Berg", "6505550177")],
)
@task(
    "In Contacts, add {given} {family}, whose mobile number is {number}.",
    app=CONTACTS,
    level=2,
    probes={"numbers": NUMBERS},
    solution=[
        open_app(),
        tap(content_desc="Create new contact"),
        type_text("{given}", xpath="//*[@text='First name']"),
        type_text("{family}", xpath="//*[@text='Last name']"),
        type_text("{number}", xpath="//*[@text='Phone']"),
        tap(text="Save"),
    ],
)
def test_add(episode, given, family, number):
    new = [row for row in episode.probe("numbers") if row not in episode.initial_probe("numbers")]
    assert [(row["name"], digits(row["number"]), row["type"]) for row in new] == [
        (f"{given} {family}", number, "2")
    ]


@task(
    "Open Contacts. For which company does Hiro Tanaka work?",
    app=CONTACTS,
    kind="single-frame query",
    level=1,
    solution=[
        open_app(),
        tap(content_desc="Hiro Tanaka"),
        answer(seen(text="Tidewater Labs")),
    ],
)
def test_company(episode):
    assert episode.answers(one_of("Tidewater Labs", "Tidewater"))


@task(
    "In Contacts, make Daniel Okafor a favorite, and no longer Ben Carter.",
    app=CONTACTS,
    level=2,
    probes={"starred": STARRED},
    solution=[
        open_app(),
        tap(content_desc="Daniel Okafor"),
        tap(content_desc="Add to favorites"),
        tap(content_desc="Navigate up"),
        tap(content_desc="Ben Carter"),
        tap(content_desc="Remove from favorites"),
    ],
)
def test_favorites(episode):
    names = [row["display_name"] for row in episode.probe("starred")]
    assert names == ["Daniel Okafor", "Grace Lindholm", "Mom"]


@task(
    "Lena Fischer has moved: in Contacts, change her number to (212) 555-0119, and keep it as her "
    "home number.",
    app=CONTACTS,
    level=2,
    probes={"numbers": NUMBERS},
    solution=[
        open_app(),
        tap(content_desc="Lena Fischer"),
        tap(content_desc="Edit contact"),
        type_text("(212) 555-0119", clear=True, xpath="//*[@text='(415) 555-0183']"),
        tap(text="Save"),
    ],
)
def test_change_number(episode):
    hers = [row for row in episode.probe("numbers") if row["name"] == "Lena Fischer"]
    assert [(digits(row["number"]), row["type"]) for row in hers] == [("2125550119", "1")]


@task(
    "In Contacts, delete everyone who works at Tidewater Labs, and nobody else.",
    app=CONTACTS,
    level=3,
    probes={"names": NAMES},
    solution=[
        open_app(),
        tap(content_desc="Hiro Tanaka"),
        tap(content_desc="More options"),
        tap(text="Delete"),
        tap(text="Delete"),
        tap(content_desc="Search contacts"),
        type_text("Priya", resource_id="search_view"),
        tap(content_desc="Priya Raman"),
        tap(content_desc="More options"),
        tap(text="Delete"),
        tap(text="Delete"),
    ],
)
def test_delete_colleagues(episode):
    before = {row["display_name"] for row in episode.initial_probe("names")}
    after = {row["display_name"] for row in episode.probe("names")}
    assert before - after == {"Hiro Tanaka", "Priya Raman"}


@task(
    "Open the page of Marcus Webb in Contacts.",
    app=CONTACTS,
    level=1,
    solution=[open_app(), tap(content_desc="Marcus Webb")],
)
def test_open(episode):
    assert episode.screen.find_all(resource_id="large_title", text="Marcus Webb")
