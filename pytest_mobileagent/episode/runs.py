"""What a run's folder tells of its episodes: run.json, and where the attempts at a case are.

The index of a run: which attempts at which cases are finished, without reading their records.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import append_line, is_below, parse_json, read_json, read_text
from pytest_mobileagent.plain import Each, Maybe, check, expect, to_line
from pytest_mobileagent.task.case import Case

if TYPE_CHECKING:
    from pathlib import Path


RUN = "run.json"
# What is known of a run's head, with its kinds (see `plain.check`).
HEAD: dict[str, Any] = {
    "id": str | None,
    "started": str | None,
    "ended": str | None,
    "command": Maybe([str]),
    "agent": str | None,
    "models": Maybe(dict),
    "device": str | None,
    "virtual": bool | None,
    "judges": Maybe([str]),
    "selection": Maybe(dict),
    "shard": str | None,
    "redaction": Maybe(dict),
    "options": Maybe(Each({"value": str | None, "source": str})),
    "fingerprints": Maybe(Each(str | None)),
    "fingerprint": str | None,
    "digests": Maybe(Each(dict)),
    "versions": Maybe(Each(str | None)),
    "resumed": Maybe([{"when": str, "command": [str], "differs_in": [str]}]),
    "reused_from": str | None,
    "rescored_from": str | None,
    "merged_from": Maybe([str | None]),
}


def inside(run: Path, name: object) -> Path | None:
    """Return the path of a file or folder that a record of the run names; None for one outside.

    A run may be somebody else's: its records name anything, and it may hold links to anything.
    """
    if not isinstance(name, str) or not name or "\0" in name:
        return None
    path = run / name
    return path if is_below(path, run) else None


def about(run: Path) -> dict[str, Any]:
    """Return what run.json says of the run in a folder; nothing if there is none that is sound."""
    try:
        whole = read_json(run / RUN)
        return dict(check(whole["run"], HEAD, "run"))
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def cases(run: Path) -> list[Case]:
    """Return the cases that the run in a folder was to run, from run.json; none without it.

    Raises:
        RecordError: the file is damaged.
    """
    path = run / RUN
    try:
        whole = expect(read_json(path), dict, RUN)
        return [Case.from_json(case) for case in expect(whole["tasks"], list, "tasks")]
    except OSError:
        return []
    except (ValueError, LookupError, TypeError) as error:
        msg = f"{path} is damaged: {type(error).__name__}: {error}"
        raise RecordError(msg) from error


def digests(run: Path) -> dict[str, dict[str, Any]]:
    """Return what run.json says of what results depend on, by the keys of cases; none without it.

    What cannot be read is left out.
    """
    try:
        whole = read_json(run / RUN)
        return {key: each for key, each in whole["digests"].items() if isinstance(each, dict)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def attempts(run: Path, key: str) -> list[Path]:
    """Return the folders of the attempts at the case with a key, the first attempt first."""
    stem = stem_of(run, key)
    found: list[Path] = []
    while is_folder_of(run, folder := stem.with_name(f"{stem.name}.{len(found)}")):
        found.append(folder)
    return found


def is_folder_of(run: Path, folder: Path) -> bool:
    """Whether there is such a folder in that of a run, itself and no link to one elsewhere."""
    return folder.is_dir() and is_below(folder, run)


def stem_of(run: Path, key: str) -> Path:
    """Return the path to which each attempt at the case with a key adds a dot and its number."""
    return run / "episodes" / slug(key)


def slug(text: str) -> str:
    """Return a name that is safe in a path, and another for each text."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:80]
    if safe and safe == text:
        return safe
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}"


INDEX = "index.jsonl"


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished attempt at a case.

    `case` is the case's key, `attempt` counts from 0, `folder` is relative to the run's, `outcome`
    is passed, failed, review, skipped or error. `fault` and `reason` are those of the result, where
    nobody else keeps them: errors have no verdict.
    """

    case: str
    attempt: int
    folder: str
    outcome: str
    fault: str | None = None
    reason: str = ""


def append(run: Path, entry: Entry) -> None:
    """Add an entry to the index of a run; any of its processes may call this.

    Raises:
        HostError: the index cannot be written to.
    """
    line = to_line(asdict(entry))
    try:
        append_line(run / INDEX, line)
    except OSError as error:
        msg = f"cannot write to {run / INDEX}: {error}"
        raise HostError(msg) from error


def entries(run: Path) -> list[Entry]:
    """Return the entries of a run's index in the order in which attempts finished.

    A line that is not whole, as a full disk leaves it, is left out.
    """
    try:
        text = read_text(run / INDEX, "replace")
    except OSError:
        return []
    found = []
    for line in text.split("\n"):  # names may hold all other line ends of Unicode
        try:
            given = parse_json(line)
            words = (expect(given[name], str, name) for name in ("case", "folder", "outcome"))
            case, folder, outcome = words
            attempt = expect(given["attempt"], int, "attempt")
            fault = expect(given.get("fault"), str | None, "fault")
            reason = expect(given.get("reason", ""), str, "reason")
            found.append(Entry(case, attempt, folder, outcome, fault, reason))
        except (ValueError, LookupError, TypeError):
            continue
    return found
