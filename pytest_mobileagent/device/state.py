"""The state of a phone behind its screen: settings, databases, preferences, providers and files.

Reading all of it twice in an episode must be fast, so files are only listed with their hashes, and
those that were never seen before are copied: in most episodes one file, of a few kilobytes.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import re
import shlex
import sqlite3
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.probes.services import NAMESPACES, packages, provider
from pytest_mobileagent.device.probes.stored import typed_preferences
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pytest_mobileagent.device.device import Device, System

# Android's content providers that tasks are about, with the columns that matter.
PROVIDERS: Mapping[str, tuple[str, ...]] = {
    "content://com.android.contacts/data": ("mimetype", "data1", "data2"),
    "content://sms": ("address", "body", "type"),
    "content://call_log/calls": ("number", "type"),
    "content://com.android.calendar/events": ("title", "dtstart", "dtend", "allDay", "rrule"),
}
# What users decide that is no setting: a script, and the pattern of a key and its value.
SERVICES: Mapping[str, tuple[str, str]] = {
    "property": (
        r"getprop | grep -E '^\[persist\.sys\.(timezone|locale)\]'",
        r"\[(.*?)\]: \[(.*?)\]",
    ),
    "role": ("dumpsys role", r"name=(\S+)\s+holders=(\S*)"),
    "preferred": ("dumpsys package preferred-xml", r'<item name="([^"]+)".* always="(\w+)"'),
    "lock": ("dumpsys lock_settings", r"()((?:protector ID: \w+[\s\S]*?)?CredentialType: \w+)"),
    "lock screen": ("locksettings get-disabled", r"()(true|false)"),
    "data saver": ("cmd netpolicy get restrict-background", r"()(enabled|disabled)"),
    "account": ("dumpsys account", r"Account \{name=(.*?), type=(.*?)\}"),
}
# Operations of apps that are permitted on pages of Settings of their own.
OPERATIONS = (
    *("REQUEST_INSTALL_PACKAGES", "SYSTEM_ALERT_WINDOW", "WRITE_SETTINGS"),
    *("MANAGE_EXTERNAL_STORAGE", "GET_USAGE_STATS"),
)
_LINES = r"^ +(Package \[|versionCode=|User |[A-Za-z0-9_.]+: g)"  # of those that `_APP` matches
_SHARED = "/sdcard"
_DATA = ("/data/data", "/data/user_de/0")
_KEPT = ("databases", "shared_prefs", "files/datastore")
_MOST_SEEN = 2000  # files whose content is remembered
_OWN_TABLES = ("android_metadata", "sqlite_", "room_master_table")
_PARTS_OF_DATABASES = ("-wal", "-shm", "-journal")
_NEXT = "-- mobileagent: next part --"
_HASH = re.compile(r"([0-9a-f]{32})  (/.*)")
_PLACE = re.compile(rf"/data/(?:data|user_de/0)/([\w.]+)/({'|'.join(_KEPT)})/([^/]+)")
_APP = re.compile(
    r"^  Package \[(?P<package>.+?)\]|^ +versionCode=(?P<version>\d+)"
    r"|^ +User (?P<user>\d+):.* enabled=(?P<enabled>\d)"
    r"|^ +(?P<permission>[\w.]+): granted=(?P<granted>true|false), flags=\[(?P<flags>.*)\]",
    re.MULTILINE,
)
_DISABLED = {"2", "3", "4"}  # COMPONENT_ENABLED_STATE_DISABLED, _USER and _UNTIL_USED
BY_ROLE = "granted by role"  # a permission that an app has as long as it is, say, the app for SMS
UNREAD = "databases and preferences"

Row = tuple[tuple[str, Any], ...]


@dataclass
class PhoneState:
    """The state of a phone; parts that cannot be read are missing.

    - `settings`: values by (namespace, key).
    - `services`: what else users decide in Settings, by (what, key) as in `SERVICES`.
    - `rows`: rows by (database, table), or by (provider, ""), as sorted tuples of (column, value).
    - `preferences`: values by (package, file, key).
    - `files`: the sizes in bytes and times of change, in seconds since 1970, of files in the shared
      storage, by path; folders end with a slash, and have neither.
    - `packages`: the installed packages.
    - `apps`: by (package, key): the version, `disabled`, and its permissions and `OPERATIONS`.
    - `unknown`: what could not be read, in words; without root, the databases of apps.
    """

    settings: dict[tuple[str, str], str] = field(default_factory=dict)
    services: dict[tuple[str, str], str] = field(default_factory=dict)
    rows: dict[tuple[str, str], list[Row]] = field(default_factory=dict)
    preferences: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)
    apps: dict[tuple[str, str], str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def of_apps(self, apps: Collection[str]) -> PhoneState:
        """Return the state without the databases and preferences of other apps."""

        def is_theirs(source: str) -> bool:
            place = _PLACE.fullmatch(source)
            return place is None or place[1] in apps

        return replace(
            self,
            rows={key: rows for key, rows in self.rows.items() if is_theirs(key[0])},
            preferences={key: value for key, value in self.preferences.items() if key[0] in apps},
        )


@dataclass(frozen=True, slots=True)
class _Content:
    """What a database (rows by table) or a file of preferences (values by key) contains.

    The only value of a file of another kind is its hash.
    """

    tables: Mapping[str, list[Row]] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


class StateReader:
    """Reads states of phones, and remembers the files that it has seen by their hashes."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, ...], _Content] = {}

    def read(self, system: System) -> PhoneState:
        """Return the state of a phone; the parts that it does not permit are `unknown`.

        Nothing is known of a phone without a shell, for example behind a hub. One that does not
        answer is the business of whoever uses it next.
        """
        providers = [provider(uri, columns) for uri, columns in PROVIDERS.items()]
        listing = packages()
        folders = " ".join(f"{root}/*/{each}/*" for root in _DATA for each in _KEPT)
        operations = "; ".join(f"echo {each}:; cmd appops query-op {each}" for each in OPERATIONS)
        scripts = [
            *(f"settings list {namespace}" for namespace in NAMESPACES),
            listing.script,
            f"dumpsys package packages | grep -E '{_LINES}'",
            f"{{ {operations}; }} 2>/dev/null",
            f"find {_SHARED}/ -type f -exec stat -c '%s %Y %n' {{}} + 2>/dev/null",
            f"find {_SHARED}/ -mindepth 1 -type d 2>/dev/null",
            *(f"{{ {script}; }} 2>/dev/null" for script, _ in SERVICES.values()),
            *(each.script for each in providers),
            f"md5sum {folders} 2>/dev/null",
        ]
        state = PhoneState()
        try:
            outputs = iter(_run(system, scripts))
        except DeviceError as error:
            state.unknown += ["settings", "packages", "files", UNREAD, str(error)]
            return state
        for namespace in NAMESPACES:
            pairs = (line.partition("=") for line in next(outputs).splitlines())
            state.settings |= {(namespace, key): value for key, equals, value in pairs if equals}
        if not state.settings:
            state.unknown.append("settings")
        state.packages = set(_parsed(listing, next(outputs), state, "packages") or ())
        _add_apps(state, next(outputs), next(outputs))
        found = re.findall(r"^(\d+) (\d+) (/.+)", next(outputs), re.MULTILINE)
        state.files = {path: (int(size), int(time)) for size, time, path in found}
        state.files |= {f"{path}/": (0, 0) for path in next(outputs).splitlines()}
        for name, (_, pattern) in SERVICES.items():
            for key, value in re.findall(pattern, next(outputs)):
                state.services[name, key] = value
        for each in providers:
            rows = _parsed(each, next(outputs), state, each.uri)
            if rows is not None:
                state.rows[each.uri, ""] = _sorted(rows)
        self._add_files(state, system, next(outputs))
        return state

    def _add_files(self, state: PhoneState, system: System, listed: str) -> None:
        """Add the databases and preferences of apps, by a list of their hashes."""
        hashes = {m[2]: m[1] for line in listed.splitlines() if (m := _HASH.fullmatch(line))}
        if not hashes:
            state.unknown.append(UNREAD)
            return
        wanted = {
            path: (path, digest, hashes.get(f"{path}-wal", ""))
            for path, digest in hashes.items()
            if not path.endswith(_PARTS_OF_DATABASES) and _PLACE.fullmatch(path)
        }
        new = [path for path, key in wanted.items() if key not in self._seen]
        for path, content in _copied(system, new).items():
            # A file that has changed since it was listed is kept under the hashes of its copy.
            data, log = (hashlib.md5(part).hexdigest() if part else "" for part in content)  # noqa: S324
            wanted[path] = (path, data, log)
            self._seen[wanted[path]] = _read(path, *content)
        while len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        for path, key in wanted.items():
            place, content_of = _PLACE.fullmatch(path), self._seen.get(key)
            if place is None or content_of is None:
                state.unknown.append(path)
                continue
            file = place[3].removesuffix(".xml")
            for name, value in content_of.values.items():
                state.preferences[place[1], file, name] = value
            for table, rows in content_of.tables.items():
                state.rows[path, table] = rows


