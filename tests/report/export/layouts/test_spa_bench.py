"""Tests that SPA-Bench's tables (arXiv 2410.15164) follow from counts of episodes."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_mobileagent import Termination
from tests.report.conftest import make
from tests.report.export.layouts.counting import (
    LIMITED,
    REPORTED,
    Cost,
    Ending,
    changed,
    differences,
    heads,
    results,
    rows_of,
    run_of,
    shares,
    shown,
    steps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.export.layouts import Run
    from tests.report.export.layouts.counting import Cells

# Success rate, mean step ratio, SRC, MSR, error, premature and overdue rate, seconds and US dollars
# per step. Seconds and dollars of models that ran locally are left out there.
TABLES = {
    "spa-bench:3": """
AppAgent       0.340  1.33  0.327  0.507  0.166  0.347  0.197  26.5  0.014
AutoDroid      0.327  1.10  0.593  0.340  0.067  0.494  0.078  34.0  0.008
MobileAgent    0.387  1.24  0.367  0.633  0      0.109  0.095  27.1  0.053
MobileAgentV2  0.433  1.05  0.580  0.420  0      0.333  0.111  56.1  0.067
M3A            0.640  0.92  0.847  0.153  0      0.244  0      19.3  0.092
T3A            0.487  1.04  0.707  0.293  0      0.368  0.136  9.6   0.116
SeeAct         0.393  1.60  0.200  0.773  0.027  0.100  0.276  41.2  0.046
Auto-UI        0.013  1.50  0.060  0.940  0      1.000  0.015  -     -
CogAgent       0.020  1.67  0.147  0.820  0.033  1.000  0.024  -     -
DigiRL         0.020  1.52  0.227  0.607  0.166  0.971  0.022  -     -
OdysseyAgent   0.053  2.00  0      1.000  0      -      0.013  -     -
""",
    "spa-bench:11": """
AppAgent       0.247  1.66  0.100  0.393  0.507  0.600  0.407  25.6  0.013
AutoDroid      0.187  1.25  0.567  0.360  0.073  0.729  0.111  48.8  0.011
MobileAgent    0.240  1.39  0.273  0.653  0.074  0.439  0.133  35.6  0.037
MobileAgentV2  0.440  1.28  0.460  0.487  0.053  0.333  0.274  104.5 0.075
M3A            0.447  1.08  0.640  0.360  0      0.323  0.037  20.8  0.097
T3A            0.380  1.31  0.507  0.493  0      0.408  0.162  12.6  0.128
SeeAct         0.327  1.91  0.067  0.927  0.006  0.300  0.302  23.0  0.050
Auto-UI        0.007  0.50  0.893  0.107  0      0.993  0      -     -
CogAgent       0.027  1.79  0.060  0.893  0.047  1.000  0.030  -     -
DigiRL         0      -     0.387  0.520  0.093  1.000  0      -     -
OdysseyAgent   0.007  2.00  0      1.000  0      -      0.007  -     -
""",
    "spa-bench:12": """
AppAgent       0      -     0.200  0.550  0.250  1.000  0      22.9  0.014
MobileAgent    0.050  2.00  0.100  0.900  0      1.000  0.056  25.3  0.089
MobileAgentV2  0.100  2.00  0.250  0.750  0      1.000  0.133  58.8  0.071
M3A            0.200  1.16  0.700  0.300  0      0.714  0      17.3  0.082
T3A            0.100  1.43  0.600  0.400  0      0.833  0      12.1  0.091
SeeAct         0.100  1.52  0.150  0.850  0      0.333  0      19.9  0.043
Auto-UI        0      -     0.100  0.800  0.100  1.000  0      -     -
CogAgent       0      -     0.050  0.950  0      1.000  0      -     -
DigiRL         0      -     0.050  0.550  0.400  1.000  0      -     -
OdysseyAgent   0      -     0      0.650  0.350  -      0.007  -     -
""",
    "spa-bench:13": """
