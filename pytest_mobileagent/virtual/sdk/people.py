"""Contacts as apps show them: names for telephone numbers, and round avatars with an initial."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.content import numbers
from pytest_mobileagent.virtual.ui import Icon, Image

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui import View

CONTACTS: Final = "content://com.android.contacts"
PHONE_TYPES: Final = {1: "Home", 2: "Mobile", 3: "Work", 12: "Main", 7: "Other"}
EMAIL_TYPES: Final = {1: "Home", 2: "Work", 4: "Mobile", 3: "Other"}
COLORS: Final = ("#b3591e", "#1b6e5a", "#5b4fa2", "#a13a66", "#2f6695", "#5f6f1f", "#8c4f7d")
NOBODY: Final = "#6b7280"


@dataclass(frozen=True, slots=True)
class Person:
    """A contact; `number` and `type` describe one of its telephone numbers, if it was queried."""

    id: int
    name: str
    starred: bool = False
    number: str = ""
    type: int = 0


class People:
    """Queries of the contacts provider."""

    def __init__(self, phone: Phone) -> None:
        self._resolver = phone.resolver

    def all(
        self, search: str = "", *, by_last: bool = False, last_first: bool = False
    ) -> list[Person]:
        """Return the contacts whose name contains a word that starts with the search text.

        They are sorted by first name, or by last name with `by_last`; with `last_first` each name
        begins with the last name.
        """
        name = "display_name_alt" if last_first else "display_name"
        rows = self._resolver.query(
            f"{CONTACTS}/contacts",
            ("_id", name, "starred"),
            "display_name IS NOT NULL AND ' ' || display_name LIKE '% ' || ? || '%'",
            (search.strip(),),
            f"{'sort_key_alt' if by_last else 'sort_key'} COLLATE NOCASE",
        )
        return [Person(row["_id"], row[name], bool(row["starred"])) for row in rows]

    def with_numbers(self, search: str = "") -> list[Person]:
        """Return the contacts' numbers, by the start of a word of the name or by some digits."""
        uri, order = f"{CONTACTS}/data/phones", "sort_key COLLATE NOCASE"
        columns = ("contact_id", "display_name", "starred", "data1", "data2")
        found = []
        for row in self._resolver.query(uri, columns, sort=order):
            if number := row["data1"]:
                name, kind = row["display_name"] or number, int(row["data2"] or 7)
                found.append(Person(row["contact_id"], name, bool(row["starred"]), number, kind))
        return [person for person in found if _answers(person, search.strip())]

    def by_number(self, number: str) -> Person | None:
        """Return the contact with a telephone number, or None."""
        people = self.with_numbers()
        return next((each for each in people if numbers.same(each.number, number)), None)

    def name_of(self, number: str) -> str:
        """Return the name to show for a number: its contact's, or the formatted number itself."""
        person = self.by_number(number)
        return person.name if person else numbers.formatted(number)


def avatar(name: str, size: float = 40) -> View:
    """Build a round picture with the initial of a name, or a person icon for a plain number."""
    initial = name[:1].upper()
    if not initial.isalpha():
        return Image(Icon("person", NOBODY), size=size)
    return Image(Icon(initial, COLORS[zlib.crc32(name.encode()) % len(COLORS)]), size=size)


def _answers(person: Person, search: str) -> bool:
    if f" {search.casefold()}" in f" {person.name.casefold()}":
        return True
    digits = numbers.bare(search)
    return bool(digits) and digits in numbers.bare(person.number)
