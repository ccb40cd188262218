"""Unclear answers in the metrics of a run: the bounds of its success rate.

An answer is unclear if it contains the expected value among other things (docs/answers.md). Until a
judge or a person decides, its task is undecided, and may have failed or passed. Whatever compares
runs counts it as failed, so that vagueness never raises a score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.report.entry import Entry


def with_unclear(results: Sequence[Entry]) -> dict[str, Any]:
    """Return the number of tasks with unclear answers, and the bounds of the success rate.

    `success_rate_lower` counts them as failures, and `success_rate_upper` as successes; both equal
    the success rate if there are none.
    """
    unclear = sum(is_unclear(result) for result in results)
    decided = [result for result in results if result.success is not None]
    successes = sum(bool(result.success) for result in decided)
    whole = len(decided) + unclear
    return {
        "unclear": unclear,
        "success_rate_lower": ratio(successes, whole),
        "success_rate_upper": ratio(successes + unclear, whole),
    }


def is_unclear(result: Entry) -> bool:
    """Return whether a task is undecided because its answer is unclear."""
    return bool(result.unclear) and result.success is None


def unclear_as_failed(results: Iterable[Entry]) -> list[Entry]:
    """Return results in which unclear answers count as wrong, as gates and leaderboards do."""
    return [
        replace(each, outcome="failed", success=False, fault="agent") if is_unclear(each) else each
        for each in results
    ]
