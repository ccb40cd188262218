"""Probes of Android services: settings, volumes, activities, packages, providers, the log, etc."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.device.logcat import MARKS
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent._task import Value


NAMESPACES = ("system", "secure", "global")
# Android's AudioManager.STREAM_*.
STREAMS = {
    "voice_call": 0, "system": 1, "ring": 2, "music": 3, "alarm": 4, "notification": 5, "dtmf": 8,
    "accessibility": 10,
}  # fmt: skip
_PROPERTY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]*")
# What Android prints if `settings` fails, which is not the text of a setting.
_FAILED = re.compile(
    r"cmd: |Failure calling service |Exception occurred while executing|Bad arguments"
    r"|Security exception: |java\.lang\.\w+: |Invalid (user|command|namespace)|Permission Denial: "
)
_VOLUME = re.compile(r"volume is (\d+) in range \[\d+\.\.\d+\]")
# Android 10 and newer print the frontmost activity of all displays first; 8 and 9 print
# mResumedActivity. While an app is being started, neither may be printed.
_RESUMED = re.compile(
    r"(?:topResumedActivity|mResumedActivity|(?<![A-Za-z])ResumedActivity|mFocusedActivity)"
    r"[=:] ?ActivityRecord\{\S+ u\d+ ([\w.]+)/([\w.$]+)"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """The text of a setting: `setting("global", "airplane_mode_on")`; None if it is not set."""

    namespace: str
    key: str

    def __post_init__(self) -> None:
        if self.namespace not in NAMESPACES:
            known = f"only {', '.join(NAMESPACES)}"
            raise TaskError(f"settings have no namespace {self.namespace!r} ({known})")

    @property
    def script(self) -> str:
        return f"settings get {self.namespace} {shlex.quote(self.key)}"

    def parse(self, output: str) -> Value:
        """Return the text of the setting; None for Android's "null"."""
        text = output.strip()
        if _FAILED.match(text):
            what = f"the phone does not tell the setting {self.namespace} {self.key}"
            raise DeviceError(f"{what}: {text[:200]}")
        return None if text == "null" else text


@dataclass(frozen=True, slots=True)
class Property:
    """The text of a system property: `prop("persist.sys.locale")`; None if it is not set, or ""."""

    key: str

    def __post_init__(self) -> None:
        if not _PROPERTY.fullmatch(self.key):
            raise TaskError(f"{self.key!r} is not a valid name of a system property")

    @property
    def script(self) -> str:
        return f"getprop {shlex.quote(self.key)}"

    def parse(self, output: str) -> Value:
        return output.strip() or None


@dataclass(frozen=True, slots=True)
class Volume:
    """The volume of an audio stream: an index from 0 or 1 to a maximum that depends on the phone.

    Streams, as in `volume("alarm")`, are the keys of `STREAMS`: also music, ring and others. Raises
    DeviceError if neither `media` nor `cmd media_session` prints the volume.
    """

    stream: str

    def __post_init__(self) -> None:
        if self.stream not in STREAMS:
            raise TaskError(f"there is no audio stream {self.stream!r} (only {', '.join(STREAMS)})")

    @property
    def script(self) -> str:
        """Run `media`, a separate program before Android 12, or else query the media service."""
        ask = f"volume --stream {STREAMS[self.stream]} --get 2>&1"
        return f"media {ask} | grep 'volume is' || cmd media_session {ask}"

    def parse(self, output: str) -> Value:
        found = _VOLUME.search(output)
        if found is None:
            raise DeviceError(f"the phone printed no volume but {output.strip()[:200]!r}")
        return int(found[1])


@dataclass(frozen=True, slots=True)
class FrontActivity:
    """The activity in front: `activity()` is "package/full.class.Name"; None if there is none."""

    @property
    def script(self) -> str:
        return "dumpsys activity activities | grep -E '(Resumed|mFocused)Activity[=:]'; true"

    def parse(self, output: str) -> Value:
        """Return the component; the first one printed is in front."""
        if (found := _RESUMED.search(output)) is None:
            return None
        package, name = found.groups()
        return f"{package}/{package}{name}" if name.startswith(".") else f"{package}/{name}"


setting, prop, volume, activity = Setting, Property, Volume, FrontActivity  # as tasks call them


