"""The contacts provider: contacts, their data, and the index for looking them up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError, Rows
from pytest_mobileagent.virtual.content import numbers
from pytest_mobileagent.virtual.providers.storage import Storage, tables_of
from pytest_mobileagent.virtual.providers.telephony import CallLog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.virtual.app.provider import Uri, Values

_MIME = "vnd.android.cursor.item"
NAME, PHONE = f"{_MIME}/name", f"{_MIME}/phone_v2"
_SOURCES = {  # MIME types of a contact's name, with their display_name_source
    NAME: 40,
    f"{_MIME}/nickname": 35,
    f"{_MIME}/organization": 30,
    PHONE: 20,
    f"{_MIME}/email_v2": 10,
}
_JOINED = "data JOIN mimetypes ON mimetype_id = mimetypes._id"
_PARTS = ("data4", "data2", "data5", "data3")  # of a name: prefix, given, middle, family


class Contacts(Provider):
    """Contacts, which are aggregates of raw contacts, which have rows of data."""

    authorities = ("com.android.contacts", "contacts")
    database_name = "contacts2.db"
    tables = tables_of("contacts")

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Return contacts or data; searches match words of names, and numbers loosely."""
        table, found = self.table(uri)
        if uri.path[0] == "phone_lookup":
            ask = ask.within("min_match = ?", (numbers.min_match(found[0]),))
            return self.select(table.source, ask, allowed=table.columns)
        if uri.path[:2] == ("contacts", "filter"):
            like = ("' ' || display_name LIKE '% ' || ? || '%'", found)
            return self.select("view_contacts", ask.within(*like), sort=table.sort)
        return super().query(uri, ask)

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Insert a raw contact, which creates a contact, or a row of data, or a group."""
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
        message = "Aggregate contacts are created automatically"
        raise ProviderError("UnsupportedOperationException", message)

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Update contacts, raw contacts or data, and everything derived from them."""
        table, found = self.table(uri)
        meant = self.ids(table.source, ask.within(table.where, found))
        for number in meant:
            if table.into == "data":
                columns = "mimetype" if "data1" in values else f"mimetype, {', '.join(_PARTS)}"
                (row,) = self.db.query(f"SELECT {columns} FROM view_data WHERE _id = ?", number)
                self.change("data", number, self._stored({**row, **values}))
                self._index(number)
            elif table.into == "raw_contacts":
                self.change("raw_contacts", number, values)
                self._refresh(number)
            elif table.source == "view_contacts":
                self.change("contacts", number, values)
                shared = {"starred", "pinned", "custom_ringtone", "send_to_voicemail"}
                if kept := {key: each for key, each in values.items() if key in shared}:
                    self.change("raw_contacts", number, kept, "contact_id")
            else:
                self.change(table.into or table.source, number, values)
        return len(meant)

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Delete contacts with everything that belongs to them, raw contacts, or data."""
        table, found = self.table(uri)
        meant = self.ids(table.source, ask.within(table.where, found))
        for number in meant:
            if table.source == "view_contacts":
                self.run("DELETE FROM raw_contacts WHERE contact_id = ?", number)
                self.run("DELETE FROM contacts WHERE _id = ?", number)
                now = int(self.phone.clock.time() * 1000)
                row = {"contact_id": number, "contact_deleted_timestamp": now}
                self.add("deleted_contacts", row)
                continue
            owner = self._owner(number) if table.into == "data" else 0
            self.run(f"DELETE FROM {table.into or table.source} WHERE _id = ?", number)
            if owner:
                self._refresh(owner)
        return len(meant)

    # Raw contacts

    def _add_raw_contact(self, values: Values) -> int:
        account = self._account(values)
        columns = {k: v for k, v in values.items() if not k.startswith(("account_", "data_set"))}
        with self.db.batch():
            raw = self.add("raw_contacts", {**columns, "account_id": account})
            now = int(self.phone.clock.time() * 1000)
            row = {"name_raw_contact_id": raw, "contact_last_updated_timestamp": now}
            contact = self.add("contacts", row)
            self.change("raw_contacts", raw, {"contact_id": contact, "aggregation_needed": 0})
            self._refresh(raw)
        return raw

    def _account(self, values: Values) -> int:
        name, kind = values.pop("account_name", None), values.pop("account_type", None)
        same = "account_name IS ? AND account_type IS ?"
        if found := self.db.query(f"SELECT _id FROM accounts WHERE {same}", name, kind):
            return int(found[0]["_id"])
        return self.add("accounts", {"account_name": name, "account_type": kind})

    def _refresh(self, raw: int) -> None:
        """Update the name of a raw contact, and the flags of its contact, from its data."""
        sql = f"SELECT mimetype, data1, data2, data3 FROM {_JOINED} WHERE raw_contact_id = ?"
        rows = self.db.query(f"{sql} ORDER BY data._id", raw)
        named = [row for row in rows if row["mimetype"] in _SOURCES and row["data1"]]
        best = max(named, key=lambda row: _SOURCES[row["mimetype"]], default=None)
        display, reverse = _names(best) if best else ("", "")
        label = display[:1].upper() if display[:1].isalpha() else "#"
        columns = {
            "display_name": display or None,
            "display_name_alt": reverse or None,
            "display_name_source": _SOURCES[best["mimetype"]] if best else 0,
            "sort_key": display or None,
            "sort_key_alt": reverse or None,
            "phonebook_label": label,
            "phonebook_label_alt": reverse[:1].upper() or label,
            "phonebook_bucket": ord(label) - 64 if "A" <= label <= "Z" else 0,
        }
        self.change("raw_contacts", raw, columns)
        contact = {
            "has_phone_number": int(any(row["mimetype"] == PHONE for row in rows)),
            "lookup": f"0r{raw}-{quote(display).encode().hex().upper()[:32]}",
            "contact_last_updated_timestamp": int(self.phone.clock.time() * 1000),
        }
        self.change("contacts", raw, contact, "name_raw_contact_id")

    # Data

    def _add_data(self, values: Values) -> int:
        if "raw_contact_id" not in values:
            raise ProviderError("IllegalArgumentException", "raw_contact_id is required")
        if not values.get("mimetype"):
            raise ProviderError("IllegalArgumentException", "mimetype is required")
        with self.db.batch():
            number = self.add("data", self._stored(values))
            self._index(number)
        return number

    def _stored(self, values: Values) -> Values:
        """Replace the MIME type by its id, and complete a name or telephone number."""
        values = dict(values)
        mime = values.pop("mimetype", None)
        if mime is not None:
            known = self.db.query("SELECT _id FROM mimetypes WHERE mimetype = ?", mime)
            number = known[0]["_id"] if known else self.add("mimetypes", {"mimetype": mime})
            values["mimetype_id"] = number
        if mime == NAME:
            values = _completed(values)
        if mime == PHONE and "data1" in values:
            values["data4"] = numbers.normalized(str(values["data1"] or ""))
        return values

    def _index(self, number: int) -> None:
        """Update the lookup tables after a row of data has been written."""
        sql = f"SELECT mimetype, raw_contact_id, data1 FROM {_JOINED} WHERE data._id = ?"
        (row,) = self.db.query(sql, number)
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


def _completed(values: Values) -> Values:
    """Complete a row that contains a name: its parts from the whole, or the whole from them."""
    done = dict(values)
    parts = [str(values[column]) for column in _PARTS if values.get(column)]
    whole = str(values.get("data1") or "")
    if parts and not whole:
        done["data1"] = " ".join(parts)
    elif whole and not parts:
        first, _, last = whole.rpartition(" ")
        done |= {"data2": first or last, "data3": last if first else None}
    done.setdefault("data10", 0 if whole.isascii() else 1)
    return done


def _names(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of a contact in a row of data: "Ada Lovelace" and "Lovelace, Ada"."""
    display = str(row["data1"])
    if row["mimetype"] == NAME and row["data2"] and row["data3"]:
        return display, f"{row['data3']}, {row['data2']}"
    return display, display


class ContactsStorage(Storage):
    """Stores contacts and the call log."""

    package, label = "com.android.providers.contacts", "Contacts Storage"
    providers = (Contacts, CallLog)