AppAgent       0      -     0      0.550  0.450  -      0      23.5  0.014
MobileAgent    0.100  1.62  0.150  0.750  0.100  0.667  0.067  53.4  0.064
MobileAgentV2  0.100  1.89  0.200  0.750  0.050  1.000  0.133  104.1 0.075
M3A            0.100  1.32  0.500  0.500  0      0.800  0      17.8  0.091
T3A            0.100  1.08  0.750  0.250  0      0.867  0      13.4  0.110
SeeAct         0.050  2.00  0.100  0.900  0      1.000  0.056  17.3  0.045
Auto-UI        0      -     1.00   0      0      1.000  0      -     -
CogAgent       0      -     0.050  0.850  0.100  1.000  0      -     -
DigiRL         0      -     0.800  0.050  0.150  1.000  0      -     -
OdysseyAgent   0      -     0      0.500  0.500  -      0      -     -
""",
}
SETS = {
    "spa-bench:3": ("operation", "en", 150),
    "spa-bench:11": ("operation", "zh", 150),
    "spa-bench:12": ("cross-app", "en", 20),
    "spa-bench:13": ("cross-app", "zh", 20),
}
# The cells that no counts give, with the nearest ones.
IMPOSSIBLE: dict[str, Cells] = {
    "spa-bench:3": {
        # 25 of 150 are 0.1667. The paper seems to print what is left of 1 by the other two rates.
        ("AppAgent", 5): "0.167",
        ("DigiRL", 5): "0.167",
        # Of the 141 episodes that reached the limit, 2 are 0.014, and 3 are 0.021.
        ("Auto-UI", 7): "0.014",
        # All 150 episodes reached the limit, so the 8 successes are overdue.
        ("OdysseyAgent", 7): "0.053",
    },
    "spa-bench:11": {
        # 23 of 85 reports are right, and 6 of 54 episodes overdue: that makes at least 29 of 150.
        ("AutoDroid", 1): "0.193",
        # 11 and 1 of 150.
        ("MobileAgent", 5): "0.073",
        ("SeeAct", 5): "0.007",
    },
    # Of the 13 episodes that reached the limit, none was a success.
    "spa-bench:12": {("OdysseyAgent", 7): "0.000"},
    # No episode reached the limit.
    "spa-bench:13": {("Auto-UI", 7): "n/a"},
}


class Counts(NamedTuple):
    """Episodes reported as done, ended by the step limit, or broken off, with their successes."""

    reported: int
    premature: int
    limited: int
    overdue: int
    broken: int
    broken_successes: int

    def endings(self) -> list[Ending]:
        return [
            *[Ending(REPORTED, success=False)] * self.premature,
            *[Ending(REPORTED, success=True)] * (self.reported - self.premature),
            *[Ending(LIMITED, success=True)] * self.overdue,
            *[Ending(LIMITED, success=False)] * (self.limited - self.overdue),
            *[Ending(Termination.AGENT_ERROR, success=True)] * self.broken_successes,
            *[Ending(Termination.AGENT_ERROR, success=False)]
            * (self.broken - self.broken_successes),
        ]


def counts(row: list[str], tasks: int) -> Iterator[Counts]:
    """Yield all counts that are printed as a row's cells."""
    success, _, src, msr, error, early, late, *_ = row
    for successes, reported, limited, broken in product(
        *(shares(cell, tasks, 3) for cell in (success, src, msr, error))
    ):
        if reported + limited + broken == tasks:
            for premature, overdue in product(shares(early, reported, 3), shares(late, limited, 3)):
                rest = successes - (reported - premature) - overdue
                if 0 <= rest <= broken:
                    yield Counts(reported, premature, limited, overdue, broken, rest)


@cache
def entries(table: str, agent: str) -> tuple[Entry, ...]:
    """Return entries whose counts are printed as a row of a paper's table."""
    kind, language, tasks = SETS[table]
    row = changed(agent, rows_of(TABLES[table])[agent], IMPOSSIBLE[table])
    endings = next(counts(row, tasks)).endings()
    _, ratio, *_, seconds, dollars = row
    taken = steps(ratio, sum(ending.success for ending in endings), lambda golden: 2 * golden)
    cost = Cost() if seconds == "-" else Cost(float(seconds), float(dollars))
    return tuple(results(endings, taken, cost, kind=kind, language=language))


@cache
def whole_run(agent: str) -> Run:
    """Return a run of all sets, and of an open-ended task, which belongs to none of them."""
    sets = [table for table in TABLES if agent in rows_of(TABLES[table])]
    each = [entry for table in sets for entry in entries(table, agent)]
    return run_of([*each, make(True, id="open", kind="open-ended")], agent)


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_one_set_follow_from_counts(table):
    rows = rows_of(TABLES[table])
    runs = [whole_run(agent) for agent in rows]
    local = {(agent, place): "" for agent, row in rows.items() for place in (8, 9)
             if row[7] == "-"}  # fmt: skip
    found = {
        place: cell
        for place, cell in differences(shown(table, *runs), TABLES[table]).items()
        if place not in local
    }
    assert found == IMPOSSIBLE[table]
    assert heads(table, *runs)[1:] == [
        "Success Rate", "Mean Step Ratio on Success", "Termination Reason: SRC Rate",
        "Termination Reason: MSR Rate", "Termination Reason: Error Rate",
        "Termination Inaccuracy: Premature Rate", "Termination Inaccuracy: Overdue Rate",
        "Mean Exec Time per Step (sec)", "Mean Token Cost per Step (USD)",
    ]  # fmt: skip


def test_no_counts_give_the_cells_that_are_listed():
    for table, cells in IMPOSSIBLE.items():
        for agent, _ in cells:
            assert not list(counts(rows_of(TABLES[table])[agent], SETS[table][2]))


