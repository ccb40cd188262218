"""The index of a run: which attempts at which cases are finished, without reading their records."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import append_line, parse_json, read_text
from pytest_mobileagent.plain import expect, to_line

if TYPE_CHECKING:
    from pathlib import Path

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
