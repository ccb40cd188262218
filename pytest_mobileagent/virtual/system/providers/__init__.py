"""Content providers: the data that apps share, kept in SQLite by packages of the system image."""

from pytest_mobileagent.virtual.system.providers.calendar import CalendarStorage
from pytest_mobileagent.virtual.system.providers.calls import BlockedNumberStorage
from pytest_mobileagent.virtual.system.providers.contacts import ContactsStorage
from pytest_mobileagent.virtual.system.providers.media import MediaStorage
from pytest_mobileagent.virtual.system.providers.settings import SettingsStorage, UserDictionary
from pytest_mobileagent.virtual.system.providers.telephony import TelephonyStorage

STORAGES = (
    ContactsStorage,
    BlockedNumberStorage,
    CalendarStorage,
    MediaStorage,
    SettingsStorage,
    TelephonyStorage,
    UserDictionary,
)
