"""What users decide about apps: permissions, and which app opens what by default."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import MAIN, WEB, scheme_of
from pytest_mobileagent.virtual.snapshots import Kept

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Intent
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.interfaces import ActivityService
    from pytest_mobileagent.virtual.system.packages.packages import Packages

    Found = tuple[App, type[Activity]]


SMS = ("sms", "smsto", "mms", "mmsto")  # schemes of numbers to which messages are written
PREFIX = "android.permission."
_TABLE = tomllib.loads((resources.files(__package__) / "permissions.toml").read_text("utf-8"))
INSTALL_TIME = frozenset(PREFIX + name for name in _TABLE["install_time"].split())
FLAGS = tuple(_TABLE["flags"].split())  # in the order of their bits, in which they are printed
USER_SET, USER_FIXED, ONE_TIME = "USER_SET", "USER_FIXED", "ONE_TIME"
REVIEW = ("USER_SENSITIVE_WHEN_GRANTED", "USER_SENSITIVE_WHEN_DENIED")

OPS = frozenset(_TABLE["operations"]["guarded"].split())  # those that require a permission
ASK_FIRST = frozenset(_TABLE["operations"]["asked_first"].split())
REFUSED = frozenset(_TABLE["operations"]["refused"].split())
PLAIN_OPS = ASK_FIRST.union(REFUSED, _TABLE["operations"]["plain"].split())
MODES = ("allow", "ignore", "deny", "default", "foreground")


@dataclass(frozen=True, slots=True)
class Group:
    """Permissions that are requested together; `words` completes "Allow APP to …?"."""

    name: str
    label: str  # in Settings
    icon: str
    words: str
    permissions: tuple[str, ...]
    in_use: bool = False  # granted while the app is in use, or only once


def _group(name: str, permissions: str, **more: Any) -> Group:
    names = tuple(PREFIX + each for each in permissions.split())
    return Group(f"android.permission-group.{name}", permissions=names, **more)


GROUPS = tuple(_group(**each) for each in _TABLE["groups"])
GROUP_OF = {permission: group for group in GROUPS for permission in group.permissions}
RUNTIME = frozenset(GROUP_OF)
ASKED_SINGLY = ("LOCATION", "READ_MEDIA_VISUAL")  # groups whose permissions do not imply each other
SMS_APP = "sms_default_application"  # the secure setting with the app for messages
# The groups of its permissions, as in Android's roles.xml.
SMS_ROLE = ("SMS", "CONTACTS", "PHONE", "MICROPHONE", "CAMERA", "STORAGE", "NOTIFICATIONS")


def permission_of(op: str) -> str:
    """Return the permission that an operation requires, or "" if it requires none."""
    return PREFIX + _TABLE["operations"]["permissions"].get(op, op) if op in OPS else ""


def default_mode(op: str) -> str:
    """Return an operation's default mode."""
    if op in REFUSED:
        return "deny"
    return "default" if op in ASK_FIRST else "allow"


