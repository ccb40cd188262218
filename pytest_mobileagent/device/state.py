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
from pytest_mobileagent.device.probes.services import packages, provider
from pytest_mobileagent.device.probes.stored import typed_preferences
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pytest_mobileagent.device.device import Device, System

NAMESPACES = ("system", "secure", "global")
# Android's content providers that tasks are about, with the columns that matter.
PROVIDERS: Mapping[str, tuple[str, ...]] = {
    "content://com.android.contacts/data": ("mimetype", "data1", "data2"),
    "content://sms": ("address", "body", "type"),
    "content://call_log/calls": ("number", "type"),
    "content://com.android.calendar/events": ("title", "dtstart", "dtend", "allDay", "rrule"),
}
_SHARED = "/sdcard"
_DATA = ("/data/data", "/data/user_de/0")
_MOST_ROWS = 2000  # rows of a table; larger tables are unlikely to belong to a task
_OWN_TABLES = ("android_metadata", "sqlite_", "room_master_table")
_PARTS_OF_DATABASES = ("-wal", "-shm", "-journal")
_NEXT = "-- mobileagent: next part --"
_HASH = re.compile(r"([0-9a-f]{32})  (/.*)")
_PLACE = re.compile(r"/data/(?:data|user_de/0)/([\w.]+)/(databases|shared_prefs)/([^/]+)")
UNREAD = "databases and preferences"

Row = tuple[tuple[str, Any], ...]


@dataclass
class PhoneState:
    """The state of a phone; parts that cannot be read are missing.

    - `settings`: values by (namespace, key); also the time zone and the language, as properties.
    - `rows`: rows by (database, table), or by (provider, ""), as sorted tuples of (column, value).
    - `preferences`: values by (package, file, key).
    - `files`: the sizes in bytes of files in the shared storage, by path.
    - `packages`: the installed packages; `disabled`: those that are disabled.
    - `unknown`: what could not be read, in words; without root, the databases of apps.
    """

    settings: dict[tuple[str, str], str] = field(default_factory=dict)
    rows: dict[tuple[str, str], list[Row]] = field(default_factory=dict)
    preferences: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)
    disabled: set[str] = field(default_factory=set)
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
    """What a database (rows by table) or a file of preferences (values by key) contains."""

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
        providers = [provider(uri, list(columns)) for uri, columns in PROVIDERS.items()]
        listing = packages()
        folders = " ".join(f"{root}/*/databases/* {root}/*/shared_prefs/*" for root in _DATA)
        scripts = [
            *(f"settings list {namespace}" for namespace in NAMESPACES),
            "getprop | grep -E '^\\[persist\\.sys\\.(timezone|locale)\\]'",
            listing.script,
            "pm list packages -d 2>/dev/null",
            f"find {_SHARED}/ -type f -exec stat -c '%s %n' {{}} + 2>/dev/null",
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
        for name, value in re.findall(r"\[(.*?)\]: \[(.*?)\]", next(outputs)):
            state.settings["property", name] = value
        state.packages = set(_parsed(listing, next(outputs), state, "packages") or ())
        disabled = (line.removeprefix("package:") for line in next(outputs).splitlines())
        state.disabled = {*disabled} & state.packages
        sizes = (line.partition(" ") for line in next(outputs).splitlines())
        state.files = {path: int(size) for size, _, path in sizes if size.isdigit()}
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
    scripts = [f"base64 {shlex.quote(name)} 2>/dev/null" for name in names]
    outputs = iter(_run(system, scripts))
    found = {}
    for path in paths:
        with contextlib.suppress(binascii.Error):
            found[path] = base64.b64decode(next(outputs)), base64.b64decode(next(outputs))
    return found


def _read(path: str, content: bytes, log: bytes) -> _Content:
    if path.endswith(".xml"):
        try:
            return _Content(values=typed_preferences(content))
        except ValueError:
            return _Content()
    with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
        file = Path(folder, "state.db")
        file.write_bytes(content)
        if log:
            file.with_name("state.db-wal").write_bytes(log)
        with contextlib.suppress(sqlite3.Error):  # it is no database
            return _Content(_tables(file))
    return _Content()


def _tables(file: Path) -> dict[str, list[Row]]:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        listed = connection.execute("select name from sqlite_master where type = 'table'")
        names = [name for (name,) in listed if not name.startswith(_OWN_TABLES)]
        found = {}
        for name in names:
            quoted = name.replace('"', '""')
            with contextlib.suppress(sqlite3.Error):  # virtual tables may need a module
                query = f'select * from "{quoted}" limit {_MOST_ROWS + 1}'  # noqa: S608 - quoted
                rows = [dict(row) for row in connection.execute(query)]
                if len(rows) <= _MOST_ROWS:
                    found[name] = _sorted(rows)
        return found


def _sorted(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    return sorted((tuple(sorted(row.items())) for row in rows), key=repr)
