"""Contacts whose names or numbers are missing."""

from pytest_mobileagent import (
    answer,
    ask_user,
    open_app,
    questions,
    seen,
    sqlite,
    tap,
    task,
    type_text,
)

CONTACTS = "com.google.android.contacts"
DATABASE = "/data/data/com.android.providers.contacts/databases/contacts2.db"
NUMBERS = sqlite(
    DATABASE,
    "SELECT display_name AS name, data1 AS number, data2 AS type FROM data"
    " JOIN raw_contacts ON raw_contact_id = raw_contacts._id"
    " JOIN mimetypes ON mimetype_id = mimetypes._id WHERE mimetype LIKE '%/phone_v2'",
)
STARRED = sqlite(DATABASE, "SELECT display_name FROM raw_contacts WHERE starred ORDER BY 1")


def digits(number):
    return "".join(filter(str.isdecimal, number))


@task(
    "In Contacts, add Amir Nazari, whose mobile number is 4155550121.",
    vague="Add my new colleague to Contacts.",
    app=CONTACTS,
    level=2,
    probes={"numbers": NUMBERS},
    user=questions(
        [
            ("What is the first name of your colleague?", "Amir"),
            ("What is the last name?", "Nazari"),
            ("What is the phone number?", "4155550121"),
            ("Is it a mobile or a work number?", "Mobile"),
            ("Is there an e-mail address?", "No, I do not know any"),
            ("For which company?", "Leave that empty"),
        ]
    ),
    solution=[
        open_app(),
        tap(content_desc="Create new contact"),
        ask_user("What is your colleague's first name?", given="New"),
        type_text("{given}", xpath="//*[@text='First name']"),
        ask_user("And the last name?", family="Colleague"),
        type_text("{family}", xpath="//*[@text='Last name']"),
        ask_user("Which phone number?", number="4155550100"),
        type_text("{number}", xpath="//*[@text='Phone']"),
        tap(text="Save"),
    ],
)
def test_colleague(episode):
    new = [row for row in episode.probe("numbers") if row not in episode.initial_probe("numbers")]
    assert [(row["name"], digits(row["number"]), row["type"]) for row in new] == [
        ("Amir Nazari", "4155550121", "2")
    ]


@task(
    "In Contacts, make Daniel Okafor a favorite.",
    vague="Make a friend of mine a favorite.",
    app=CONTACTS,
    level=1,
    probes={"starred": STARRED},
    user=questions(
        [
            ("In which app?", "Contacts"),
            ("Which friend do you mean?", "Daniel Okafor"),
            ("Should I remove other favorites?", "No"),
            ("Which number should be the default one?", "Leave the numbers alone"),
            ("Should I call your friend, too?", "No"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("Which of your friends?", friend="Ana Ribeiro"),
        tap(content_desc="{friend}"),
        tap(content_desc="Add to favorites"),
    ],
)
def test_favorite(episode):
    before = {row["display_name"] for row in episode.initial_probe("starred")}
    after = {row["display_name"] for row in episode.probe("starred")}
    assert after - before == {"Daniel Okafor"}


@task(
    "In Contacts, change the number of Lena Fischer to (212) 555-0119.",
    vague="Lena Fischer has moved: change her number in Contacts.",
    app=CONTACTS,
    level=2,
    probes={"numbers": NUMBERS},
    user=questions(
        [
            ("What is her new number?", "(212) 555-0119"),
            ("Is it her home or her mobile number?", "Still her home number"),
            ("Should I keep the old number?", "No, replace it"),
            ("Did her name change?", "No"),
            ("What is her new street?", "Leave her street out"),
        ]
    ),
    solution=[
        open_app(),
        tap(content_desc="Lena Fischer"),
        tap(content_desc="Edit contact"),
        ask_user("Which is the new number?", number="(212) 555-0100"),
        type_text("{number}", clear=True, xpath="//*[@text='(415) 555-0183']"),
        tap(text="Save"),
    ],
)
def test_number(episode):
    hers = [row for row in episode.probe("numbers") if row["name"] == "Lena Fischer"]
    assert [(digits(row["number"]), row["type"]) for row in hers] == [("2125550119", "1")]


@task(
    "What is the e-mail address of Nadia Haddad in Contacts?",
    vague="Tell me an e-mail address from Contacts.",
    app=CONTACTS,
    kind="single-frame query",
    level=1,
    user=questions(
        [
            ("Whose address do you need?", "Nadia Haddad"),
            ("The private one or the one at work?", "There is only one"),
            ("Do you want the phone number, too?", "No"),
            ("Should I write to her?", "No, only tell me the address"),
            ("Where should I look for it?", "In Contacts"),
        ]
    ),
    solution=[
        open_app(),
        ask_user("Whose e-mail address?", who="Grace Lindholm"),
        tap(content_desc="{who}"),
        answer(seen(xpath="//*[contains(@text, '@')]")),
    ],
)
def test_address(episode):
    assert episode.answers("nadia.haddad@example.com")
