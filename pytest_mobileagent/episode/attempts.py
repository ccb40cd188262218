"""Notes on an attempt at a case, beside its record: where it was made, and how it ended.

A record tells what an agent did; this tells what became of the device and of the worker, also where
both were gone before anything could be recorded.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_json, write_text
from pytest_mobileagent.plain import expect, to_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


NOTE = "attempt.json"


class End(StrEnum):
    """How an attempt ended."""

    PLAYED = "played"  # to the end of its episode
    DEVICE = "device broke"
    WORKER = "worker died"
    OTHER = "other"  # what says nothing of device and worker: a skip, a broken task, Ctrl-C
    CUT_OFF = "cut off"  # with the run, whoever killed that


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at a case.

    - `place`: which devices it shares a fate with: one serial, or all that the run starts.
    - `worker`: which process made it; "main" without pytest-xdist.
    - `started`, `ended`: when, in seconds since 1970; `ended` is None where nobody could note it.
    - `alone`: whether no other attempt was made at the same time.
    - `together`: whether something was lost that other attempts at that time needed, too.
    - `began`: whether the agent had its turn: the first screen is recorded.
    """

    place: str
    worker: str
    started: float
    ended: float | None = None
    end: End = End.CUT_OFF
    alone: bool = False
    together: bool = False
    began: bool = False


def begin(folder: Path, place: str, worker: str, *, alone: bool) -> Attempt:
    """Note in the folder of an attempt that it begins, and return what is noted."""
    attempt = Attempt(place, worker, round(time.time(), 3), alone=alone)
    _write(folder, attempt)
    return attempt


def end(folder: Path, attempt: Attempt, how: End, *, together: bool = False) -> None:
    """Note in the folder of an attempt how it ended, even if an agent has changed the note."""
    ended = round(time.time(), 3)
    _write(folder, replace(attempt, ended=ended, end=how, together=together))


def noted(run: Path, key: str) -> list[dict[str, Any]]:
    """Return what is noted of the attempts at a case in the folder of a run, as plain data."""
    found = []
    for folder in runs.attempts(run, key):
        if (attempt := _read(folder)) is not None:
            began = attempt.end is End.PLAYED or _began(folder)
            found.append({**asdict(replace(attempt, began=began)), "end": str(attempt.end)})
    return found


def died(run: Path, key: str) -> None:
    """Note that the worker that made the last attempt at a case died over it."""
    if folders := runs.attempts(run, key):
        last = _read(folders[-1])
        if last is not None and last.end is End.CUT_OFF:
            end(folders[-1], last, End.WORKER)


def _began(folder: Path) -> bool:
    try:
        read(folder, EpisodeRecord)
    except RecordError:
        return False
    return True


def _write(folder: Path, attempt: Attempt) -> None:
    """Write the note; a full disk is ignored here, as it is reported elsewhere."""
    with contextlib.suppress(OSError):
        write_text(folder / NOTE, to_line(asdict(attempt)) + "\n")


def _read(folder: Path) -> Attempt | None:
    """Return the note on an attempt; None if there is none, or it cannot be read."""
    try:
        return attempt_of(read_json(folder / NOTE))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def attempt_of(given: Mapping[str, Any]) -> Attempt:
    """Return an attempt from plain data.

    Raises:
        LookupError, TypeError, ValueError: the data is not an attempt.
    """
    return Attempt(
        place=expect(given["place"], str, "place"),
        worker=expect(given["worker"], str, "worker"),
        started=expect(given["started"], float, "started"),
        ended=None if given["ended"] is None else expect(given["ended"], float, "ended"),
        end=End(given["end"]),
        alone=expect(given["alone"], bool, "alone"),
        together=expect(given["together"], bool, "together"),
        began=expect(given["began"], bool, "began"),
    )
