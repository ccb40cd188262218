"""Contacts: ten tasks of MobileAgentBench."""

from pytest_mobileagent import provider, tasks

from .checks import OK, at, confirmed, digits, searched, texts, view
from .setups import DATA, both, fresh, nobody, person, press
from .table import SOURCE, fields, of

PEOPLE = {
    "people": provider("content://com.android.contacts/contacts", ["display_name", "starred"]),
    "numbers": provider(
        DATA, ["display_name", "data1"], where="mimetype='vnd.android.cursor.item/phone_v2'"
    ),
}
OTHER_STORAGE = "//*[starts-with(@text, 'Phone storage') and not(contains(@text, 'not visible'))]"


def numbers(episode):
    """Return the numbers of Yuzai."""
    each = episode.probe("numbers")
    return [digits(row["data1"]) for row in each if row["display_name"] == "Yuzai"]


def names(episode):
    return [row["display_name"] for row in episode.probe("people")]


def deleted(episode):
    before = [row["display_name"] for row in episode.initial_probe("people")]
    return sorted(names(episode)) == sorted(name for name in before if name != "Yuzai")


def favorite(episode):
    return {"display_name": "Yuzai", "starred": "1"} in episode.probe("people")


def filtered(episode):
    """Ask whether the list is empty because of the filter, whose box for the phone was tapped."""
    is_empty = episode.screen.find(text="Change filter", package=episode.app)
    return is_empty and episode.tapped(xpath=OTHER_STORAGE) and episode.tapped(resource_id=OK)


def without_dialpad(episode):
    return view(episode, "fragment_fab") and not view(episode, "main_dialpad_button")


def sorted_by_date(episode):
    shown = [name for name in texts(episode, "item_contact_name") if name in {"Yuzai", "Zack"}]
    chosen = ("sorting_dialog_radio_date_created", "sorting_dialog_radio_descending")
    return shown == ["Zack", "Yuzai"] and confirmed(episode, *chosen)


QUESTIONS = {
    "contacts_about": at(".AboutActivity"),
    "contacts_create": lambda e: numbers(e) == ["123456789"],
    "contacts_delete": deleted,
    "contacts_favorite": favorite,
    "contacts_filter": filtered,
    "contacts_hide_email": lambda e: confirmed(e, off=("manage_visible_fields_emails",)),
    "contacts_modify": lambda e: numbers(e) == ["987654321"],
    "contacts_remove_dialog": without_dialpad,
    "contacts_search": searched("Yuzai"),
    "contacts_sort": sorted_by_date,
}
YUZAI = person("Yuzai", "123456789")
SETUPS = {
    "contacts_create": fresh(nobody),
    **{f"contacts_{name}": fresh(YUZAI) for name in ("delete", "favorite", "filter", "modify")},
    "contacts_hide_email": fresh(
        person("Yuzai", "123456789", "yuzai@gmail.com"), after=[press(text="Yuzai")]
    ),
    "contacts_search": fresh(YUZAI),
    "contacts_sort": fresh(both(YUZAI, person("Zack", "123456789"))),
}


@tasks(of("contacts"), each=fields("contacts", {}, SETUPS, probes=PEOPLE), source=SOURCE)
def test_contacts(episode, row):
    assert episode.ever(QUESTIONS[row.id])
