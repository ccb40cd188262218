"""Probes of the phone's own services: settings, properties, volumes, packages and providers."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.task.task import Value


NAMESPACES = ("system", "secure", "global")
# Android's AudioManager.STREAM_*.
STREAMS = {
    "voice_call": 0,
    "system": 1,
    "ring": 2,
    "music": 3,
    "alarm": 4,
    "notification": 5,
    "dtmf": 8,
    "accessibility": 10,
}
_PROPERTY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]*")
_VOLUME = re.compile(r"volume is (\d+) in range \[\d+\.\.\d+\]")
# Android 10 and newer name the one in front of all displays first; 8 and 9 have mResumedActivity,
# and where an app is being started there may be neither.
_RESUMED = re.compile(
    r"(?:topResumedActivity|mResumedActivity|(?<![A-Za-z])ResumedActivity|mFocusedActivity)"
    r"[=:] ?ActivityRecord\{\S+ u\d+ ([\w.]+)/([\w.$]+)"
)


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
class Property:
    """A system property, as text; None if it is not set, or empty: Android makes no difference."""

    key: str

    def __post_init__(self) -> None:
        if not _PROPERTY.fullmatch(self.key):
            msg = f"no system property can be called {self.key!r}"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask the property service."""
        return f"getprop {shlex.quote(self.key)}"

    def parse(self, output: str) -> Value:
        """Return the text of the property."""
        return output.strip() or None


@dataclass(frozen=True, slots=True)
class Volume:
    """The volume of a stream of sound: its index, from 0 or 1 up to a maximum that phones choose.

    Raises DeviceError where neither `media` nor `cmd media_session` tells it.
    """

    stream: str

    def __post_init__(self) -> None:
        if self.stream not in STREAMS:
            msg = f"no stream is called {self.stream!r} (there are {', '.join(STREAMS)})"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask `media`, which is a program of its own before Android 12, else the media service."""
        ask = f"volume --stream {STREAMS[self.stream]} --get 2>&1"
        return f"media {ask} | grep 'volume is' || cmd media_session {ask}"

    def parse(self, output: str) -> Value:
        """Return the index."""
        found = _VOLUME.search(output)
        if found is None:
            msg = f"the phone does not tell its volume, but {output.strip()[:200]!r}"
            raise DeviceError(msg)
        return int(found[1])


@dataclass(frozen=True, slots=True)
class FrontActivity:
    """The activity in front, as "package/full.class.Name"; None while none is."""

    @property
    def script(self) -> str:
        """Ask the activity manager."""
        return "dumpsys activity activities | grep -E '(Resumed|mFocused)Activity[=:]'; true"

    def parse(self, output: str) -> Value:
        """Return the component; the first that is named is the one in front."""
        found = _RESUMED.search(output)
        if found is None:
            return None
        package, name = found.groups()
        return f"{package}/{package}{name}" if name.startswith(".") else f"{package}/{name}"


def setting(namespace: str, key: str) -> Setting:
    """Probe a setting: `setting("global", "airplane_mode_on")`."""
    return Setting(namespace, key)


def prop(key: str) -> Property:
    """Probe a system property: `prop("persist.sys.locale")`."""
    return Property(key)


def volume(stream: str) -> Volume:
    """Probe a volume: `volume("alarm")`; also music, ring, voice_call, notification, system, …."""
    return Volume(stream)


def activity() -> FrontActivity:
    """Probe the activity in front: `com.android.settings/com.android.settings.Settings`."""
    return FrontActivity()


# What `pm list packages` lists, and the option for it.
KINDS = {"all": "", "third-party": " -3", "system": " -s", "enabled": " -e", "disabled": " -d"}
# What makes a query impossible, whatever the device: the task asks for what is not there.
_MISTAKES = re.compile(
    r"Could not find provider|Unknown UR[IL]|SQLiteException|Invalid column"
    r"|IllegalArgumentException|UnsupportedOperationException|^\[ERROR\]",
    re.MULTILINE,
)
_DENIED = re.compile(r"SecurityException|Permission Denial")
_ROW = re.compile(r"^Row: (\d+) ", re.MULTILINE)
_COLUMN = re.compile(r"(?:^|, )([A-Za-z_][A-Za-z0-9_]*)=")


@dataclass(frozen=True, slots=True)
class Packages:
    """The packages that are installed, sorted."""

    kind: str = "all"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            msg = f"packages({self.kind!r}): there are {', '.join(KINDS)}"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask the package manager."""
        return f"pm list packages{KINDS[self.kind]} 2>&1"

    def parse(self, output: str) -> Value:
        """Return the names."""
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        if stray := [line for line in lines if not line.startswith("package:")]:
            msg = f"the device does not list its packages, but {stray[0][:200]!r}"
            raise DeviceError(msg)
        return sorted(line.removeprefix("package:") for line in lines)


