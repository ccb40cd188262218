"""The probe of the phone's log since the episode began."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.device.logcat import MARKS
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent._task import Value

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
            msg = f"log(…, level={self.level!r}): the level must be one of {', '.join(LEVELS)}"
            raise TaskError(msg)
        if self.tag is not None and not re.fullmatch(r"[^\s:*]+", self.tag):
            msg = f"log(…, tag={self.tag!r}): a tag contains no spaces, colons or asterisks"
            raise TaskError(msg)
        try:
            re.compile(self.pattern, self.flags)
        except (re.error, TypeError) as error:
            msg = f"log({self.pattern!r}) is not a regular expression: {error}"
            raise TaskError(msg) from error

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
