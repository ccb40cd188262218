"""Contacts: two tasks."""

from pytest_mobileagent import open_app, tap, type_text

from ._registry import solves


def fill_in(first, last, number):
    """Return the moves that fill the form of a new contact in, without saving it."""
    return [
        open_app("com.google.android.contacts"),
        tap(content_desc="Create new contact"),
        type_text(first, xpath="//*[@text='First name']"),
        type_text(last, xpath="//*[@text='Last name']"),
        type_text(number, xpath="//*[@text='Phone']"),
    ]


@solves("ContactsAddContact")
def add_contact(params):
    first, last = params["name"].split(" ", 1)
    return [*fill_in(first, last, params["number"]), tap(text="Save")]


@solves("ContactsNewContactDraft")
def draft_contact(params):
    label = [tap(text="Mobile"), tap(text=params["phone_label"])]
    return [*fill_in(params["first"], params["last"], params["phone"]), *label]