@dataclass(frozen=True, slots=True)
class Provider:
    """Rows of a content provider, as dictionaries of texts; None for what the provider has not.

    Android writes values as they are, with commas and line breaks in them: name the columns that
    are wanted, and the rows can be told apart with more certainty.
    """

    uri: str
    projection: tuple[str, ...] = ()
    where: str = ""
    sort: str = ""

    def __post_init__(self) -> None:
        if not self.uri.startswith("content://"):
            msg = f"provider({self.uri!r}): the address has to start with content://"
            raise TaskError(msg)
        if any(":" in column or not column for column in self.projection):
            msg = f"provider(…, projection={self.projection!r}): no column has such a name"
            raise TaskError(msg)

    @property
    def script(self) -> str:
        """Ask by Android's `content` program."""
        words = ["content", "query", "--uri", self.uri]
        words += ["--projection", ":".join(self.projection)] if self.projection else []
        words += ["--where", self.where] if self.where else []
        words += ["--sort", self.sort] if self.sort else []
        return f"{shlex.join(words)} 2>&1"

    def parse(self, output: str) -> Value:
        """Return the rows."""
        if output.strip() == "No result found.":
            return []
        rows = _rows(output)
        if not rows:
            self._complain(output)
        names = self.projection or _columns(rows)
        return [self._row(row, names) for row in rows]

    def _row(self, row: str, names: Sequence[str]) -> dict[str, Value]:
        pattern = ", ".join(f"{re.escape(name)}=(.*?)" for name in names)
        found = re.fullmatch(pattern, row, re.DOTALL)
        if found is None:
            msg = f"{self.uri} gives a row without {', '.join(names)}: {row[:200]!r}"
            raise DeviceError(msg)
        values = (None if value == "NULL" else value for value in found.groups())
        return dict(zip(names, values, strict=True))

    def _complain(self, output: str) -> None:
        message = "; ".join(output.partition("\n\tat ")[0].split("\n"))[-300:] or "nothing"
        if _DENIED.search(output):
            msg = f"{self.uri} may not be read: {message}; it takes a device that can become root"
            raise DeviceError(msg)
        if _MISTAKES.search(output):
            msg = f"{self.uri} cannot be asked like that: {message}"
            raise TaskError(msg)
        msg = f"{self.uri} cannot be read: the device says {message}"
        raise DeviceError(msg)


def _rows(output: str) -> list[str]:
    """Return the text of each row; what looks like one inside a value has another number."""
    starts: list[re.Match[str]] = []
    for found in _ROW.finditer(output):
        if int(found[1]) == len(starts):
            starts.append(found)
    if not starts or starts[0].start() != 0:
        return []
    ends = [start.start() for start in starts[1:]] + [len(output.removesuffix("\n")) + 1]
    return [output[start.end() : end - 1] for start, end in zip(starts, ends, strict=True)]


def _columns(rows: Sequence[str]) -> list[str]:
    """Return the names of the columns: what looks like one in every row."""
    first, *others = ([*dict.fromkeys(_COLUMN.findall(row))] for row in rows)
    return [name for name in first if all(name in names for names in others)]


def packages(kind: str = "all") -> Packages:
    """Probe the packages that are installed: all, third-party, system, enabled or disabled ones."""
    return Packages(kind)


def provider(
    uri: str, projection: Sequence[str] = (), *, where: str = "", sort: str = ""
) -> Provider:
    """Probe rows of a content provider: `provider("content://sms/sent", ["address", "body"])`.

    `where` and `sort` are SQL, as the provider takes it.
    """
    return Provider(
        uri, (projection,) if isinstance(projection, str) else tuple(projection), where, sort
    )