# The kinds of packages, with the option of `pm list packages` for each.
KINDS = {"all": "", "third-party": " -3", "system": " -s", "enabled": " -e", "disabled": " -d"}
# Errors of a query that are mistakes in the task, whatever the device.
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
    """The installed packages, sorted: all, or third-party, system, enabled or disabled ones."""

    kind: str = "all"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TaskError(f"packages({self.kind!r}): the kind must be one of {', '.join(KINDS)}")

    @property
    def script(self) -> str:
        command = f"pm list packages{KINDS[self.kind]}"
        return f"{command} 2>/dev/null || {command} --user 0 2>&1"

    def parse(self, output: str) -> Value:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        if stray := [line for line in lines if not line.startswith("package:")]:
            printed = " ".join(stray)[:200]
            raise DeviceError(f"the device printed no list of packages but {printed!r}")
        return sorted(line.removeprefix("package:") for line in lines)


@dataclass(frozen=True, slots=True)
class Provider:
    """Rows of a content provider, as dictionaries of strings; null values are None.

    Android does not escape commas and line breaks in values. Naming the wanted columns makes the
    rows easier to parse reliably.
    """

    uri: str
    projection: tuple[str, ...] = ()
    where: str = ""
    sort: str = ""

    def __post_init__(self) -> None:
        if not self.uri.startswith("content://"):
            raise TaskError(f"provider({self.uri!r}): the address must start with content://")
        if any(":" in column or not column for column in self.projection):
            what = f"provider(…, projection={self.projection!r})"
            raise TaskError(f"{what}: not valid names of columns")

    @property
    def script(self) -> str:
        words = ["content", "query", "--uri", self.uri]
        words += ["--projection", ":".join(self.projection)] if self.projection else []
        words += ["--where", self.where] if self.where else []
        words += ["--sort", self.sort] if self.sort else []
        return f"{shlex.join(words)} 2>&1"

    def parse(self, output: str) -> Value:
        rows = _rows(output)
        if not rows and output.strip().rpartition("\n")[2] == "No result found.":
            return []
        if not rows:
            self._complain(output)
        names = self.projection or _columns(rows)
        return [self._row(row, names) for row in rows]

    def _row(self, row: str, names: Sequence[str]) -> dict[str, Value]:
        pattern = ", ".join(f"{re.escape(name)}=(.*?)" for name in names)
        found = re.fullmatch(pattern, row, re.DOTALL)
        if found is None:
            what = f"{self.uri} returned a row without {', '.join(names)}"
            raise DeviceError(f"{what}: {row[:200]!r}")
        values = (None if value == "NULL" else value for value in found.groups())
        return dict(zip(names, values, strict=True))

    def _complain(self, output: str) -> None:
        message = "; ".join(output.partition("\n\tat ")[0].split("\n"))[-300:] or "nothing"
        if _DENIED.search(output):
            why = f"{message}; use a device that can become root"
            raise DeviceError(f"access to {self.uri} is denied: {why}")
        if _MISTAKES.search(output):
            raise TaskError(f"the query of {self.uri} is invalid: {message}")
        raise DeviceError(f"{self.uri} cannot be read: the device printed {message}")


def _rows(output: str) -> list[str]:
    """Return the text of each row; "Row: N" inside a value is recognised by a wrong number.

    Text before the first row is ignored: MIUI prints a stack trace whenever a Java program starts.
    """
    starts: list[re.Match[str]] = []
    for found in _ROW.finditer(output):
        if int(found[1]) == len(starts):
            starts.append(found)
    if not starts:
        return []
    ends = [start.start() for start in starts[1:]] + [len(output.removesuffix("\n")) + 1]
    return [output[start.end() : end - 1] for start, end in zip(starts, ends, strict=True)]


def _columns(rows: Sequence[str]) -> list[str]:
    """Return the names of the columns: those that look like a column in every row."""
    first, *others = ([*dict.fromkeys(_COLUMN.findall(row))] for row in rows)
    return [name for name in first if all(name in names for names in others)]


packages = Packages


def provider(
    uri: str, projection: Sequence[str] = (), *, where: str = "", sort: str = ""
) -> Provider:
    """Probe rows of a content provider: `provider("content://sms/sent", ["address", "body"])`.

    `where` and `sort` are SQL clauses that the provider accepts.
    """
    columns = (projection,) if isinstance(projection, str) else tuple(projection)
    return Provider(uri, columns, where, sort)


