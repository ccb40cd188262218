"""Verdicts beside an episode: appended to its verdicts.jsonl, never overwritten."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.plain import to_line
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
    line = to_line({"when": when, **verdict.to_json()}) + "\n"
    try:
        with (episode / VERDICTS).open("a", encoding="utf-8") as stream:
            stream.write(line)
    except OSError as error:
        msg = f"cannot write to {episode / VERDICTS}: {error}"
        raise HostError(msg) from error


def verdicts(episode: Path) -> list[Verdict]:
    """Return all verdicts on the episode in a folder, the oldest first; none if there are none."""
    try:
        lines = (episode / VERDICTS).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(Verdict.from_json(json.loads(line)))
        except (ValueError, LookupError, TypeError):  # a line that a full disk cut off
            continue
    return found
