"""Runtime permissions: what an app may do, what the user has said, and the app operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.system.packages.packages import INSTALL_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.packages.packages import Packages

PREFIX = "android.permission."
USER_SET, USER_FIXED, ONE_TIME = "USER_SET", "USER_FIXED", "ONE_TIME"
REVIEW = ("USER_SENSITIVE_WHEN_GRANTED", "USER_SENSITIVE_WHEN_DENIED")
FLAGS = (  # in the order of their bits, in which they are printed
    USER_SET,
    USER_FIXED,
    "POLICY_FIXED",
    "REVOKED_COMPAT",
    "SYSTEM_FIXED",
    "GRANTED_BY_DEFAULT",
    "REVIEW_REQUIRED",
    *REVIEW,
    ONE_TIME,
)


@dataclass(frozen=True, slots=True)
class Group:
    """Permissions that are asked for together; `words` completes "Allow APP to …?"."""

    name: str
    label: str  # in Settings
    icon: str
    words: str
    permissions: tuple[str, ...]
    in_use: bool = False  # is given while the app is in use, or only once


def _group(
    name: str, label: str, icon: str, words: str, names: str, *, in_use: bool = False
) -> Group:
    permissions = tuple(PREFIX + each for each in names.split())
    return Group(f"android.permission-group.{name}", label, icon, words, permissions, in_use)


GROUPS = (
    _group("CALENDAR", "Calendar", "calendar", "access your calendar",
           "READ_CALENDAR WRITE_CALENDAR"),
    _group("CALL_LOG", "Call logs", "call", "access your phone call logs",
           "READ_CALL_LOG WRITE_CALL_LOG PROCESS_OUTGOING_CALLS"),
    _group("CAMERA", "Camera", "camera", "take pictures and record video", "CAMERA", in_use=True),
    _group("CONTACTS", "Contacts", "contacts", "access your contacts",
           "READ_CONTACTS WRITE_CONTACTS GET_ACCOUNTS"),
    _group("LOCATION", "Location", "location", "access this device’s location",

           "ACCESS_FINE_LOCATION ACCESS_COARSE_LOCATION ACCESS_BACKGROUND_LOCATION", in_use=True),
    _group("MICROPHONE", "Microphone", "mic", "record audio", "RECORD_AUDIO", in_use=True),
    _group("READ_MEDIA_AURAL", "Music and audio", "music",
           "access music and audio on this device", "READ_MEDIA_AUDIO"),
    _group("NEARBY_DEVICES", "Nearby devices", "devices",
           "find, connect to, and determine the relative position of nearby devices",
           "BLUETOOTH_SCAN BLUETOOTH_CONNECT BLUETOOTH_ADVERTISE UWB_RANGING NEARBY_WIFI_DEVICES"),
    _group("NOTIFICATIONS", "Notifications", "notifications", "send you notifications",
           "POST_NOTIFICATIONS"),
    _group("PHONE", "Phone", "call", "make and manage phone calls",
           "READ_PHONE_STATE READ_PHONE_NUMBERS CALL_PHONE ANSWER_PHONE_CALLS ADD_VOICEMAIL"
           " USE_SIP ACCEPT_HANDOVER"),
    _group("READ_MEDIA_VISUAL", "Photos and videos", "image",
           "access photos and videos on this device",
           "READ_MEDIA_IMAGES READ_MEDIA_VIDEO READ_MEDIA_VISUAL_USER_SELECTED"
           " ACCESS_MEDIA_LOCATION"),
    _group("STORAGE", "Files", "folder", "access photos, media, and files on your device",
           "READ_EXTERNAL_STORAGE WRITE_EXTERNAL_STORAGE"),
    _group("ACTIVITY_RECOGNITION", "Physical activity", "person",
           "access your physical activity", "ACTIVITY_RECOGNITION"),
    _group("SENSORS", "Body sensors", "favorite", "access sensor data about your vital signs",
           "BODY_SENSORS BODY_SENSORS_BACKGROUND"),
    _group("SMS", "SMS", "sms", "send and view SMS messages",
           "SEND_SMS RECEIVE_SMS READ_SMS RECEIVE_WAP_PUSH RECEIVE_MMS"),
)  # fmt: skip
GROUP_OF = {permission: group for group in GROUPS for permission in group.permissions}
RUNTIME = frozenset(GROUP_OF)
OTHERS = {"FINE_LOCATION": "ACCESS_FINE_LOCATION", "COARSE_LOCATION": "ACCESS_COARSE_LOCATION",
          "POST_NOTIFICATION": "POST_NOTIFICATIONS"}  # fmt: skip
OPS = frozenset(  # app operations that have a permission of the same name, or one of OTHERS
    {
        *("COARSE_LOCATION", "FINE_LOCATION", "READ_CONTACTS", "WRITE_CONTACTS", "READ_CALL_LOG"),
        *("WRITE_CALL_LOG", "READ_CALENDAR", "WRITE_CALENDAR", "POST_NOTIFICATION", "CALL_PHONE"),
        *("READ_SMS", "SEND_SMS", "RECEIVE_SMS", "CAMERA", "RECORD_AUDIO", "READ_PHONE_STATE"),
        *("BODY_SENSORS", "READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE", "GET_ACCOUNTS"),
        *("READ_PHONE_NUMBERS", "ACTIVITY_RECOGNITION", "BLUETOOTH_SCAN", "BLUETOOTH_CONNECT"),
        *("READ_MEDIA_IMAGES", "READ_MEDIA_VIDEO", "READ_MEDIA_AUDIO"),
    }
)
ASK_FIRST = frozenset(  # those that are "default", which here means no
    {
        *("WRITE_SETTINGS", "SYSTEM_ALERT_WINDOW", "GET_USAGE_STATS", "REQUEST_INSTALL_PACKAGES"),
        *("MANAGE_EXTERNAL_STORAGE", "SCHEDULE_EXACT_ALARM", "USE_FULL_SCREEN_INTENT"),
    }
)
REFUSED = frozenset({"MOCK_LOCATION"})  # those that are "deny" unless they are set
PLAIN_OPS = ASK_FIRST | {
    *REFUSED,
    *("PROJECT_MEDIA", "VIBRATE", "WIFI_SCAN", "ACCESS_NOTIFICATIONS"),
    *("READ_CLIPBOARD", "WRITE_CLIPBOARD"),
    *("TAKE_MEDIA_BUTTONS", "WAKE_LOCK", "TOAST_WINDOW", "RUN_IN_BACKGROUND", "LEGACY_STORAGE"),
    *("RUN_ANY_IN_BACKGROUND", "PICTURE_IN_PICTURE", "START_FOREGROUND", "AUTO_START"),
}
MODES = ("allow", "ignore", "deny", "default", "foreground")


def permission_of(op: str) -> str:
    """Give the permission that an operation needs, "" for one that needs none."""
    return PREFIX + OTHERS.get(op, op) if op in OPS else ""


def default_mode(op: str) -> str:
    """Give the mode that an operation has until it is set."""
    if op in REFUSED:
        return "deny"
    return "default" if op in ASK_FIRST else "allow"


class Permissions:
    """What is granted is kept with the package; here are the flags, and the operations' modes."""

    def __init__(self, changes: Changes, packages: Packages) -> None:
        self._changes = changes
        self._packages = packages
        self._flags: dict[str, dict[str, list[str]]] = {}
        self._modes: dict[str, dict[str, str]] = {}

    # Permissions.

    def granted(self, package: str, permission: str) -> bool:
        """Tell whether an app holds a permission; those of the image hold what they request."""
        app = self._packages.app(package)
        if permission not in app.permissions:
            return False
        if permission in INSTALL_TIME or permission not in RUNTIME:
            return True
        return self._packages[package].granted.get(permission, app.system)

    def flags(self, package: str, permission: str) -> list[str]:
        """Give the flags of a runtime permission, in Android's order."""
        kept = [*self._flags.get(package, {}).get(permission, ()), *REVIEW]
        app = self._packages.app(package)
        if app.system and permission not in self._packages[package].granted:
            kept.append("GRANTED_BY_DEFAULT")
        return [flag for flag in FLAGS if flag in kept]

    def flag(self, package: str, permission: str, *flags: str, on: bool = True) -> None:
        """Set or clear flags."""
        kept = self._flags.setdefault(package, {}).setdefault(permission, [])
        kept[:] = [flag for flag in kept if flag not in flags] + (list(flags) if on else [])

    def requested(self, package: str) -> list[Group]:
        """Give the groups of the permissions that an app requests, by label."""
        wanted = self._packages.app(package).permissions
        groups = {GROUP_OF[each].name: GROUP_OF[each] for each in wanted if each in GROUP_OF}
        return sorted(groups.values(), key=lambda group: group.label)

    def to_ask(self, package: str, permissions: Iterable[str]) -> list[Group]:
        """Give the groups for which the user has to be asked: not granted, nor refused for good."""
        app, groups = self._packages.app(package), dict[str, Group]()
        for each in permissions:
            if each not in GROUP_OF or each not in app.permissions:
                continue
            if not self.granted(package, each) and USER_FIXED not in self.flags(package, each):
                groups[GROUP_OF[each].name] = GROUP_OF[each]
        return list(groups.values())

    def answer(self, package: str, permissions: Iterable[str], answer: str) -> None:
        """Take the user's answer: "always", "foreground", "once", "deny" or "never"."""
        granted = self._packages[package].granted
        for each in permissions:
            granted[each] = answer in ("always", "foreground", "once")
            self.flag(package, each, USER_SET, USER_FIXED, ONE_TIME, on=False)
            self.flag(package, each, {"once": ONE_TIME, "never": USER_FIXED}.get(answer, USER_SET))
        self._changes.note()

    def group_granted(self, package: str, group: Group) -> bool:
        """Tell whether an app holds anything of a group."""
        return any(self.granted(package, each) for each in group.permissions)

    def grant_all(self, package: str) -> None:
        """Grant an app all that it requests."""
        for group in self.requested(package):
            for each in self.members(package, group):
                self._packages[package].granted[each] = True

    def members(self, package: str, group: Group) -> list[str]:
        """Give the permissions of a group that an app requests."""
        wanted = self._packages.app(package).permissions
        return [each for each in group.permissions if each in wanted]

    def reset(self, package: str) -> None:
        """Forget what the user has said about an app."""
        self._flags.pop(package, None)
        self._modes.pop(package, None)
        self._packages[package].granted.clear()
        self._changes.note()

    def process_ended(self, package: str) -> None:
        """Take back what was given only once."""
        for permission, flags in self._flags.get(package, {}).items():
            if ONE_TIME in flags:
                flags.remove(ONE_TIME)
                self._packages[package].granted[permission] = False

    # Operations.

    def mode(self, package: str, op: str) -> str:
        """Give the mode of an operation."""
        if kept := self._modes.get(package, {}).get(op):
            return kept
        if permission := permission_of(op):
            if not self.granted(package, permission):
                return "ignore"
            return "foreground" if GROUP_OF[permission].in_use else "allow"
        return default_mode(op)

    def set_mode(self, package: str, op: str, mode: str) -> None:
        """Set the mode of an operation, "default" to forget it."""
        modes = self._modes.setdefault(package, {})
        if mode == "default":
            modes.pop(op, None)
        else:
            modes[op] = mode
        self._changes.note()

    def modes(self, package: str) -> dict[str, str]:
        """Give the operations whose mode somebody has set."""
        return dict(self._modes.get(package, {}))

    def allowed(self, package: str, permission: str) -> bool:
        """Tell whether an app may do what a permission is for: granted, and not switched off."""
        if not self.granted(package, permission):
            return False
        op = next((op for op in OPS if permission_of(op) == permission), "")
        return self._modes.get(package, {}).get(op, "allow") in ("allow", "foreground")

    def save(self) -> dict[str, Any]:
        """Give flags and modes."""
        return {"flags": self._flags, "modes": self._modes}

    def load(self, saved: dict[str, Any]) -> None:
        """Take them back."""
        self._flags, self._modes = saved["flags"], saved["modes"]
