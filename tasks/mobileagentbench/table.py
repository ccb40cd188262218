"""The table of MobileAgentBench's tasks, and how its test files make tasks of the rows.

MobileAgentBench (arXiv 2406.08184) has 100 tasks in ten apps of Simple Mobile Tools; the table
follows its release (commit eec6048 of MobileAgentBench/mobile-agent-bench), with its ids, minimum
steps and limits. Levels are those of the paper: up to 2 steps, up to 5, more. `remarks` tells what
the release's own checks get wrong. Six tasks of the paper's appendix have the tag `online`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent import rows

from .release import official
from .setups import fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest_mobileagent as mobile

SOURCE = "MobileAgentBench"
ROWS = rows("tasks.csv", wording=official)


def of(*prefixes: str) -> list[mobile.Row]:
    """Return the rows of an app, by the first words of their ids."""
    return [row for row in ROWS if row.id.startswith(prefixes)]


def fields(
    prefix: str,
    solutions: Mapping[str, Sequence[Any]],
    setups: Mapping[str, Callable[[Any, str], None]],
    **common: Any,
) -> dict[str, dict[str, Any]]:
    """Return the fields of an app's tasks beyond their columns, by id.

    The app is open when the agent begins, and without data but what the set-up of a task stores.
    """
    found = {}
    for row in of(prefix):
        solution = solutions.get(row.id)
        found[row.id] = {
            **common,
            "prepare": setups.get(row.id) or fresh(),
            "remarks": (row.remarks,) if row.remarks else (),
            **({"solution": solution} if solution else {}),
        }
    return found