# Success rates: single-app overall, in English and in Chinese; cross-app likewise.
TABLE_2 = """
AppAgent       0.294 0.340 0.247  0     0     0
AutoDroid      0.257 0.327 0.187  -     -     -
MobileAgent    0.314 0.387 0.240  0.075 0.050 0.100
MobileAgentV2  0.437 0.433 0.440  0.100 0.100 0.100
M3A            0.544 0.640 0.447  0.150 0.200 0.100
T3A            0.434 0.487 0.380  0.100 0.100 0.100
SeeAct         0.360 0.393 0.327  0.075 0.100 0.050
Auto-UI        0.010 0.013 0.007  0     0     0
CogAgent       0.027 0.027 0.027  0     0     0
DigiRL         0.010 0.020 0      0     0     0
OdysseyAgent   0.037 0.053 0.020  0     0     0
"""
# Success rates by level: single-app English and Chinese (50 tasks of each of three levels),
# cross-app English and Chinese (15 of level 1, 5 of level 2).
TABLE_14 = """
AppAgent       0.540 0.340 0.140  0.400 0.180 0.160  0     0      0     0
AutoDroid      0.560 0.300 0.120  0.360 0.120 0.080  -     -      -     -
MobileAgent    0.620 0.380 0.160  0.300 0.240 0.180  0.067 0      0.067 0.200
MobileAgentV2  0.700 0.400 0.200  0.580 0.420 0.320  0.133 0      0.133 0
M3A            0.800 0.700 0.420  0.500 0.520 0.320  0.267 0      0.133 0
T3A            0.720 0.480 0.260  0.480 0.460 0.200  0.133 0      0.133 0
SeeAct         0.600 0.460 0.120  0.500 0.340 0.140  0.133 0      0.067 0
Auto-UI        0.040 0     0      0.020 0     0      0     0      0     0
CogAgent       0.060 0     0      0.040 0.040 0      0     0      0     0
DigiRL         0.020 0.040 0      0     0     0      0     0      0     0
OdysseyAgent   0.140 0.020 0      0.004 0.020 0      0     0      0     0
"""
# The paper seems to take the mean of two rounded rates; 0.004 is no share of 50 tasks.
NOT_OF_300: Cells = {
    ("AppAgent", 1): "0.293", ("MobileAgent", 1): "0.313", ("M3A", 1): "0.543", ("T3A", 1): "0.433",
}  # fmt: skip
NOT_OF_50: Cells = {("OdysseyAgent", 4): "0.000"}
SINGLE, CROSS = "operation", "cross-app"
OF_TABLE_2 = {2: (SINGLE, "en", None, 150), 3: (SINGLE, "zh", None, 150)}
OF_TABLE_2 |= {5: (CROSS, "en", None, 20), 6: (CROSS, "zh", None, 20)}
OF_TABLE_14 = {place: (SINGLE, "en", place, 50) for place in (1, 2, 3)}
OF_TABLE_14 |= {place: (SINGLE, "zh", place - 3, 50) for place in (4, 5, 6)}
OF_TABLE_14 |= {7: (CROSS, "en", 1, 15), 8: (CROSS, "en", 2, 5)}
OF_TABLE_14 |= {9: (CROSS, "zh", 1, 15), 10: (CROSS, "zh", 2, 5)}


@cache
def one(passed: bool, id: str, **about: Any) -> Entry:
    return make(passed, id=id, **about)


@pytest.mark.parametrize(
    ("table", "paper", "groups", "impossible"),
    [
        ("spa-bench:2", TABLE_2, OF_TABLE_2, NOT_OF_300),
        ("spa-bench:14", TABLE_14, OF_TABLE_14, NOT_OF_50),
    ],
)
def test_tables_of_all_sets_follow_from_counts(table, paper, groups, impossible):
    runs = []
    for agent, cells in rows_of(paper).items():
        row = changed(agent, cells, impossible)
        each = [make(True, id="open", kind="open-ended")]
        for place, (kind, language, level, tasks) in groups.items():
            if row[place - 1] != "-":
                (passed,) = shares(row[place - 1], tasks, 3)
                about = {"kind": kind, "language": language, "level": level}
                each += [one(n < passed, f"{place}/{n}", **about) for n in range(tasks)]
        runs.append(run_of(each, agent))
    assert differences(shown(table, *runs), paper) == impossible


def test_open_ended_tasks_have_their_own_table():
    paper = """
AppAgent       0.200
AutoDroid      0.300
MobileAgent    0.200
MobileAgentV2  0.200
M3A            0.700
T3A            0.400
SeeAct         0.400
"""
    runs = []
    for agent, (cell,) in rows_of(paper).items():
        (passed,) = shares(cell, 10, 3)
        each = [make(n < passed, id=str(n), kind="open-ended") for n in range(10)]
        runs.append(run_of([*each, make(False, id="closed")], agent))
    assert differences(shown("spa-bench:16", *runs), paper) == {}
