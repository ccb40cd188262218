"""Contacts: ten tasks of MobileAgentBench."""

from typing import Any

from pytest_mobileagent import press as press_key
from pytest_mobileagent import provider, scroll, tap, tasks, type_text

from .checks import OK, at, confirmed, digits, equal, saved, searched, texts, view
from .setups import DATA, both, fresh, nobody, person, press
from .table import SOURCE, fields, of

PEOPLE = {
    "people": provider("content://com.android.contacts/contacts", ["display_name", "starred"]),
    "numbers": provider(
        DATA, ["display_name", "data1"], where="mimetype='vnd.android.cursor.item/phone_v2'"
    ),
}
PHONE_STORAGE = "//*[starts-with(@text, 'Phone storage') and not(contains(@text, 'not visible'))]"


def numbers(episode):
    """Return the numbers of Yuzai."""
    each = episode.probe("numbers")
    return [digits(row["data1"]) for row in each if row["display_name"] == "Yuzai"]


def names(episode):
    return [row["display_name"] for row in episode.probe("people")]


def deleted(episode):
    before = [row["display_name"] for row in episode.initial_probe("people")]
    return equal(sorted(names(episode)), sorted(name for name in before if name != "Yuzai"))


def favorite(episode):
    people = episode.probe("people")
    return equal([row["starred"] for row in people if row["display_name"] == "Yuzai"], ["1"])


def created(episode):
    """Ask whether there is such a contact, either in the provider or in the app's own storage."""
    filled = {"contact_first_name": "Yuzai", "contact_number": "123456789"}
    return saved(episode, "fragment_fab", **filled) or equal(numbers(episode), ["123456789"])


def filtered(episode):
    """Ask whether the list is empty because of the filter, whose box for the phone was tapped."""
    is_empty = episode.screen.find(text="Change filter", package=episode.app)
    return is_empty and episode.tapped(xpath=PHONE_STORAGE) and episode.tapped(resource_id=OK)


def without_dialpad(episode):
    return view(episode, "fragment_fab") and not view(episode, "main_dialpad_button")


def sorted_by_date(episode):
    shown = [name for name in texts(episode, "item_contact_name") if name in {"Yuzai", "Zack"}]
    chosen = ("sorting_dialog_radio_date_created", "sorting_dialog_radio_descending")
    return confirmed(episode, *chosen) and equal(shown, ["Zack", "Yuzai"])


QUESTIONS = {
    "contacts_about": at(".AboutActivity"),
    "contacts_create": created,
    "contacts_delete": deleted,
    "contacts_favorite": favorite,
    "contacts_filter": filtered,
    "contacts_hide_email": lambda e: confirmed(e, off=("manage_visible_fields_emails",)),
    "contacts_modify": lambda e: equal(numbers(e), ["987654321"]),
    "contacts_remove_dialog": without_dialpad,
    "contacts_search": searched("Yuzai"),
    "contacts_sort": sorted_by_date,
}
YUZAI = both(nobody, person("Yuzai", "123456789"))
SETUPS = {
    **{row.id: fresh(nobody) for row in of("contacts")},
    **{f"contacts_{name}": fresh(YUZAI) for name in ("delete", "favorite", "filter", "modify")},
    "contacts_hide_email": fresh(
        nobody, person("Yuzai", "123456789", "yuzai@gmail.com"), after=[press(text="Yuzai")]
    ),
    "contacts_search": fresh(YUZAI),
    "contacts_sort": fresh(both(YUZAI, person("Zack", "123456789"))),
}

FIRST_NAME: dict[str, Any] = {"resource_id": "contact_first_name"}
NUMBER: dict[str, Any] = {"resource_id": "contact_number"}
MENU = tap(content_desc="More options")
PERSON = tap(text="Yuzai")
DIALPAD: dict[str, Any] = {"text": "Show a dialpad button on the main screen"}
SOLUTIONS = {
    "contacts_about": [MENU, tap(text="About")],
    "contacts_create": [
        tap(resource_id="fragment_fab"),
        type_text("Yuzai", **FIRST_NAME),
        type_text("123456789", **NUMBER),
        tap(resource_id="save"),
    ],
    "contacts_delete": [PERSON, tap(resource_id="delete"), tap(resource_id=OK)],
    "contacts_favorite": [PERSON, tap(resource_id="contact_toggle_favorite")],
    "contacts_filter": [tap(resource_id="filter"), tap(xpath=PHONE_STORAGE), tap(resource_id=OK)],
    "contacts_hide_email": [
        MENU,
        tap(text="Manage shown contact fields"),
        tap(resource_id="manage_visible_fields_emails"),
        tap(resource_id=OK),
    ],
    "contacts_modify": [
        PERSON,
        tap(resource_id="edit"),
        type_text("987654321", clear=True, **NUMBER),
        tap(resource_id="save"),
    ],
    "contacts_remove_dialog": [
        MENU,
        tap(text="Settings"),
        scroll("up", until=DIALPAD),
        tap(**DIALPAD),
        press_key("back"),
    ],
    "contacts_search": [type_text("Yuzai", resource_id="top_toolbar_search")],
    "contacts_sort": [
        tap(resource_id="sort"),
        tap(resource_id="sorting_dialog_radio_date_created"),
        tap(resource_id="sorting_dialog_radio_descending"),
        tap(resource_id=OK),
    ],
}


@tasks(of("contacts"), each=fields("contacts", SOLUTIONS, SETUPS, probes=PEOPLE), source=SOURCE)
def test_contacts(episode, row):
    assert episode.ever(QUESTIONS[row.id])
