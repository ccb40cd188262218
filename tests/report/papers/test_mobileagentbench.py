"""Tests that MobileAgentBench's tables 2 and 3 (arXiv 2406.08184) follow from counts."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_mobileagent.report.metrics.summary import totals
from tests.report.papers.counts import (
    LIMITED,
    REPORTED,
    Cost,
    Ending,
    fits,
    results,
    shares,
    spread,
    steps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# By table, the number of tasks and the rows: agent, SR, SE, latency in seconds, tokens per task,
# FFR and OER.
TABLES = {
    2: (
        100,
        """
        AndroidArena  0.22  1.13  18.61  750.47   0.09  0.33
        AutoDroid     0.27  3.10  4.85   963.48   0.93  0.01
        AppAgent      0.40  1.29  26.09  1505.09  0.17  0.40
        CogAgent      0.08  2.42  6.76   579.84   1.00  0.04
        MobileAgent   0.26  1.33  15.91  1236.88  0.19  0.31
        """,
    ),
    3: (
        6,
        """
        AndroidArena  0.33  2.40  13.95  2305.31  1.00  0.50
        AutoDroid     0.00  N/A   2.49   524.96   N/A   0.00
        AppAgent      0.50  1.78  19.8   1518.62  0.33  0.33
        CogAgent      0.17  2.33  7.23   587.91   1.00  0.00
        MobileAgent   0.50  1.33  13.65  1225.67  0.33  0.00
        """,
    ),
}
# Cells that no counts produce, with the reason.
IMPOSSIBLE = {
    (2, "AndroidArena", "oer"): "7 of 22 successes are 0.32, 8 are 0.36",
    (2, "AutoDroid", "oer"): "1 of 27 successes is 0.04 already",
    (2, "CogAgent", "oer"): "1 of 8 successes is 0.12 already",
    (2, "AutoDroid", "se"): "the paper allows twice the minimum of steps, a ratio of 2",
    (2, "CogAgent", "se"): "the same",
    (3, "AndroidArena", "se"): "the same (with a step more 3 of 1 and 9 of 5 would be it)",
    (3, "CogAgent", "se"): "the same (with a step more 7 of 3 would be it)",
    (3, "AutoDroid", "ffr"): "no success among 6 tasks is 6 failures, so that there is a rate",
    (3, "AutoDroid", "oer"): "there is no rate of no successes",
    **{
        (3, agent, "tokens"): "six times it is not a whole number of tokens"
        for agent in ("AndroidArena", "AutoDroid", "AppAgent", "CogAgent")
    },
}


class Row(NamedTuple):
    agent: str
    sr: str
    se: str
    latency: str
    tokens: str
    ffr: str
    oer: str


class Counts(NamedTuple):
    successes: int
    early: int
    late: int

    def endings(self, tasks: int) -> list[Ending]:
        failures = tasks - self.successes - self.early
        return [
            *[Ending(REPORTED, success=True, late=True)] * self.late,
            *[Ending(REPORTED, success=True)] * (self.successes - self.late),
            *[Ending(REPORTED, success=False)] * self.early,
            *[Ending(LIMITED, success=False)] * failures,
        ]


def rows(table: int) -> list[Row]:
    return [Row(*line.split()) for line in TABLES[table][1].strip().splitlines()]


def counts(row: Row, tasks: int, without: frozenset[str] = frozenset()) -> Iterator[Counts]:
    """Yield all counts that are printed as a row's cells, ignoring the columns in `without`."""
    for successes in shares(row.sr, tasks, 2):
        failures = tasks - successes
        early = [0] if "ffr" in without else shares(row.ffr, failures, 2)
        late = [0] if "oer" in without else shares(row.oer, successes, 2)
        yield from (Counts(successes, *each) for each in product(early, late))


def total_tokens(row: Row, tasks: int) -> int | None:
    near = round(float(row.tokens) * tasks)
    return next((n for n in (near - 1, near, near + 1) if fits(row.tokens, n / tasks, 2)), None)


@pytest.mark.parametrize("table", TABLES)
def test_rows_follow_from_counts(table: int) -> None:
    tasks, _ = TABLES[table]
    for row in rows(table):
        without = frozenset(name for name in Row._fields if (table, row.agent, name) in IMPOSSIBLE)
        found = next(counts(row, tasks, without))
        taken = steps(row.se, found.successes, lambda golden: 2 * golden)
        assert (taken is None) is ("se" in without or row.se == "N/A"), row
        tokens = spread(total_tokens(row, tasks) or 0, tasks)
        entries = [
            entry
            for ending, each in zip(_played(found, tasks, taken), tokens, strict=True)
            for entry in results(*ending, Cost(float(row.latency), tokens=each))
        ]
        numbers = totals(entries)
        cells = {
            "sr": numbers["latched_success_rate"],
            "se": numbers["step_efficiency"],
            "latency": numbers["latency"],
            "tokens": numbers["mean_estimated_tokens"],
            "ffr": numbers["false_finish_rate"],
            "oer": numbers["over_execution_rate"],
        }
        for name, value in cells.items():
            assert fits(getattr(row, name), value, 2) is (name not in without), (row, name)


def _played(
    found: Counts, tasks: int, taken: tuple[int, list[int]] | None
) -> Iterator[tuple[list[Ending], tuple[int, list[int]] | None]]:
    """Yield each ending as a list of its own, with its own steps."""
    golden, left = taken or (4, [])
    for number, ending in enumerate(found.endings(tasks)):
        yield [ending], (golden, left[number : number + 1] if ending.success else [])


@pytest.mark.parametrize(("table", "agent", "column"), IMPOSSIBLE)
def test_some_cells_follow_from_no_counts(table: int, agent: str, column: str) -> None:
    tasks, _ = TABLES[table]
    row = next(row for row in rows(table) if row.agent == agent)
    others = {name for name in Row._fields if name != column}
    if column == "se":
        successes = next(shares(row.sr, tasks, 2))
        assert steps(row.se, successes, lambda golden: 2 * golden) is None
    elif column == "tokens":
        assert total_tokens(row, tasks) is None
    else:
        assert not list(counts(row, tasks, frozenset(others)))
