"""Content providers: data shared by apps, stored in SQLite by packages of the system image."""

from pytest_mobileagent.virtual.providers.calendar import CalendarStorage
from pytest_mobileagent.virtual.providers.contacts import ContactsStorage
from pytest_mobileagent.virtual.providers.media import MediaStorage
from pytest_mobileagent.virtual.providers.storage import SettingsStorage
from pytest_mobileagent.virtual.providers.telephony import BlockedNumberStorage, TelephonyStorage

STORAGES = (
    ContactsStorage, BlockedNumberStorage, CalendarStorage, MediaStorage, SettingsStorage,
    TelephonyStorage,
)  # fmt: skip
