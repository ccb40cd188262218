"""The state of a phone that a task may change: settings, packages, providers, files, app data.

It is read with the probes that a check would use, so every difference can be asserted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.probes.services import packages, provider
from pytest_mobileagent.device.probes.stored import preferences, sqlite
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_mobileagent.device.device import System
    from pytest_mobileagent.task.task import Probe

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
_PACKAGE = re.compile(r"[A-Za-z][\w.]*")


@dataclass
class State:
    """The state of a phone; parts that cannot be read are missing.

    - `settings`: values by (namespace, key).
    - `rows`: rows by (database, table), or by (provider, ""), as sorted tuples of (column, value).
    - `preferences`: values by (package, file, key).
    - `files`: the paths of files in the shared storage.
    - `packages`: the installed packages.
    """

    settings: dict[tuple[str, str], str] = field(default_factory=dict)
    rows: dict[tuple[str, str], list[tuple[tuple[str, Any], ...]]] = field(default_factory=dict)
    preferences: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)


def read_state(system: System) -> State:
    """Return the state of the phone without its apps; empty if the phone has no shell."""
    state = State()
    for namespace in NAMESPACES:
        for line in _output(system, f"settings list {namespace}").splitlines():
            key, equals, value = line.partition("=")
            if equals:
                state.settings[namespace, key] = value
    for uri, columns in PROVIDERS.items():
        rows = _value(system, provider(uri, list(columns)))
        if rows is not None:
            state.rows[uri, ""] = _sorted(rows)
    found = _output(system, f"find {_SHARED}/ -type f 2>/dev/null")
    state.files = {line for line in found.splitlines() if line.startswith(_SHARED)}
    state.packages = set(_value(system, packages()) or ())
    return state


def add_app(state: State, system: System, package: str) -> None:
    """Add the databases and the preferences of an app, which requires a root shell."""
    if not _PACKAGE.fullmatch(package):
        return
    folders = " ".join(f"{root}/{package}" for root in _DATA)
    listed = _output(
        system,
        f"for d in {folders}; do ls -1 $d/databases/* $d/shared_prefs/* 2>/dev/null; done",
    )
    seen = set()
    for path in listed.splitlines():
        folder, _, name = path.rpartition("/")
        if folder.endswith("/databases") and not name.endswith(("-wal", "-shm", "-journal")):
            _add_database(state, system, path)
        elif folder.endswith("/shared_prefs") and name.endswith(".xml") and name not in seen:
            seen.add(name)
            file = name.removesuffix(".xml")
            values = _value(system, preferences(package, file)) or {}
            for key, value in values.items():
                state.preferences[package, file, key] = value


def _add_database(state: State, system: System, path: str) -> None:
    tables = sqlite(path, "select name from sqlite_master where type = 'table'")
    output = _output(system, tables.script)
    try:
        names = [str(row["name"]) for row in tables.parse(output)]
        for name in names:
            if not name.startswith(_OWN_TABLES):
                quoted = name.replace('"', '""')
                query = sqlite(path, f'select * from "{quoted}" limit {_MOST_ROWS + 1}')  # noqa: S608
                rows = query.parse(output)
                if len(rows) <= _MOST_ROWS:
                    state.rows[path, name] = _sorted(rows)
    except (DeviceError, TaskError):
        return  # the file is not a database, or cannot be read


def _output(system: System, script: str) -> str:
    """Return the output of a script; empty if the phone has no shell, for example behind a hub."""
    try:
        return system.shell(script)
    except DeviceError:
        return ""


def _value(system: System, probe: Probe) -> Any:
    try:
        return probe.parse(system.shell(probe.script))
    except (DeviceError, TaskError):
        return None  # the phone does not have it


def _sorted(rows: Iterable[Mapping[str, Any]]) -> list[tuple[tuple[str, Any], ...]]:
    return sorted((tuple(sorted(row.items())) for row in rows), key=repr)


def changed_rows(
    before: State, after: State
) -> Iterator[tuple[tuple[str, str], list[dict[str, Any]], list[dict[str, Any]]]]:
    """Yield each table whose rows have changed, with the removed and the new rows."""
    for where, rows in after.rows.items():
        old = before.rows.get(where, [])
        gone, new = [*old], []
        for row in rows:
            if row in gone:
                gone.remove(row)
            else:
                new.append(dict(row))
        if gone or new:
            yield where, [dict(row) for row in gone], new
