"""What the phone's log said since the episode began."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.device.logcat import MARKS
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.task.task import Value

LEVELS = "VDIWEF"  # verbose, debug, information, warning, error, fatal
MARK = f"{MARKS}start"  # the tag of the line that says where an episode began
_LINE = re.compile(r"\s*(\d+\.\d+)\s+\d+\s+\d+ ([VDIWEF]) (.*)", re.DOTALL)
_DIVIDER = re.compile(r"-{5,} (beginning of|switch to) \w+")


@dataclass(frozen=True, slots=True)
class Log:
    """Messages of the log that a regular expression finds, in order, since the episode began.

    The beginning is a line that is written to the log then, so that a clock that is set meanwhile
    does no harm; where that line has been pushed out of the log, the time of each line tells.
    """

    pattern: str
    tag: str | None = None
    level: str = "V"
    flags: int = 0
    start: str | None = None

    def __post_init__(self) -> None:
        if self.level not in tuple(LEVELS):
            msg = f"log(…, level={self.level!r}): the level has to be one of {', '.join(LEVELS)}"
            raise TaskError(msg)
        if self.tag is not None and not re.fullmatch(r"[^\s:*]+", self.tag):
            msg = f"log(…, tag={self.tag!r}): a tag has no spaces, colons and asterisks"
            raise TaskError(msg)
        try:
            re.compile(self.pattern, self.flags)
        except (re.error, TypeError) as error:
            msg = f"log({self.pattern!r}) is not a regular expression: {error}"
            raise TaskError(msg) from error

    @property
    def mark(self) -> str:
        """Write to the log that the episode begins, and print what was written."""
        return f'now="$(date +%s.%N)"; log -p i -t {MARK} "$now"; echo "$now"'

    def since(self, output: str) -> Log:
        """Return the probe of what comes after the beginning, of which `mark` wrote `output`.

        Raises:
            DeviceError: it is not a time.
        """
        if not re.fullmatch(r"\d+\.\d+", output.strip()):
            msg = f"the device's clock reads {output.strip()[:100]!r}"
            raise DeviceError(msg)
        return replace(self, start=output.strip())

    @property
    def script(self) -> str:
        """Print the lines of the tag, and those that say where an episode began."""
        others = ["*:S"] if self.tag else []
        return (
            shlex.join(
                [
                    "logcat",
                    "-d",
                    "-v",
                    "epoch",
                    f"{MARK}:I",
                    f"{self.tag or '*'}:{self.level}",
                    *others,
                ]
            )
            + " 2>&1"
        )

    def parse(self, output: str) -> Value:
        """Return the messages; those without a line of the log are the device's own errors."""
        pattern = re.compile(self.pattern, self.flags)
        return [message for message in self._messages(output) if pattern.search(message)]

    def _messages(self, output: str) -> list[str]:
        lines: list[tuple[float, str]] = []
        is_marked = False
        for moment, level, text in _lines(output):
            tag, message = self._split(text)
            if tag == MARK and message == self.start:
                lines, is_marked = [], True
            elif tag is not None and not tag.startswith(MARKS) and self._is_loud(level):
                lines.append((moment, message))
        start = float(self.start or 0)
        return [message for moment, message in lines if is_marked or moment >= start]

    def _is_loud(self, level: str) -> bool:
        return LEVELS.index(level) >= LEVELS.index(self.level)

    def _split(self, text: str) -> tuple[str | None, str]:
        """Return tag and message of a line; no tag where it is not the one that is asked for."""
        for tag in (MARK, self.tag):
            if tag is not None and (found := re.match(rf"{re.escape(tag)} *: ?", text)):
                return tag, text[found.end() :]
        if self.tag is not None:
            return None, text
        tag, _, message = text.partition(": ")
        return tag.rstrip(), message


def _lines(output: str) -> Iterator[tuple[float, str, str]]:
    """Yield time, level, and the rest of each line.

    Raises:
        DeviceError: a line is none of a log.
    """
    for line in output.split("\n"):
        if found := _LINE.fullmatch(line):
            yield float(found[1]), found[2], found[3]
        elif line.strip() and not _DIVIDER.fullmatch(line.strip()):
            msg = f"the device's log cannot be read: {output.strip()[:200]}"
            raise DeviceError(msg)


def log(pattern: str | re.Pattern[str], *, tag: str | None = None, level: str = "V") -> Log:
    """Probe the log for a regular expression: `log("START .*deskclock", tag="ActivityManager")`.

    The value is a list of the messages, from this level up, in which it was found since the
    episode began. With a tag the log is filtered on the device.
    """
    if isinstance(pattern, re.Pattern):
        return Log(pattern.pattern, tag, level, pattern.flags)
    return Log(pattern, tag, level)
