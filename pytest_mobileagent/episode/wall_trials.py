"""The trials of walls: whether a page that blocked an agent would block any user.

A wall is a log-in page or a CAPTCHA. If a failed episode ends at one, the device is reset and the
harness opens the app: if the wall appears then as well, the failure is not the agent's. The result
is a line in the episode's `walls.jsonl`, so that the episode can be scored again without a device.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.fileio import append_line, parse_json, read_text, writing
from pytest_mobileagent.jsonable import read_as, to_line

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.screen.screen import Screen

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
        content |= {
            "png": png,
            "xml": xml,
            "package": seen.package,
            "activity": seen.activity,
        }
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
    """Return the last trial of the episode in a folder, or None.

    An incomplete line, as a full disk leaves it, is skipped.
    """
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
