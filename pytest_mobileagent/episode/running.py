"""The episodes of a run that are in progress, read from the files that their workers write.

Also reads an episode incrementally while it is being written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.calls import known_sum
from pytest_mobileagent.episode.exchanges import CallReader
from pytest_mobileagent.episode.reader import assemble
from pytest_mobileagent.episode.runs import note_of
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import new_lines, parse_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from pytest_mobileagent.screen import Screen


@dataclass(slots=True)
class Running:
    """The progress of a running episode.

    - `serial`: of its device; `recorded`: when it began (ISO 8601, the host's clock).
    - `steps` taken so far, of at most `step_limit`; `said`: by the agent in the last step.
    - `png`: the name of the last screenshot in the run's store; "" before the first.
    - `node`, `worker`: the machine, if workers are on several, and the worker on it.
    - `cost_usd`: the known cost of its model calls so far; None without any.
    """

    folder: Path
    case: Case
    serial: str
    recorded: str
    step_limit: int | None
    steps: int = 0
    said: str = ""
    png: str = ""
    cost_usd: float | None = None
    node: str = ""
    worker: str = ""

    @property
    def place(self) -> str:
        """The device, and its machine if there are several."""
        return f"{self.serial} on {self.node}" if self.node else self.serial


class RunningEpisodes:
    """Follows the new episodes in a run's folder; those that exist at the start are ignored.

    Each line is read only once. A call of `look` costs a listing of the folder, and the new lines.
    """

    def __init__(self, run: Path) -> None:
        self._folder = run / "episodes"
        self._known = set(self._names())
        self._followed: list[_Followed] = []

    def look(self, finished: Collection[str] = ()) -> list[Running]:
        """Return the running episodes by device, except those of `finished` tests (node ids).

        Of two episodes on one device, or of one test, only the later one is running: a worker that
        is killed ends its episode without a record.
        """
        for name in self._names():
            if name not in self._known:
                self._known.add(name)
                self._followed.append(_Followed(self._folder / name))
        for each in self._followed:
            each.read()
        self._followed = [each for each in self._followed if not each.has_ended]
        begun = [each.running for each in self._followed if each.running is not None]
        begun.sort(key=_recorded)
        # On other machines each worker has its own adb server, so serials repeat.
        newest = {(each.place, each.worker * bool(each.node)): each for each in begun}
        last = {each.case.nodeid: each for each in sorted(newest.values(), key=_recorded)}
        here = [each for each in last.values() if each.case.nodeid not in finished]
        return sorted(here, key=lambda running: (running.place, running.worker))

    @property
    def waiting(self) -> int:
        """The number of episodes whose device is not ready yet, when it was last looked."""
        return sum(each.running is None for each in self._followed)

    def _names(self) -> Iterable[str]:
        try:
            return sorted(path.name for path in self._folder.iterdir())
        except OSError:  # not there yet
            return ()


def _recorded(running: Running) -> str:
    return running.recorded


class _Followed:
    """The record of one episode, as far as it has been read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._calls = CallReader(folder)
        self._offset = 0
        self.running: Running | None = None
        self.has_ended = False

    def read(self) -> None:
        """Read new lines; an invalid record counts as ended."""
        try:
            lines, self._offset = new_lines(self._folder / STREAM, self._offset)
        except OSError:  # not begun yet
            return
        try:
            for line in lines:
                self._take(parse_json(line))
        except (LookupError, TypeError, ValueError, AttributeError):
            self.has_ended = True
        if self.running is not None:
            prices = (call.price_usd for call in self._calls.new())
            self.running.cost_usd = known_sum([self.running.cost_usd, *prices])

    def _take(self, record: dict[str, Any]) -> None:
        kind, running = record["record"], self.running
        if kind == "episode":
            case, serial = Case.from_json(record["case"]), str(record["device"]["serial"])
            began, limit = str(record["recorded"]), record["step_limit"]
            self.running = Running(self._folder, case, serial, began, limit)
            if (note := note_of(self._folder)) is not None:
                self.running.node, self.running.worker = note.node, note.worker
        elif kind == "end":
            self.has_ended = True
        elif running is not None and kind == "observation":
            running.png = str(record["png"])
        elif running is not None and kind == "step":
            running.steps += bool(record.get("counts", True))
            running.said = str(record["said"])


E = TypeVar("E", bound=EpisodeRecord)


class LiveEpisode(Generic[E]):
    """An episode that is still being written: every line and every screen is read only once."""

    def __init__(self, folder: Path, kind: type[E]) -> None:
        self._folder = folder
        self._kind = kind
        self._offset = 0
        self._records: list[dict[str, Any]] = []
        self._screens: dict[int, Screen] = {}

    def read(self) -> E:
        """Return the episode as recorded so far.

        Raises:
            RecordError: if the record cannot be read, or has not even a first screen.
        """
        try:
            lines, self._offset = new_lines(self._folder / STREAM, self._offset)
            added = [*map(parse_json, lines)]
            if self._screens and any(record.get("again") for record in added):
                self._screens.popitem()  # it was replaced
            self._records += added
            return assemble(self._folder, self._kind, self._records, self._screens)
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            what = f"{self._folder} cannot be read while it is being written"
            raise RecordError(f"{what}: {type(error).__name__}: {error}") from error