class StateWatch:
    """The states of a phone before and after one attempt, once both are read."""

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self.states: list[PhoneState] = []

    def fork(self) -> StateWatch:
        """Return a watch that has read the same states so far."""
        other = StateWatch(self._reader)
        other.states = [*self.states]
        return other

    def look(self, device: Device) -> None:
        """Read the state of a device.

        Raises:
            DeviceError: if it has no system.
        """
        self.states.append(self._reader.read(system_of(device)))


def _run(system: System, scripts: Iterable[str]) -> list[str]:
    """Return the output of each script, run in one round trip."""
    joined = f"; echo; echo {shlex.quote(_NEXT)}; ".join(scripts)
    return [part.strip("\n") for part in system.shell(joined).split(f"{_NEXT}\n")]


def _parsed(probe: Any, output: str, state: PhoneState, name: str) -> Any:
    try:
        return probe.parse(f"{output}\n" if output else output)
    except (DeviceError, TaskError):  # not permitted, or the phone has no such provider
        state.unknown.append(name)
        return None


def _copied(system: System, paths: list[str]) -> dict[str, tuple[bytes, bytes]]:
    """Return the content of files, and of the write-ahead logs beside them, by path."""
    if not paths:
        return {}
    names = [f"{path}{ending}" for path in paths for ending in ("", "-wal")]
    outputs = iter(_run(system, [f"base64 {shlex.quote(name)} 2>/dev/null" for name in names]))
    found = {}
    for path in paths:
        with contextlib.suppress(binascii.Error):
            found[path] = base64.b64decode(next(outputs)), base64.b64decode(next(outputs))
    return found


