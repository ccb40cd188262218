"""Probes of the phone's storage: databases, shared preferences, files and folders."""

from __future__ import annotations

import base64
import binascii
import codecs
import contextlib
import math
import re
import shlex
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from pytest_mobileagent._task import Value

_ABSENT = re.compile(r"base64: .*: (No such file or directory|Not a directory)\s*")
_FOLDER = re.compile(r"base64: .*: Is a directory\s*")


@dataclass(frozen=True, slots=True)
class Sqlite:
    """Rows of a database on the device, as dictionaries; no rows if the database does not exist.

    An example: `sqlite("/data/data/org.notes/databases/n.db", "SELECT …")`. The file is copied and
    queried on this machine, because not every image has a `sqlite3` program. The device must be
    able to become root.
    """

    path: str
    query: str

    def __post_init__(self) -> None:
        _check_path("sqlite", self.path)
        if not self.query.strip():
            raise TaskError(f"sqlite({self.path!r}, {self.query!r}): the query is empty")

    @property
    def script(self) -> str:
        """Print the database and its write-ahead log in base64, or the error."""
        path, log = shlex.quote(self.path), shlex.quote(f"{self.path}-wal")
        return f"base64 {path} 2>&1; echo .; if [ -f {log} ]; then base64 {log}; fi"

    def parse(self, output: str) -> Value:
        """Run the query on the database in `output`, and return the rows."""
        encoded, _, log = output.partition(".\n")
        database = content(encoded, self.path)
        if database is None:
            return []
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            path = Path(folder, "probe.db")
            path.write_bytes(database)
            if log.strip():
                path.with_name("probe.db-wal").write_bytes(content(log, self.path) or b"")
            return self._rows(path)

    def _rows(self, path: Path) -> list[dict[str, Value]]:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            try:
                return [dict(row) for row in connection.execute(self.query)]
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
                    msg = f"{self.path} was copied while the device was writing it: {error}"
                    raise DeviceError(msg) from error
                msg = f"the query {self.query!r} fails on {self.path}: {error}"
                raise TaskError(msg) from error


@dataclass(frozen=True, slots=True)
class Preferences:
    """An app's shared preferences as typed values by name, or one of them.

    An example: `preferences("org.notes", "Prefs", "show_word_count")`. Preferences of apps that
    start before the phone is unlocked are found, too (`/data/user_de`). A set becomes a sorted
    list. Without the file, there are no preferences. The device must be able to become root.
    """

    package: str
    name: str
    key: str | None = None

    def __post_init__(self) -> None:
        for part in (self.package, self.name):
            if not part or "/" in part:
                msg = f"preferences({self.package!r}, {self.name!r}): pass a package, and the name"
                raise TaskError(f"{msg} of a file without its folder")

    @property
    def paths(self) -> tuple[str, str]:
        """The paths where the file may be."""
        file = f"{self.package}/shared_prefs/{self.name.removesuffix('.xml')}.xml"
        return f"/data/data/{file}", f"/data/user_de/0/{file}"

    @property
    def script(self) -> str:
        """Print both files in base64, or why they cannot be read."""
        return "; echo .; ".join(f"base64 {shlex.quote(path)} 2>&1" for path in self.paths)

    def parse(self, output: str) -> Value:
        """Return the values by name, or the value of `key`, which is None if it is not set."""
        parts = output.partition(".\n")[::2]
        found = [content(part, path) for part, path in zip(parts, self.paths, strict=True)]
        file = next((each for each in found if each is not None), None)
        try:
            values = {} if file is None else typed_preferences(file)
        except ValueError as error:
            msg = f"shared preferences {self.name} of {self.package} cannot be read: {error}"
            raise DeviceError(msg) from error
        return values if self.key is None else values.get(self.key)


def typed_preferences(file: bytes) -> dict[str, Value]:
    """Return the values in a file of shared preferences, by name.

    Raises:
        ValueError: if the file is not one.
    """
    try:
        return {entry.get("name", ""): _preference(entry) for entry in ET.XML(file)}
    except ET.ParseError as error:
        raise ValueError(str(error)) from error


def _preference(entry: Element) -> Value:
    """Return the value of an entry in the format of Android's XmlUtils.

    Raises:
        ValueError: if the entry's number cannot be parsed.
    """
    text = entry.get("value", "")
    match entry.tag:
        case "string":
            return entry.text or ""
        case "boolean":
            return text == "true"
        case "int" | "long":
            return int(text)
        case "float":
            number = float(text)
            return number if math.isfinite(number) else text
        case "set":
            return sorted(each.text or "" for each in entry)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class File:
    """The content of a file, as in `file("/sdcard/Download/list.txt")`; None if it does not exist.

    Bytes that cannot be decoded become U+FFFD. Without an encoding, the value is the bytes in
    base64, because records contain only JSON values.
    """

    path: str
    encoding: str | None = "utf-8"

    def __post_init__(self) -> None:
        _check_path("file", self.path)
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError as error:
            raise TaskError(f"file({self.path!r}): {error}") from error

    @property
    def script(self) -> str:
        """Print the file in base64, or why it cannot be read."""
        return f"base64 {shlex.quote(self.path)} 2>&1"

    def parse(self, output: str) -> Value:
        found = content(output, self.path)
        if found is None:
            return None
        if self.encoding is None:
            return base64.b64encode(found).decode()
        return found.decode(self.encoding, "replace")


def content(output: str, path: str) -> bytes | None:
    """Return the file that `base64` printed; None if the file does not exist.

    Raises:
        DeviceError: if the file cannot be read on the device.
        TaskError: if the path is a folder.
    """
    if _ABSENT.fullmatch(output):
        return None
    if _FOLDER.fullmatch(output):
        raise TaskError(f"{path} is a folder on the device: probe it with files({path!r})")
    try:
        return base64.b64decode("".join(output.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        msg = f"cannot read {path} on the device: {output.strip()[:200]}"
        if "Permission denied" in output:
            msg = f"{msg}; use a device that can become root, such as an emulator without Play"
        raise DeviceError(msg) from error


@dataclass(frozen=True, slots=True)
class Files:
    """The files and folders below a folder of the device, as sorted relative paths.

    An example: `files("/sdcard/Download")`. The paths of folders end with a slash. The list is
    empty if the folder does not exist.
    """

    folder: str

    def __post_init__(self) -> None:
        _check_path("files", self.folder)

    @property
    def script(self) -> str:
        folder = shlex.quote(self.folder.rstrip("/") + "/")
        find = f"find {folder} -type"
        return f"{find} d 2>/dev/null; echo .; {find} f 2>/dev/null; true"

    def parse(self, output: str) -> Value:
        folders, _, files = output.partition("\n.\n") if "\n.\n" in output else ("", "", "")
        top = self.folder.rstrip("/") + "/"
        inside = [f"{line.rstrip('/')}/" for line in folders.splitlines()] + files.splitlines()
        return sorted(line.removeprefix(top).lstrip("/") for line in inside if len(line) > len(top))


def _check_path(probe: str, path: str) -> None:
    if not path.startswith("/"):
        raise TaskError(f"{probe}({path!r}): the path must start with a slash")


sqlite, files, preferences, file = Sqlite, Files, Preferences, File  # as tasks call them
