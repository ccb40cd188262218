"""State of the device that a check needs and the screen does not show: read after every step."""

from __future__ import annotations

import base64
import binascii
import contextlib
import shlex
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from pytest_mobileagent.task.probe import Value

NAMESPACES = ("system", "secure", "global")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of Android's settings provider, as text; None if it is not set."""

    namespace: str
    key: str

    def __post_init__(self) -> None:
        if self.namespace not in NAMESPACES:
            msg = f"no settings are called {self.namespace!r} (there are {', '.join(NAMESPACES)})"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask the settings provider."""
        return f"settings get {self.namespace} {shlex.quote(self.key)}"

    def parse(self, output: str) -> Value:
        """Return the text of the setting, None for Android's "null"."""
        text = output.strip()
        return None if text == "null" else text


@dataclass(frozen=True, slots=True)
class Sqlite:
    """Rows of a database on the device, as dictionaries; no rows where there is no database yet.

    The file is fetched and queried on this side, since not every image has a `sqlite3` program.
    Needs a device that can become root.
    """

    path: str
    query: str

    @property
    def script(self) -> str:
        """Print the database and its write-ahead log in base 64, or what stands in the way."""
        path, log = shlex.quote(self.path), shlex.quote(f"{self.path}-wal")
        return f"base64 {path} 2>&1; echo .; if [ -f {log} ]; then base64 {log}; fi"

    def parse(self, output: str) -> Value:
        """Run the query over the database in `output`."""
        database, _, log = output.partition(".\n")
        if "No such file or directory" in database:
            return []
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            path = Path(folder, "probe.db")
            path.write_bytes(self._decode(database))
            if log.strip():
                path.with_name("probe.db-wal").write_bytes(self._decode(log))
            return self._rows(path)

    def _decode(self, text: str) -> bytes:
        try:
            return base64.b64decode("".join(text.split()), validate=True)
        except binascii.Error as error:
            msg = f"cannot read {self.path} on the device: {text.strip()[:200]}"
            raise DeviceError(msg) from error

    def _rows(self, path: Path) -> list[dict[str, Value]]:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            try:
                return [dict(row) for row in connection.execute(self.query)]
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
                    msg = f"{self.path} was copied from the device while it was written: {error}"
                    raise DeviceError(msg) from error
                msg = f"the query {self.query!r} fails on {self.path}: {error}"
                raise TaskError(msg) from error


@dataclass(frozen=True, slots=True)
class Files:
    """What is below a folder of the device: sorted paths within it, those of folders with a slash.

    Nothing where there is no such folder.
    """

    folder: str

    @property
    def script(self) -> str:
        """Find the folders, then the files."""
        folder = shlex.quote(self.folder.rstrip("/") + "/")
        find = f"find {folder} -type"
        return f"{find} d 2>/dev/null; echo .; {find} f 2>/dev/null; true"

    def parse(self, output: str) -> Value:
        """Return the paths."""
        folders, _, files = output.partition("\n.\n") if "\n.\n" in output else ("", "", "")
        top = self.folder.rstrip("/") + "/"
        inside = [f"{line.rstrip('/')}/" for line in folders.splitlines()] + files.splitlines()
        return sorted(line.removeprefix(top).lstrip("/") for line in inside if len(line) > len(top))


def setting(namespace: str, key: str) -> Setting:
    """Probe a setting: `setting("global", "airplane_mode_on")`."""
    return Setting(namespace, key)


def sqlite(path: str, query: str) -> Sqlite:
    """Probe rows of a database on the device."""
    return Sqlite(path, query)


def files(folder: str) -> Files:
    """Probe what is below a folder: `files("/sdcard/Download")`."""
    return Files(folder)
