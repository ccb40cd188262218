"""The telephony providers: messages and their threads, the call log, and blocked numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError, Rows
from pytest_mobileagent.virtual.content import numbers
from pytest_mobileagent.virtual.providers.storage import Storage, tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.virtual.app.provider import Uri, Values


class CallLog(Provider):
    """Calls, the latest first."""

    authorities = ("call_log",)
    database_name = "calllog.db"
    tables = tables_of("calls")


class BlockedNumbers(Provider):
    """Numbers whose calls and messages are blocked."""

    authorities = ("com.android.blockednumber",)
    database_name = "blockednumbers.db"
    tables = tables_of("blocked_numbers")

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Add a number, which is also stored in its full form."""
        number = str(values.get("original_number") or "")
        if not number:
            message = "Missing a required column original_number"
            raise ProviderError("IllegalArgumentException", message)
        self.db.execute("DELETE FROM blocked WHERE original_number = ?", number)
        return super().insert(uri, {"e164_number": numbers.normalized(number), **values})


class BlockedNumberStorage(Storage):
    """Stores blocked numbers."""

    package, label = "com.android.providers.blockednumber", "Blocked Numbers Storage"
    providers = (BlockedNumbers,)


BOXES = {"inbox": 1, "sent": 2, "draft": 3, "outbox": 4, "failed": 5, "queued": 6}


class Sms(Provider):
    """Text messages."""

    authorities = ("sms",)
    database_name = "mmssms.db"
    tables = tables_of("sms")

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Return messages; an unknown URI returns a null cursor."""
        try:
            self.table(uri)
        except ProviderError:
            return None
        return super().query(uri, ask)

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Add a message to its thread, which is created if necessary."""
        self.table(uri)
        box = BOXES.get(uri.path[0] if uri.path else "", 1)
        made = {"date": int(self.phone.clock.time() * 1000), "type": box, **values}
        with self.db.batch():
            if not made.get("thread_id"):
                made["thread_id"] = thread_of(self, [str(made.get("address") or "")])
            number = self.add("sms", made)
        return f"content://sms/{number}"


class MmsSms(Provider):
    """Message threads."""

    authorities = ("mms-sms",)
    database_name = "mmssms.db"
    tables = tables_of("mms_sms")

    def query(self, uri: Uri, ask: Ask) -> Rows | None:
        """Return threads: `?simple=true` as stored, otherwise with their latest messages."""
        if uri.path == ("conversations",) and uri.parameters.get("simple") == "true":
            return self.select("threads", ask, sort="date DESC")
        if uri.path == ("threadID",):
            asked = [value for key, value in uri.parameters.items() if key == "recipient"]
            return Rows(("_id",), [(thread_of(self, asked),)])
        return super().query(uri, ask)

    def update(self, uri: Uri, values: Values, ask: Ask) -> int:
        """Update the messages of a thread or, to archive it, the thread itself."""
        if uri.path == ("conversations",):
            ids = self.ids("threads", ask)
            for number in ids:
                for column, value in values.items():
                    own = column == "archived"
                    table, key = ("threads", "_id") if own else ("sms", "thread_id")
                    self.change(table, number, {column: value}, key)
            return len(ids)
        return super().update(uri, values, ask)

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Delete threads with their messages."""
        if uri.path == ("conversations",):
            count = self.run("DELETE FROM sms")
            self.run("DELETE FROM threads")
            return count
        return super().delete(uri, ask)


class Mms(Provider):
    """Multimedia messages, of which a new phone has none."""

    authorities = ("mms",)
    database_name = "mmssms.db"
    tables = tables_of("mms")


def thread_of(provider: Provider, recipients: Sequence[str]) -> int:
    """Return the thread with these recipients, creating it if there is none."""
    known = provider.db.query("SELECT _id, address FROM canonical_addresses")
    ids = []
    for address in recipients:
        found = [
            row["_id"]
            for row in known
            if numbers.same(row["address"], address) or row["address"] == address
        ]
        ids.append(found[0] if found else provider.add("canonical_addresses", {"address": address}))
    names = " ".join(map(str, sorted(ids)))
    if threads := provider.db.query("SELECT _id FROM threads WHERE recipient_ids = ?", names):
        return int(threads[0]["_id"])
    return provider.add("threads", {"recipient_ids": names, "type": int(len(ids) > 1)})


class TelephonyStorage(Storage):
    """Stores messages."""

    package, label = "com.android.providers.telephony", "Phone and Messaging Storage"
    providers = (Sms, MmsSms, Mms)
