"""What the page asks for, and what it decides: as plain data, whoever carries it."""

from __future__ import annotations

import secrets
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.html.trajectory import opinions, screens
from pytest_mobileagent.report.redecide import as_run
from pytest_mobileagent.review.queue import signature_of, waits
from pytest_mobileagent.review.trajectory import trajectory

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.review.queue import Item, Queue
    from pytest_mobileagent.review.rewriting import Rewriter
    from pytest_mobileagent.verdict.verdict import Verdict

_DECISIONS = {"pass": True, "fail": False, "note": None}
_UNDO = "undo"
_LONGEST_NAME = 80  # characters of a person's name
_KEPT = 4  # episodes in memory, with all their screenshots


class UnknownEpisodeError(LookupError):
    """There is no episode with such a number."""


class Desk:
    """The queue of a run and its episodes, for one or several people.

    `who` is the name under which verdicts are kept where the page names nobody.
    """

    def __init__(self, queue: Queue, rewriter: Rewriter, who: str) -> None:
        self.queue_of_run, self._rewriter, self._who = queue, rewriter, who
        self._stamp = secrets.token_hex(4)  # browsers keep screens by it
        self._lock = threading.Lock()
        self._ended = queue.has_ended
        self.decided: set[int] = set()  # here, and not taken back

    def queue(self) -> dict[str, Any]:
        """Return all that waits, and what has become of it."""
        queue = self.queue_of_run
        decisions = queue.decisions()
        if queue.has_ended and not self._ended:
            self._rewriter.ask()  # the run has ended, and written a report that knows no people
        self._ended = queue.has_ended
        return {
            "run": queue.run.name,
            "agent": str(queue.about.get("agent") or ""),
            "who": self._who,
            "stamp": self._stamp,
            "goes_on": not queue.has_ended and not queue.problem,
            "problem": queue.problem or self._rewriter.problem,
            "left": sum(waits(item, decision) for item, decision in decisions),
            "items": [_line(item, decision) for item, decision in decisions],
        }

    def episode(self, number: int) -> dict[str, Any]:
        """Return an episode and all that was said of it; why it cannot be seen where it cannot."""
        item = self._item(number)
        plain = {"number": number, "name": item.name, "told": as_run(item.task).get("reason") or ""}
        try:
            plain |= trajectory(self._record(item))
        except RecordError as error:
            plain |= {"damaged": str(error)}
        return {**plain, "opinions": opinions(self.queue_of_run.verdicts(item))}

    def screen(self, number: int, index: int) -> bytes | None:
        """Return a screenshot; None if the episode has no such screen."""
        shown = screens(self._record(self._item(number)))
        return shown[index].png if index < len(shown) else None

    def decide(self, number: Any, decision: Any, who: str, note: str) -> dict[str, Any]:
        """Keep a verdict, a note, or that a verdict is taken back; return the episode's opinions.

        Raises:
            LookupError, TypeError, ValueError: there is no such episode or decision.
            RecordError: the episode cannot be read, so that nobody can have seen it.
            HostError: it cannot be written.
        """
        item, who = self._item(number), who.strip()[:_LONGEST_NAME] or self._who
        if decision == _UNDO:
            if not self.queue_of_run.withdraw(item, who, note.strip()):
                msg = f"{who} has decided nothing here that could be taken back"
                raise ValueError(msg)
        else:
            passed = _DECISIONS[decision]
            if passed is None and not note.strip():
                msg = "the note is empty"
                raise ValueError(msg)
            self._record(item)
            self.queue_of_run.decide(item, passed, who, note.strip())
        if decision != "note":
            open_again = self.queue_of_run.decision(item) is None
            (self.decided.discard if open_again else self.decided.add)(item.number)
        self._rewriter.ask()
        return {"opinions": opinions(self.queue_of_run.verdicts(item))}

    def _item(self, number: Any) -> Item:
        item = self.queue_of_run.item(number)
        if item is None:
            msg = f"there is no episode {number}"
            raise UnknownEpisodeError(msg)
        return item

    def _record(self, item: Item) -> EpisodeRecord:
        with self._lock:  # a browser asks for all screens at once
            return _read(item.folder, signature_of(item.folder / STREAM))


def _line(item: Item, decision: Verdict | None) -> list[Any]:
    """Return number, name, what the run said, what people say, and who did."""
    who = None if decision is None else decision.evidence.get("who")
    passed = None if decision is None else decision.passed
    return [item.number, item.name, as_run(item.task).get("outcome"), passed, who]


@lru_cache(_KEPT)
def _read(folder: Path, signature: object) -> EpisodeRecord:  # noqa: ARG001 - what it was then
    return read(folder, EpisodeRecord)
