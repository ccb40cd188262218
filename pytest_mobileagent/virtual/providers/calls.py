"""The call log, and the blocked numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app.provider import Provider, ProviderError
from pytest_mobileagent.virtual.content import numbers
from pytest_mobileagent.virtual.providers.storage import Storage, tables_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.provider import Values
    from pytest_mobileagent.virtual.content.uri import Uri


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
            raise ProviderError(
                "IllegalArgumentException", "Missing a required column original_number"
            )
        self.db.execute("DELETE FROM blocked WHERE original_number = ?", number)
        return super().insert(uri, {"e164_number": numbers.normalized(number), **values})


class BlockedNumberStorage(Storage):
    """Stores blocked numbers."""

    package, label = "com.android.providers.blockednumber", "Blocked Numbers Storage"
    providers = (BlockedNumbers,)