@dataclass(eq=False)
class Permissions(Kept):
    """Permission flags and operation modes; grants are stored with the package."""

    KEPT = ("_flags", "_modes")

    changes: Changes
    packages: Packages
    settings: Settings
    _flags: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _modes: dict[str, dict[str, str]] = field(default_factory=dict)

    def link(self, activities: ActivityService) -> None:
        """Connect the service that runs the apps, as losing a permission ends an app."""
        self._activities = activities

    # Permissions

    def granted(self, package: str, permission: str) -> bool:
        """Return whether an app has a permission; by default, image apps have all they request."""
        app = self.packages.app(package)
        if permission not in app.permissions:
            return False
        if permission not in RUNTIME:
            return True
        default = app.system or self._of_role(package, permission)
        return self.packages[package].granted.get(permission, default)

    def _of_role(self, package: str, permission: str) -> bool:
        """Return whether an app has a permission because it is the app for messages."""
        is_role = self.settings.text("secure", SMS_APP) == package
        return is_role and GROUP_OF[permission].name.endswith(SMS_ROLE)

    def grant(self, package: str, permission: str, *, granted: bool) -> None:
        """Grant or revoke a runtime permission; the messages of errors are Android's."""
        remembered, app = self.packages[package], self.packages.app(package)
        if not permission.startswith((PREFIX, "com.")):
            raise ValueError(f"Unknown permission: {permission}")
        if permission not in app.permissions:
            raise PermissionError(f"Package {package} has not requested permission {permission}")
        if permission in INSTALL_TIME:
            asked = f"Permission {permission} requested by {package}"
            raise PermissionError(f"{asked} is not a changeable permission type")
        held = self.granted(package, permission)
        remembered.granted[permission] = granted
        self.changes.note()
        if held and not granted:
            self._activities.kill(package, f"permission {permission} revoked")

    def flags(self, package: str, permission: str) -> list[str]:
        """Return the flags of a runtime permission, in Android's order."""
        kept = [*self._flags.get(package, {}).get(permission, ()), *REVIEW]
        app = self.packages.app(package)
        if app.system and permission not in self.packages[package].granted:
            kept.append("GRANTED_BY_DEFAULT")
        elif permission in RUNTIME and self._of_role(package, permission):
            kept.append("GRANTED_BY_ROLE")
        return [flag for flag in FLAGS if flag in kept]

    def flag(self, package: str, permission: str, *flags: str, on: bool = True) -> None:
        """Set or clear flags."""
        kept = self._flags.setdefault(package, {}).setdefault(permission, [])
        kept[:] = [flag for flag in kept if flag not in flags] + (list(flags) if on else [])

    def requested(self, package: str) -> list[Group]:
        """Return the groups of the permissions that an app requests, sorted by label."""
        wanted = self.packages.app(package).permissions
        groups = {GROUP_OF[each].name: GROUP_OF[each] for each in wanted if each in GROUP_OF}
        return sorted(groups.values(), key=lambda group: group.label)

    def to_ask(self, package: str, permissions: Iterable[str]) -> list[Group]:
        """Return the groups to ask the user about: neither granted nor permanently denied."""
        app, groups = self.packages.app(package), dict[str, Group]()
        for each in permissions:
            if each not in GROUP_OF or each not in app.permissions:
                continue
            if not self.granted(package, each) and USER_FIXED not in self.flags(package, each):
                groups[GROUP_OF[each].name] = GROUP_OF[each]
        return list(groups.values())

    def complete(self, package: str, permissions: Iterable[str]) -> None:
        """Grant permissions of a group of which the app has another one, as nothing is asked then.

        More precise or constant access to the location, and to all pictures, is asked for.
        """
        for group in self.to_ask(package, permissions):
            if group.name.endswith(ASKED_SINGLY) or not self.group_granted(package, group):
                continue
            for each in set(permissions) & set(self.members(package, group)):
                if USER_FIXED not in self.flags(package, each):
                    self.packages[package].granted[each] = True

    def answer(self, package: str, permissions: Iterable[str], answer: str) -> None:
        """Apply the user's answer: "always", "foreground", "once", "deny" or "never"."""
        granted = self.packages[package].granted
        for each in permissions:
            granted[each] = answer in ("always", "foreground", "once")
            self.flag(package, each, USER_SET, USER_FIXED, ONE_TIME, on=False)
            self.flag(package, each, {"once": ONE_TIME, "never": USER_FIXED}.get(answer, USER_SET))
        self.changes.note()

    def group_granted(self, package: str, group: Group) -> bool:
        """Return whether an app has any permission of a group."""
        return any(self.granted(package, each) for each in group.permissions)

    def grant_all(self, package: str) -> None:
        """Grant an app all permissions that it requests."""
        for group in self.requested(package):
            for each in self.members(package, group):
                self.packages[package].granted[each] = True

    def members(self, package: str, group: Group) -> list[str]:
        """Return the permissions of a group that an app requests."""
        wanted = self.packages.app(package).permissions
        return [each for each in group.permissions if each in wanted]

    def reset(self, package: str) -> None:
        """Reset an app's permissions and the user's answers."""
        self._flags.pop(package, None)
        self._modes.pop(package, None)
        self.packages[package].granted.clear()
        self.changes.note()

    def process_ended(self, package: str) -> None:
        """Revoke the permissions that were granted only once."""
        for permission, flags in self._flags.get(package, {}).items():
            if ONE_TIME in flags:
                flags.remove(ONE_TIME)
                self.packages[package].granted[permission] = False

    # Operations

    def set_mode(self, package: str, op: str, mode: str) -> None:
        """Set the mode of an operation; "default" resets it."""
        modes = self._modes.setdefault(package, {})
        if mode == "default":
            modes.pop(op, None)
        else:
            modes[op] = mode
        self.changes.note()

    def modes(self, package: str) -> dict[str, str]:
        """Return the operations whose mode has been set."""
        return dict(self._modes.get(package, {}))

    def allowed(self, package: str, permission: str) -> bool:
        """Return whether an app may use a permission: it is granted, and its operation allowed."""
        if not self.granted(package, permission):
            return False
        op = next((op for op in OPS if permission_of(op) == permission), "")
        return self._modes.get(package, {}).get(op, "allow") in ("allow", "foreground")


@dataclass(eq=False)
class Defaults(Kept):
    """The choices by action, scheme and type, as Android stores preferred activities."""

    KEPT = ("_always",)

    packages: Packages
    settings: Settings
    _always: dict[str, str] = field(default_factory=dict)

    def choose(self, intent: Intent, found: list[Found]) -> Found | None:
        """Return the activity that handles an intent, or None if the user has to choose."""
        if len(found) == 1 or intent.component or intent.action == MAIN:
            return found[0]
        found = self._closest(intent, found)
        always = self._always.get(_subject(intent))
        for app, kind in found:
            if len(found) == 1 or kind.component(app.package) == always:
                return app, kind
        return None

    def candidates(self, intent: Intent) -> list[Found]:
        """Return the activities among which the user has to choose, sorted by label."""
        found = self._closest(intent, self.packages.resolve(intent))
        return sorted(found, key=lambda each: each[0].label.lower())

    def remember(self, intent: Intent, component: str) -> None:
        """Store the activity that the user has chosen for always."""
        self._always[_subject(intent)] = component

    def opens(self, package: str) -> list[str]:
        """Return the subjects for which an app is the default."""
        return [key for key, chosen in self._always.items() if chosen.startswith(f"{package}/")]

    def forget(self, package: str) -> None:
        """Clear an app's defaults."""
        for key in self.opens(package):
            del self._always[key]

    def _closest(self, intent: Intent, found: list[Found]) -> list[Found]:
        """Keep only the default app for messages to a number, or those of a web link's host."""
        scheme = scheme_of(intent.data)
        if scheme in SMS:
            role = self.settings.text("secure", SMS_APP)
            return [each for each in found if each[0].package == role] or found
        if scheme in WEB:
            return [each for each in found if _names_host(each[1], intent)] or found
        return found


def _names_host(kind: type[Activity], intent: Intent) -> bool:
    return any(each.hosts and each.matches(intent) for each in kind.intent_filters())


def _subject(intent: Intent) -> str:
    return f"{intent.action}|{scheme_of(intent.data)}|{intent.type}"
