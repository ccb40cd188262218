"""The contacts provider: people, what is known of them, the call log and blocked numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from pytest_mobileagent.virtual.app import App
from pytest_mobileagent.virtual.system.providers import numbers
from pytest_mobileagent.virtual.system.providers.contacts_schema import (
    BLOCKED,
    CALLS,
    CONTACTS,
    MIME,
)
from pytest_mobileagent.virtual.system.providers.names import Named, split, written
from pytest_mobileagent.virtual.system.providers.provider import (
    Ask,
    Provider,
    ProviderError,
    Rows,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.virtual.system.providers.provider import Values
    from pytest_mobileagent.virtual.system.providers.uri import Uri

DIR = "vnd.android.cursor.dir/"
SORT = "sort_key COLLATE NOCASE"
PHONE, EMAIL, NAME = f"{MIME}phone_v2", f"{MIME}email_v2", f"{MIME}name"
NICKNAME, COMPANY = f"{MIME}nickname", f"{MIME}organization"
_PERSON = (
    "lookup display_name last_time_contacted times_contacted starred in_default_directory"
    " in_visible_group photo_id photo_file_id photo_uri photo_thumb_uri custom_ringtone"
    " has_phone_number send_to_voicemail"
)
_LOOKUP_COLUMNS = (
    *("_id", "contact_id", "data_id"),
    *_PERSON.split(),
    *("number", "type", "label", "normalized_number"),
)
_LOOKUP = (
    "(SELECT people._id AS _id, people._id AS contact_id, phone_lookup.data_id AS data_id, "
    + ", ".join(f"people.{column} AS {column}" for column in _PERSON.split())
    + ", data.data1 AS number, data.data2 AS type, data.data3 AS label,"
    " data.data4 AS normalized_number, min_match"
    " FROM phone_lookup JOIN data ON data._id = phone_lookup.data_id"
    " JOIN raw_contacts ON raw_contacts._id = data.raw_contact_id"
    " JOIN view_contacts AS people ON people._id = raw_contacts.contact_id)"
)
_PHONES = (
    "(SELECT _id, contact_id AS person, display_name AS name, display_name, data1 AS number,"
    " data2 AS type, data3 AS label, data4 AS number_key, is_primary AS isprimary, starred"
    " FROM view_data WHERE mimetype = '" + PHONE + "')"
)
_PEOPLE = (
    "(SELECT _id, display_name AS name, display_name, starred, 0 AS times_contacted,"
    " 0 AS last_time_contacted, custom_ringtone, send_to_voicemail FROM view_contacts)"
)
_SOURCES = ((NAME, 40), (NICKNAME, 35), (COMPANY, 30), (PHONE, 20), (EMAIL, 10))


def _of(mime: str) -> str:
    return f"mimetype = '{mime}'"


class Contacts(Provider):
    """People: contacts are aggregates of raw contacts, to which rows of data belong."""

    authorities = ("com.android.contacts", "contacts")
    database_name = "contacts2.db"
    tables: ClassVar[Mapping[str, Table]] = {
        "contacts": Table("view_contacts", type=f"{DIR}contact"),
        "contacts/#": Table("view_contacts", "_id = ?", type=f"{MIME}contact"),
        "contacts/#/data": Table("view_data", "contact_id = ?", "data"),
        "contacts/lookup/*": Table("view_contacts", "lookup = ?", type=f"{MIME}contact"),
        "contacts/lookup/*/#": Table(
            "view_contacts", "(lookup = ? OR 1) AND _id = ?", type=f"{MIME}contact"
        ),
        "contacts/filter/*": Table("view_contacts", type=f"{DIR}contact", sort=SORT),
        "contacts/strequent": Table("view_contacts", "starred = 1", sort=SORT),
        "raw_contacts": Table("view_raw_contacts", "", "raw_contacts", f"{DIR}raw_contact"),
        "raw_contacts/#": Table(
            "view_raw_contacts", "_id = ?", "raw_contacts", f"{MIME}raw_contact"
        ),
        "raw_contacts/#/data": Table("view_data", "raw_contact_id = ?", "data"),
        "data": Table("view_data", "", "data", f"{DIR}data"),
        "data/#": Table("view_data", "_id = ?", "data"),
        "data/phones": Table("view_data", _of(PHONE), "data", f"{DIR}phone_v2"),
        "data/phones/#": Table("view_data", f"{_of(PHONE)} AND _id = ?", "data", PHONE),
        "data/phones/filter/*": Table(
            "view_data", f"{_of(PHONE)} AND display_name || data1 LIKE '%' || ? || '%'", sort=SORT
        ),
        "data/emails": Table("view_data", _of(EMAIL), "data", f"{DIR}email_v2"),
        "data/emails/#": Table("view_data", f"{_of(EMAIL)} AND _id = ?", "data", EMAIL),
        "data/emails/lookup/*": Table(
            "view_data", f"{_of(EMAIL)} AND data1 = ? COLLATE NOCASE", "data"
        ),
        "data/postals": Table("view_data", _of(f"{MIME}postal-address_v2"), "data"),
        "phone_lookup/*": Table(_LOOKUP, columns=_LOOKUP_COLUMNS),
        "groups": Table("view_groups", "", "groups", f"{DIR}group"),
        "groups/#": Table("view_groups", "_id = ?", "groups", f"{MIME}group"),
        "deleted_contacts": Table("deleted_contacts"),
        "settings": Table("settings"),
        "phones": Table(_PHONES, type=f"{DIR}phone"),
        "people": Table(_PEOPLE, type=f"{DIR}person"),
    }

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Give people or data; searches compare words of names, and numbers loosely."""
        table, found = self.table(uri)
        if uri.path[0] == "phone_lookup":
            ask = ask.within("min_match = ?", (numbers.min_match(found[0]),))
            return self.select(_LOOKUP, ask, allowed=_LOOKUP_COLUMNS)
        if uri.path[:2] == ("contacts", "filter"):
            like = ("' ' || display_name LIKE '% ' || ? || '%'", found)
            return self.select("view_contacts", ask.within(*like), sort=table.sort)
        return super().query(uri, ask)

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Add a raw contact, which makes a contact, or a row of data."""
        table, found = self.table(uri)
        match table.into:
            case "raw_contacts":
                return f"{uri}/{self._add_raw_contact(values)}"
            case "data":
                if found:
                    values = {"raw_contact_id": found[0], **values}
                return f"content://{uri.authority}/data/{self._add_data(values)}"
            case "groups":
                account = self._account(values)
                return f"{uri}/{self.add('groups', {**values, 'account_id': account})}"
        raise ProviderError(
            "UnsupportedOperationException", "Aggregate contacts are created automatically"
        )

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Change contacts, raw contacts or data, and what follows from that."""
        table, found = self.table(uri)
        meant = self.ids(table.source, ask.within(table.where, found))
        for number in meant:
            if table.into == "data":
                self._change("data", number, self._stored(values))
                self._index(number)
            elif table.into == "raw_contacts":
                self._change("raw_contacts", number, values)
                self._refresh(number)
            elif table.source == "view_contacts":
                self._change("contacts", number, values)
                shared = {"starred", "pinned", "custom_ringtone", "send_to_voicemail"}
                if kept := {key: each for key, each in values.items() if key in shared}:
                    self._change("raw_contacts", number, kept, "contact_id")
            else:
                self._change(table.into or table.source, number, values)
        return len(meant)

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Remove contacts with all that belongs to them, raw contacts, or data."""
        table, found = self.table(uri)
        meant = self.ids(table.source, ask.within(table.where, found))
        for number in meant:
            if table.source == "view_contacts":
                self.run("DELETE FROM raw_contacts WHERE contact_id = ?", number)
                self.run("DELETE FROM contacts WHERE _id = ?", number)
                now = int(self.phone.clock.time() * 1000)
                self.add(
                    "deleted_contacts", {"contact_id": number, "contact_deleted_timestamp": now}
                )
                continue
            owner = self._owner(number) if table.into == "data" else 0
            self.run(f"DELETE FROM {table.into or table.source} WHERE _id = ?", number)
            if owner:
                self._refresh(owner)
        return len(meant)

    # Raw contacts.

    def _add_raw_contact(self, values: Values) -> int:
        account = self._account(values)
        columns = {k: v for k, v in values.items() if not k.startswith(("account_", "data_set"))}
        with self.db.batch():
            raw = self.add("raw_contacts", {**columns, "account_id": account})
            now = int(self.phone.clock.time() * 1000)
            contact = self.add(
                "contacts", {"name_raw_contact_id": raw, "contact_last_updated_timestamp": now}
            )
            self._change("raw_contacts", raw, {"contact_id": contact, "aggregation_needed": 0})
            self._refresh(raw)
        return raw

    def _account(self, values: Values) -> int:
        name, kind = values.pop("account_name", None), values.pop("account_type", None)
        same = "account_name IS ? AND account_type IS ?"
        if found := self.db.query(f"SELECT _id FROM accounts WHERE {same}", name, kind):
            return int(found[0]["_id"])
        return self.add("accounts", {"account_name": name, "account_type": kind})

    def _refresh(self, raw: int) -> None:
        """Write what a raw contact is called, and what its contact has, from its data."""
        rows = self.db.query(
            "SELECT mimetype, data1, data2, data3 FROM data JOIN mimetypes"
            " ON mimetype_id = mimetypes._id WHERE raw_contact_id = ? ORDER BY data._id",
            raw,
        )
        name, source = Named("", ""), 0
        for mime, rank in _SOURCES:
            of = [row for row in rows if row["mimetype"] == mime and row["data1"]]
            if of:
                name, source = written(of[0], structured=mime == NAME), rank
                break
        label = name.display[:1].upper() if name.display[:1].isalpha() else "#"
        columns = {
            "display_name": name.display or None,
            "display_name_alt": name.reverse or None,
            "display_name_source": source,
            "sort_key": name.display or None,
            "sort_key_alt": name.reverse or None,
            "phonebook_label": label,
            "phonebook_label_alt": name.reverse[:1].upper() or label,
            "phonebook_bucket": ord(label) - 64 if "A" <= label <= "Z" else 0,
        }
        self._change("raw_contacts", raw, columns)
        contact = {
            "has_phone_number": int(any(row["mimetype"] == PHONE for row in rows)),
            "lookup": f"0r{raw}-{quote(name.display).encode().hex().upper()[:32]}",
            "contact_last_updated_timestamp": int(self.phone.clock.time() * 1000),
        }
        self._change("contacts", raw, contact, "name_raw_contact_id")

    # Data.

    def _add_data(self, values: Values) -> int:
        if "raw_contact_id" not in values:
            raise ProviderError("IllegalArgumentException", "raw_contact_id is required")
        if not values.get("mimetype"):
            raise ProviderError("IllegalArgumentException", "mimetype is required")
        stored = self._stored(values)
        with self.db.batch():
            number = self.add("data", stored)
            self._index(number)
        return number

    def _stored(self, values: Values) -> Values:
        """Replace the MIME type by its number, and complete a name or telephone number."""
        values = dict(values)
        mime = values.pop("mimetype", None)
        if mime is not None:
            known = self.db.query("SELECT _id FROM mimetypes WHERE mimetype = ?", mime)
            values["mimetype_id"] = (
                known[0]["_id"] if known else self.add("mimetypes", {"mimetype": mime})
            )
        if mime == NAME:
            values = split(values)
        if mime == PHONE and "data1" in values:
            values["data4"] = numbers.normalized(str(values["data1"] or ""))
        return values

    def _index(self, number: int) -> None:
        """Bring up to date what is looked up, after a row of data has been written."""
        (row,) = self.db.query(
            "SELECT mimetype, raw_contact_id, data1 FROM data JOIN mimetypes"
            " ON mimetype_id = mimetypes._id WHERE data._id = ?",
            number,
        )
        self.run("DELETE FROM phone_lookup WHERE data_id = ?", number)
        raw = int(row["raw_contact_id"])
        if row["mimetype"] == PHONE and row["data1"]:
            normal = numbers.normalized(row["data1"]) or numbers.bare(row["data1"])
            found = {"normalized_number": normal, "min_match": numbers.min_match(row["data1"])}
            self.add("phone_lookup", {"data_id": number, "raw_contact_id": raw, **found})
        self._refresh(raw)

    def _owner(self, number: int) -> int:
        rows = self.db.query("SELECT raw_contact_id FROM data WHERE _id = ?", number)
        return int(rows[0]["raw_contact_id"]) if rows else 0

    def _change(self, table: str, number: int, values: Values, by: str = "_id") -> None:
        changes = ", ".join(f"{column} = ?" for column in values)
        self.run(f"UPDATE {table} SET {changes} WHERE {by} = ?", *values.values(), number)


class CallLog(Provider):
    """Calls, the latest first."""

    authorities = ("call_log",)
    database_name = "calllog.db"
    tables: ClassVar[Mapping[str, Table]] = {
        "calls": Table(
            "calls",
            type=f"{DIR}calls",
            sort="date DESC",
            defaults={"new": 1, "countryiso": "US"},
        ),
        "calls/#": Table("calls", "_id = ?", type=f"{MIME}calls"),
        "calls/filter/*": Table("calls", "number = ?", sort="date DESC"),
    }


class BlockedNumbers(Provider):
    """Numbers whose calls and messages are not wanted."""

    authorities = ("com.android.blockednumber",)
    database_name = "blockednumbers.db"
    tables: ClassVar[Mapping[str, Table]] = {
        "blocked": Table("blocked", type=f"{DIR}blocked_number"),
        "blocked/#": Table("blocked", "_id = ?", type=f"{MIME}blocked_number"),
    }

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Add a number, whose full form is kept too."""
        number = str(values.get("original_number") or "")
        if not number:
            raise ProviderError(
                "IllegalArgumentException", "Missing a required column original_number"
            )
        self.db.execute("DELETE FROM blocked WHERE original_number = ?", number)
        return super().insert(uri, {"e164_number": numbers.normalized(number), **values})

    def call(self, method: str, arg: str | None, extras: Values) -> Values | None:  # noqa: ARG002
        """Tell whether a number is blocked."""
        if method == "is_blocked":
            kept = self.db.query("SELECT original_number FROM blocked")
            return {"blocked": any(numbers.same(row["original_number"], arg or "") for row in kept)}
        return {"can_block": True} if method == "can_current_user_block_numbers" else None


class ContactsStorage(App):
    """Keeps contacts and the call log."""

    package, label = "com.android.providers.contacts", "Contacts Storage"
    version_name, version_code = "14", 34
    system = True
    providers = (Contacts, CallLog)

    def install(self) -> None:
        """Make empty databases."""
        self.database("contacts2.db").script(CONTACTS)
        self.database("calllog.db").script(CALLS)


class BlockedNumberStorage(App):
    """Keeps blocked numbers."""

    package, label = "com.android.providers.blockednumber", "Blocked Numbers Storage"
    version_name, version_code = "14", 34
    system = True
    providers = (BlockedNumbers,)

    def install(self) -> None:
        """Make an empty database."""
        self.database("blockednumbers.db").script(BLOCKED)
