"""The API for authors of apps: `App`, `Activity`, the widgets, and what they use."""

from pytest_mobileagent.virtual import ui
from pytest_mobileagent.virtual.app.app import later
from pytest_mobileagent.virtual.app.provider import Provider, Table
from pytest_mobileagent.virtual.content import numbers
from pytest_mobileagent.virtual.content.data import Database, Preferences
from pytest_mobileagent.virtual.content.intent import (
    BROWSABLE,
    CLEAR_TOP,
    LAUNCHER,
    MANAGE,
    NEW_TASK,
    PACKAGE_NAME,
    SEND,
    SEND_MULTIPLE,
    SENDTO,
    SINGLE_TOP,
    VIEW,
    Filter,
    Intent,
    chooser,
)
from pytest_mobileagent.virtual.content.locale import Locale
from pytest_mobileagent.virtual.content.video import NoEncoder, Video
from pytest_mobileagent.virtual.kernel.files import SHARED, FileSystem
from pytest_mobileagent.virtual.phone import Phone
from pytest_mobileagent.virtual.providers.calendar import milliseconds_of
from pytest_mobileagent.virtual.sdk import datepicker, drawer, timepicker
from pytest_mobileagent.virtual.sdk.app import (
    Activity,
    App,
    FromApp,
    set_next_alarm,
    uses_permissions,
)
from pytest_mobileagent.virtual.sdk.documents import AUTHORITY, Document, document_uri
from pytest_mobileagent.virtual.sdk.people import (
    CONTACTS,
    EMAIL_TYPES,
    PHONE_TYPES,
    People,
    Person,
    avatar,
)
from pytest_mobileagent.virtual.system.hardware import STREAMS
from pytest_mobileagent.virtual.system.ipc import Resolver
from pytest_mobileagent.virtual.system.keyguard import BadCredential
from pytest_mobileagent.virtual.system.notifications import HIGH, POST, REPLY, Deed
from pytest_mobileagent.virtual.system.telephony import DELIVER, MISSED, PHONE_STATE, Call
from pytest_mobileagent.virtual.systemui.system_ui import WALLPAPER
from pytest_mobileagent.virtual.ui import *  # noqa: F403 - its own __all__ is the list

__all__ = [
    "AUTHORITY", "BROWSABLE", "CLEAR_TOP", "CONTACTS", "DELIVER", "EMAIL_TYPES", "HIGH", "LAUNCHER",
    "MANAGE", "MISSED", "NEW_TASK", "PACKAGE_NAME", "PHONE_STATE", "PHONE_TYPES", "POST", "REPLY",
    "SEND", "SENDTO", "SEND_MULTIPLE", "SHARED", "SINGLE_TOP", "STREAMS", "VIEW", "WALLPAPER",
    "Activity", "App", "BadCredential", "Call", "Database", "Deed", "Document", "FileSystem",
    "Filter", "FromApp", "Intent", "Locale", "NoEncoder", "People", "Person", "Phone",
    "Preferences", "Provider", "Resolver", "Table", "Video", "avatar", "chooser", "datepicker",
    "document_uri", "drawer", "later", "milliseconds_of", "numbers", "set_next_alarm", "timepicker",
    "uses_permissions",
]  # fmt: skip
__all__ += ui.__all__
