"""What became of a case whose worker died before it could report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.check.episode import load
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.result import Result

if TYPE_CHECKING:
    from pytest_mobileagent.run.folder import RunFolder


def lost_result(folder: RunFolder, nodeid: str) -> Result | None:
    """Return the result of the case with a node id, from what its last attempt has left.

    None if the run was to run no such case.
    """
    case = next((case for case in folder.cases() if case.nodeid == nodeid), None)
    if case is None:
        return None
    for attempt in reversed(folder.attempts(case)):
        try:
            episode = load(attempt)
        except RecordError:  # it died before the first screen
            continue
        return Result(
            case, fault="infrastructure", episode=episode, folder=folder.relative(attempt)
        )
    return Result(case, fault="infrastructure")