def _add_apps(state: PhoneState, listed: str, permitted: str) -> None:
    """Add what the package manager lists of the first user, and the permitted operations."""
    package = user = ""
    for each in _APP.finditer(listed):
        match each.lastgroup:
            case "package":
                package, user = each["package"], "0"
            case "version":  # an app from the image is listed again, as it was before its update
                state.apps.setdefault((package, "version"), each["version"])
            case "enabled":
                user = each["user"]
                if user == "0" and each["enabled"] in _DISABLED:
                    state.apps[package, "disabled"] = "yes"
            case _ if user == "0":
                has = "granted" if each["granted"] == "true" else "denied"
                is_by_role = has == "granted" and "GRANTED_BY_ROLE" in each["flags"]
                state.apps[package, each["permission"]] = BY_ROLE if is_by_role else has
    operation = ""
    for line in permitted.splitlines():
        operation = line.removesuffix(":") if line.endswith(":") else operation
        if line in state.packages:
            state.apps[line, operation] = "allowed"
    if not state.apps:
        state.unknown.append("permissions")


def _read(path: str, content: bytes, log: bytes) -> _Content:
    if path.endswith(".xml"):
        with contextlib.suppress(ValueError):
            return _Content(values=typed_preferences(content))
    with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
        file = Path(folder, "state.db")
        file.write_bytes(content)
        if log:
            file.with_name("state.db-wal").write_bytes(log)
        with contextlib.suppress(sqlite3.Error):  # it is no database
            return _Content(_tables(file))
    return _Content(values={"content": hashlib.md5(content).hexdigest()})  # noqa: S324


def _tables(file: Path) -> dict[str, list[Row]]:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode(errors="replace")
        listed = connection.execute("select name from sqlite_master where type = 'table'")
        names = [name for (name,) in listed if not name.startswith(_OWN_TABLES)]
        found = {}
        for name in names:
            quoted = name.replace('"', '""')
            with contextlib.suppress(sqlite3.Error):  # virtual tables may need a module
                rows = connection.execute(f'select * from "{quoted}"')  # noqa: S608 - quoted
                found[name] = _sorted(map(dict, rows))
        return found


def _sorted(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    return sorted((tuple(sorted(row.items())) for row in rows), key=repr)