LEVELS = "VDIWEF"  # verbose, debug, information, warning, error, fatal
MARK = f"{MARKS}start"  # the tag of the line that marks the beginning of an episode
_LINE = re.compile(r"\s*(\d+\.\d+)\s+\d+\s+\d+ ([VDIWEF]) (.*)", re.DOTALL)
_DIVIDER = re.compile(r"-{5,} (beginning of|switch to) \w+")


@dataclass(frozen=True, slots=True)
class Log:
    """The log messages since the episode began that match a regular expression, in order.

    A line in the log marks the beginning, so changing the clock does no harm. If that line has
    already been overwritten by later ones, the times of the lines are compared.
    """

    pattern: str
    tag: str | None = None
    level: str = "V"
    flags: int = 0
    start: str | None = None

    def __post_init__(self) -> None:
        if self.level not in tuple(LEVELS):
            must = f"the level must be one of {', '.join(LEVELS)}"
            raise TaskError(f"log(…, level={self.level!r}): {must}")
        if self.tag is not None and not re.fullmatch(r"[^\s:*]+", self.tag):
            must = "a tag contains no spaces, colons or asterisks"
            raise TaskError(f"log(…, tag={self.tag!r}): {must}")
        try:
            re.compile(self.pattern, self.flags)
        except (re.error, TypeError) as error:
            what = f"log({self.pattern!r}) is not a regular expression"
            raise TaskError(f"{what}: {error}") from error

    @property
    def mark(self) -> str:
        """Write a line to the log that marks the beginning, and print its message."""
        return f'now="$(date +%s.%N)"; log -p i -t {MARK} "$now"; echo "$now"'

    def since(self, output: str) -> Log:
        """Return the probe of what follows the beginning that `mark` printed.

        Raises:
            DeviceError: if the output is not a time.
        """
        if not re.fullmatch(r"\d+\.\d+", output.strip()):
            raise DeviceError(f"the device's clock reads {output.strip()[:100]!r}")
        return replace(self, start=output.strip())

    @property
    def script(self) -> str:
        """Print the lines with the tag, and those that mark the beginning of an episode."""
        others = ["*:S"] if self.tag else []
        filters = [f"{MARK}:I", f"{self.tag or '*'}:{self.level}", *others]
        return f"{shlex.join(['logcat', '-d', '-v', 'epoch', *filters])} 2>&1"

    def parse(self, output: str) -> Value:
        """Return the messages that match.

        Raises:
            DeviceError: if the output is not a log, but an error of the device.
        """
        pattern = re.compile(self.pattern, self.flags)
        return [message for message in self._messages(output) if pattern.search(message)]

    def _messages(self, output: str) -> list[str]:
        lines: list[tuple[float, str]] = []
        is_marked, loud = False, LEVELS[LEVELS.index(self.level) :]
        for moment, level, text in _lines(output):
            tag, message = self._split(text)
            if tag == MARK and message == self.start:
                lines, is_marked = [], True
            elif tag is not None and not tag.startswith(MARKS) and level in loud:
                lines.append((moment, message))
        start = float(self.start or 0)
        return [message for moment, message in lines if is_marked or moment >= start]

    def _split(self, text: str) -> tuple[str | None, str]:
        """Return tag and message of a line; the tag is None if it differs from the probe's."""
        for tag in (MARK, self.tag):
            if tag is not None and (found := re.match(rf"{re.escape(tag)} *: ?", text)):
                return tag, text[found.end() :]
        if self.tag is not None:
            return None, text
        tag, _, message = text.partition(": ")
        return tag.rstrip(), message


def _lines(output: str) -> Iterator[tuple[float, str, str]]:
    """Yield the time, the level and the rest of each line.

    Raises:
        DeviceError: if a line is not in the log's format.
    """
    for line in output.split("\n"):
        if found := _LINE.fullmatch(line):
            yield float(found[1]), found[2], found[3]
        elif line.strip() and not _DIVIDER.fullmatch(line.strip()):
            raise DeviceError(f"the device's log cannot be read: {output.strip()[:200]}")


def log(pattern: str | re.Pattern[str], *, tag: str | None = None, level: str = "V") -> Log:
    """Probe the log for a regular expression: `log("START .*deskclock", tag="ActivityManager")`.

    The value is a list of the messages since the episode began that match and have at least this
    level. With a tag, the log is filtered on the device.
    """
    if isinstance(pattern, re.Pattern):
        return Log(pattern.pattern, tag, level, pattern.flags)
    return Log(pattern, tag, level)
