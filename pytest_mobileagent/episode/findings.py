"""What the harness finds out about an episode after it has ended, recorded beside it.

- Side effects: what the agent changed on the phone that nobody had asked for.
- Walls: whether a page that blocked the agent would block any user. A wall is a log-in page or a
  CAPTCHA. If a failed episode ends at one, the device is reset and the harness opens the app: if
  the wall appears then as well, the failure is not the agent's. The result is a line in the
  episode's `walls.jsonl`, so that the episode can be scored again without a device.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.fileio import (
    append_line,
    parse_json,
    read_json,
    read_text,
    write_json,
    writing,
)
from pytest_mobileagent.jsonable import expect, read_as, to_line

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.screen import Screen

FILE = "side_effects.json"


@dataclass(frozen=True, slots=True)
class SideEffect:
    """One change that nobody asked for: where, such as "settings system/volume_music", and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class SideEffects:
    """What an agent changed on the phone beside its task.

    - `found`: the changes.
    - `unknown`: what could not be read, such as the databases of apps without root. Without
      changes, the phone is only clean if this is empty.
    - `is_filtered`: whether what the task's solution changes was taken off; if not, `found` may
      contain what the task asks for.
    """

    found: tuple[SideEffect, ...] = ()
    unknown: tuple[str, ...] = ()
    is_filtered: bool = True

    @property
    def count(self) -> int | None:
        """The number of side effects; None if it is not known."""
        is_known = self.is_filtered and (self.found or not self.unknown)
        return len(self.found) if is_known else None

    @property
    def listed(self) -> list[str]:
        """The changes in words, and what is not known about them."""
        told = [f"unknown: {', '.join(self.unknown)}"] if self.unknown else []
        if not self.is_filtered:
            told.append("unfiltered: what the task asks for is among them")
        return [*map(str, self.found), *told]

    def write(self, folder: Path) -> None:
        """Write the side effects into the folder of their episode.

        Raises:
            HostError: if the file cannot be written.
        """
        found, unknown = list(map(asdict, self.found)), list(self.unknown)
        whole = {"found": found, "unknown": unknown, "filtered": self.is_filtered}
        with writing(folder / FILE):
            write_json(folder / FILE, redacted(whole))

    @classmethod
    def read(cls, folder: Path) -> SideEffects | None:
        """Return the side effects recorded in a folder; None if there are none.

        Raises:
            TypeError, ValueError, LookupError: if the file has other content.
            OSError: if it cannot be read.
        """
        path = folder / FILE
        if not path.exists():
            return None
        whole: Any = expect(read_json(path), dict, FILE)
        found = expect(whole["found"], list, "found")
        return cls(
            tuple(SideEffect(str(each["where"]), str(each["what"])) for each in found),
            tuple(map(str, expect(whole["unknown"], list, "unknown"))),
            bool(whole["filtered"]),
        )


TRIALS = "walls.jsonl"


@dataclass(frozen=True, slots=True)
class WallTrial:
    """The result of trying a wall.

    - `by`: what identified it as a wall, in words: a pattern with its file and line, or a judge.
    - `screen`: the index in `episode.screens` of the screen that looks like the wall.
    - `app`: the package that was opened.
    - `stands`: whether the wall appears when the app is opened on a reset device; None if that
      could not be tried, with the reason in `reason`.
    - `png`, `xml`, `package`, `activity`: the screen that the app showed, by the names of its files
      among the run's screens; empty if there was none.
    """

    by: str
    screen: int
    app: str = ""
    stands: bool | None = None
    reason: str = ""
    png: str = ""
    xml: str = ""
    package: str = ""
    activity: str = ""

    def __str__(self) -> str:
        if self.stands is None:
            return f"{self.by}; it was not tried: {self.reason}"
        verb = "is there, too," if self.stands else "is not there"
        return f"{self.by}; it {verb} when {self.app} is opened after a reset"

    def to_json(self) -> dict[str, Any]:
        """Return the trial as plain data."""
        return asdict(self)


def append(episode: Path, trial: WallTrial, seen: Screen | None, screens: ScreenStore) -> WallTrial:
    """Append a trial to the episode in a folder, and return it with the screen that was `seen`.

    `screens` is the run's store. If the wall appeared, a link to its screen is added after those of
    the episode's screens, so that people see it last in the folder.

    Raises:
        HostError: if the file cannot be written.
    """
    content = trial.to_json()
    if seen is not None:
        png, xml = screens.add(seen)
        content |= {"png": png, "xml": xml, "package": seen.package, "activity": seen.activity}
        if trial.stands:
            links = episode / "screens"
            count = len({path.name.partition(".")[0] for path in links.glob("*-*")})
            screens.link(links / f"{count:03}-wall", png, xml)
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    content = cast("dict[str, Any]", redacted(content))
    with writing(episode / TRIALS):
        append_line(episode / TRIALS, to_line({"when": when, **content}))
    return read_as(WallTrial, content, "trial")


def last_trial(episode: Path) -> WallTrial | None:
    """Return the last trial of the episode in a folder, or None; an incomplete line is skipped."""
    try:
        lines = read_text(episode / TRIALS, "replace").split("\n")
    except OSError:
        return None
    for line in reversed(lines):
        try:
            return read_as(WallTrial, parse_json(line), "trial")
        except (ValueError, LookupError, TypeError):
            continue
    return None
