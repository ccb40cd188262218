"""The index of a run's folder: run.json, and the attempts at each case.

The index lists the finished attempts, so their records need not be read. A note beside a record
says where the attempt was made and how it ended: what happened to the device and to the worker,
even if both were gone before anything could be recorded.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.episode import EpisodeRecord, chain
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import (
    append_line,
    is_below,
    parse_json,
    read_json,
    read_text,
    write_text,
    writing,
)
from pytest_mobileagent.jsonable import Each, Maybe, check, expect, read_as, to_line

if TYPE_CHECKING:
    from pathlib import Path


RUN = "run.json"
_STATED = {"value": str | int | float, "source": str}
# The known fields of a run's head, with their kinds (see `jsonable.check`).
HEAD: dict[str, Any] = {
    "id": str | None,
    "started": str | None,
    "ended": str | None,
    "command": Maybe([str]),
    "agent": str | None,
    "label": str | None,
    "models": Maybe(dict),
    "device": str | None,
    "virtual": bool | None,
    "wording": Maybe([str]),
    "judges": Maybe([str]),
    "selection": Maybe(dict),
    "shard": str | None,
    "redaction": Maybe(dict),
    "options": Maybe(Each({"value": str | None, "source": str})),
    "fingerprints": Maybe(Each(str | None)),
    "fingerprint": str | None,
    "digests": Maybe(Each(dict)),
    "versions": Maybe(Each(str | None)),
    "published": Maybe({"preset": str, "settings": Each(Maybe(_STATED)), "options": dict}),
    "resumed": Maybe([{"when": str, "command": [str], "differs_in": [str]}]),
    "reused_from": str | None,
    "rescored_from": str | None,
    "merged_from": Maybe([str | None]),
}


def inside(run: Path, name: object) -> Path | None:
    """Return the path of a file or folder that a run's record names, or None if it is outside.

    A run may come from a stranger: its records may name, and its links may lead to, anything.
    """
    if not isinstance(name, str) or not name or "\0" in name:
        return None
    path = run / name
    return path if is_below(path, run) else None


def about(run: Path) -> dict[str, Any]:
    """Return the head of a run from run.json; empty if there is no valid one."""
    try:
        return dict(check(read_json(run / RUN)["run"], HEAD, "run"))
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def cases(run: Path) -> list[Case]:
    """Return the cases that a run was started with, from run.json; empty without the file.

    Raises:
        RecordError: if the file is damaged.
    """
    path = run / RUN
    try:
        whole = expect(read_json(path), dict, RUN)
        return [Case.from_json(case) for case in expect(whole["tasks"], list, "tasks")]
    except OSError:
        return []
    except (ValueError, LookupError, TypeError) as error:
        raise RecordError(f"{path} is damaged: {type(error).__name__}: {error}") from error


def digests(run: Path) -> dict[str, dict[str, Any]]:
    """Return the digests of results' inputs, by case key, as far as run.json can be read."""
    try:
        whole = read_json(run / RUN)["digests"]
        return {key: each for key, each in whole.items() if isinstance(each, dict)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def attempts(run: Path, key: str) -> list[Path]:
    """Return the folders of the attempts at the case with a key, in order."""
    stem = stem_of(run, key)
    found: list[Path] = []
    while is_folder_of(run, folder := stem.with_name(f"{stem.name}.{len(found)}")):
        found.append(folder)
    return found


def is_folder_of(run: Path, folder: Path) -> bool:
    """Return whether a folder exists within a run's folder, without leading out of it by a link."""
    return folder.is_dir() and is_below(folder, run)


def stem_of(run: Path, key: str) -> Path:
    """Return the path to which each attempt at a case appends a dot and its number."""
    return run / "episodes" / slug(key)


def slug(text: str) -> str:
    """Return a name that is safe in a path, and unique to the text."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:80]
    if safe and safe == text:
        return safe
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}"


INDEX = "index.jsonl"
QUESTIONS = "questions.jsonl"  # questions of agents that no user could answer


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A finished attempt at a case.

    `case` is the case's key, `attempt` counts from 0, `folder` is relative to the run's, and
    `outcome` is passed, failed, review, skipped or error. `fault` and `reason` are those of the
    result if no verdict records them, as for errors.
    """

    case: str
    attempt: int
    folder: str
    outcome: str
    fault: str | None = None
    reason: str = ""


def append(run: Path, entry: IndexLine) -> None:
    """Append an entry to a run's index, and seal the attempt; any of the run's processes may.

    Raises:
        HostError: if the index cannot be written.
    """
    line = to_line(asdict(entry))
    with writing(run / INDEX):
        append_line(run / INDEX, line)
    chain.seal(run, run / str(entry.folder), line)


def entries(run: Path) -> list[IndexLine]:
    """Return the entries of a run's index in the order in which attempts finished.

    An incomplete line, as a full disk leaves it, is skipped.
    """
    try:
        text = read_text(run / INDEX, "replace")
    except OSError:
        return []
    found = []
    for line in text.split("\n"):  # names may contain all of Unicode's other line endings
        with contextlib.suppress(ValueError, LookupError, TypeError):
            found.append(read_as(IndexLine, parse_json(line), "line"))
    return found


NOTE = "attempt.json"


class End(StrEnum):
    """How an attempt ended."""

    PLAYED = "played"  # to the end of its episode
    DEVICE = "device broke"
    WORKER = "worker died"
    AGENT = "agent killed"  # its process, by somebody
    OTHER = "other"  # unrelated to device and worker: a skip, a broken task, Ctrl-C
    CUT_OFF = "cut off"  # together with the run, by whatever killed it


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at a case.

    - `place`: the devices whose failures it shares: one serial, or all that the run starts.
    - `worker`: the process that made it; "main" without pytest-xdist.
    - `started`, `ended`: seconds since 1970; `ended` is None if the end could not be recorded.
    - `alone`: whether no other attempt was made at the same time.
    - `together`: whether something was lost that other attempts needed at that time, too.
    - `began`: whether the agent had its turn, i.e. the first screen is recorded.
    - `node`: the machine, if workers are on several; else "".
    """

    place: str
    worker: str
    started: float
    ended: float | None = None
    end: End = End.CUT_OFF
    alone: bool = False
    together: bool = False
    began: bool = False
    node: str = ""


def begin(folder: Path, place: str, worker: str, *, alone: bool, node: str = "") -> Attempt:
    """Record in the folder of an attempt that it begins, and return the record."""
    attempt = Attempt(place, worker, round(time.time(), 3), alone=alone, node=node)
    _write(folder, attempt)
    return attempt


def end(folder: Path, attempt: Attempt, how: End, *, together: bool = False) -> None:
    """Record in the folder of an attempt how it ended, even if an agent has changed the file."""
    now = round(time.time(), 3)
    _write(folder, replace(attempt, ended=now, end=how, together=together))


def noted(run: Path, key: str) -> list[dict[str, Any]]:
    """Return the notes on the attempts at a case, as plain data."""
    found = []
    for folder in attempts(run, key):
        if (attempt := note_of(folder)) is not None:
            began = attempt.end is End.PLAYED or _began(folder)
            found.append({**asdict(replace(attempt, began=began)), "end": str(attempt.end)})
    return found


def died(run: Path, key: str) -> None:
    """Record that a worker died during the last attempt at a case."""
    if folders := attempts(run, key):
        last = note_of(folders[-1])
        if last is not None and last.end is End.CUT_OFF:
            end(folders[-1], last, End.WORKER)


def _began(folder: Path) -> bool:
    try:
        read(folder, EpisodeRecord)
    except RecordError:
        return False
    return True


def _write(folder: Path, attempt: Attempt) -> None:
    """Write the note; a full disk is ignored here because it is reported elsewhere."""
    line = to_line(asdict(attempt))
    with contextlib.suppress(OSError, HostError):
        write_text(folder / NOTE, f"{line}\n")
        chain.add_line(folder.parent.parent, "note", folder, line)


def note_of(folder: Path) -> Attempt | None:
    """Return the note on an attempt; None if it is missing or unreadable."""
    try:
        return read_as(Attempt, read_json(folder / NOTE), NOTE)
    except (OSError, ValueError, LookupError, TypeError):
        return None
