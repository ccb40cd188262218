"""Contacts: two tasks."""

from pytest_mobileagent import open_app, tap, type_text

from ._registry import solves


@solves("ContactsAddContact")
def add_contact(params):
    first, last = params["name"].split(" ", 1)
    return [
        open_app("com.google.android.contacts"),
        tap(content_desc="Create new contact"),
        type_text(first, xpath="//*[@text='First name']"),
        type_text(last, xpath="//*[@text='Last name']"),
        type_text(params["number"], xpath="//*[@text='Phone']"),
        tap(text="Save"),
    ]
