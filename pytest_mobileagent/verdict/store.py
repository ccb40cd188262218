"""Verdicts beside an episode: appended to its verdicts.jsonl, never overwritten."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import append_line, parse_json, read_text
from pytest_mobileagent.plain import to_line, to_wire
from pytest_mobileagent.verdict.verdict import Verdict

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = "verdicts.jsonl"


def append(episode: Path, verdict: Verdict) -> None:
    """Add a verdict to those of the episode in a folder.

    Raises:
        HostError: the file cannot be written to.
    """
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    plain = to_wire({"when": when, **verdict.to_json()})
    try:
        append_line(episode / VERDICTS, to_line(redacted(plain)))
    except OSError as error:
        msg = f"cannot write to {episode / VERDICTS}: {error}"
        raise HostError(msg) from error


def verdicts(episode: Path) -> list[Verdict]:
    """Return all verdicts on the episode in a folder, the oldest first; none if there are none.

    A line that is not whole, as a full disk leaves it, is left out.
    """
    try:
        lines = read_text(episode / VERDICTS, "replace").split("\n")
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(Verdict.from_json(parse_json(line)))
        except (ValueError, LookupError, TypeError):
            continue
    return found
