"""Tests that SPA-Bench's tables 2, 3 and 11 to 14 (arXiv 2410.15164) follow from counts."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_mobileagent import Termination
from pytest_mobileagent.report.export.layouts import tabulate
from pytest_mobileagent.report.export.tables import Run
from pytest_mobileagent.report.metrics.summary import summarise, totals
from tests.report.conftest import make
from tests.report.papers.counts import LIMITED, REPORTED, Cost, Ending, fits, results, shares, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.report.entry import Entry

# By table, the number of tasks and the rows: agent, success rate, mean step ratio, SRC, MSR, error,
# premature and overdue rate, seconds and US dollars per step.
TABLES = {
    3: (
        150,
        """
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
    ),
    11: (
        150,
        """
        AppAgent       0.247  1.66  0.100  0.393  0.507  0.600  0.407  25.6   0.013
        AutoDroid      0.187  1.25  0.567  0.360  0.073  0.729  0.111  48.8   0.011
        MobileAgent    0.240  1.39  0.273  0.653  0.074  0.439  0.133  35.6   0.037
        MobileAgentV2  0.440  1.28  0.460  0.487  0.053  0.333  0.274  104.5  0.075
        M3A            0.447  1.08  0.640  0.360  0      0.323  0.037  20.8   0.097
        T3A            0.380  1.31  0.507  0.493  0      0.408  0.162  12.6   0.128
        SeeAct         0.327  1.91  0.067  0.927  0.006  0.300  0.302  23.0   0.050
        Auto-UI        0.007  0.50  0.893  0.107  0      0.993  0      -      -
        CogAgent       0.027  1.79  0.060  0.893  0.047  1.000  0.030  -      -
        DigiRL         0      -     0.387  0.520  0.093  1.000  0      -      -
        OdysseyAgent   0.007  2.00  0      1.000  0      -      0.007  -      -
        """,
    ),
    12: (
        20,
        """
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
    ),
    13: (
        20,
        """
        AppAgent       0      -     0      0.550  0.450  -      0      23.5   0.014
        MobileAgent    0.100  1.62  0.150  0.750  0.100  0.667  0.067  53.4   0.064
        MobileAgentV2  0.100  1.89  0.200  0.750  0.050  1.000  0.133  104.1  0.075
        M3A            0.100  1.32  0.500  0.500  0      0.800  0      17.8   0.091
        T3A            0.100  1.08  0.750  0.250  0      0.867  0      13.4   0.110
        SeeAct         0.050  2.00  0.100  0.900  0      1.000  0.056  17.3   0.045
        AutoUI         0      -     1.00   0      0      1.000  0      -      -
        CogAgent       0      -     0.050  0.850  0.100  1.000  0      -      -
        DigirlAgent    0      -     0.800  0.050  0.150  1.000  0      -      -
        GUI_Odyssey    0      -     0      0.500  0.500  -      0      -      -
        """,
    ),
}
# Overdue rates that no counts produce, with the reason; all other cells of the rows are produced.
IMPOSSIBLE = {
    (3, "Auto-UI"): "2 of 141 episodes at the limit are 0.014, 3 are 0.021: there is no 0.015",
    (3, "OdysseyAgent"): "all 150 episodes ran into the limit, so all 8 successes (0.053) are "
    "overdue, which is 0.053 as well and not 0.013",
    (11, "AutoDroid"): "62 of 85 self-reports are premature, which leaves 23 successes; with 6 of "
    "54 at the limit (0.111) these are 29 of 150, 0.193, and not 0.187",
    (12, "OdysseyAgent"): "no share of the 13 episodes at the limit is 0.007; nothing succeeded",
}


class Row(NamedTuple):
    agent: str
    success: str
    ratio: str
    reported: str
    limited: str
    error: str
    premature: str
    overdue: str
    seconds: str
    dollars: str


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


def rows(table: int) -> list[Row]:
    return [Row(*line.split()) for line in TABLES[table][1].strip().splitlines()]


def counts(row: Row, tasks: int, *, any_overdue: bool = False) -> Iterator[Counts]:
    """Yield all counts that are printed as a row's cells."""
    three = (shares(cell, tasks, 3) for cell in (row.success, row.reported, row.limited))
    for successes, reported, limited in product(*three):
        broken = tasks - reported - limited
        overdues = range(limited + 1) if any_overdue else shares(row.overdue, limited, 3)
        for premature, overdue in product(shares(row.premature, reported, 3), overdues):
            rest = successes - (reported - premature) - overdue
            if 0 <= rest <= broken:
                yield Counts(reported, premature, limited, overdue, broken, rest)


@pytest.mark.parametrize("table", TABLES)
def test_rows_follow_from_counts(table: int) -> None:
    tasks, _ = TABLES[table]
    for row in rows(table):
        impossible = (table, row.agent) in IMPOSSIBLE
        found = next(counts(row, tasks, any_overdue=impossible))
        endings = found.endings()
        successes = sum(ending.success for ending in endings)
        taken = steps(row.ratio, successes, lambda golden: 2 * golden) if successes else None
        price = None if row.dollars == "-" else float(row.dollars)
        cost = Cost(0.0 if row.seconds == "-" else float(row.seconds), price)
        numbers = totals(results(endings, taken, cost))
        ended = numbers["termination_rates"]
        assert fits(row.success, numbers["success_rate"], 3), row
        assert fits(row.ratio, numbers["mean_step_ratio"], 2), row
        assert fits(row.reported, ended.get("self-reported", 0), 3), row
        assert fits(row.limited, ended.get("step limit", 0), 3), row
        assert ended.get("agent error", 0) == pytest.approx(float(row.error), abs=0.001), row
        assert fits(row.premature, numbers["premature_rate"], 3), row
        assert fits(row.overdue, numbers["overdue_rate"] or 0, 3) is not impossible, row
        if price is not None:
            assert fits(row.seconds, numbers["seconds_per_step"], 1), row
        assert fits(row.dollars, numbers["cost_per_step"], 3), row


@pytest.mark.parametrize(("table", "agent"), IMPOSSIBLE)
def test_some_rows_follow_from_no_counts(table: int, agent: str) -> None:
    row = next(row for row in rows(table) if row.agent == agent)
    assert not list(counts(row, TABLES[table][0]))


def test_the_papers_error_rates_are_the_rest_of_its_other_rates() -> None:
    for table in TABLES:
        for row in rows(table):
            rest = 1 - float(row.reported) - float(row.limited)
            assert rest == pytest.approx(float(row.error), abs=1e-9), (table, row)


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
COLUMNS = [("en", "single", level, 50) for level in (1, 2, 3)]
COLUMNS += [("zh", "single", level, 50) for level in (1, 2, 3)]
COLUMNS += [("en", "cross", 1, 15), ("en", "cross", 2, 5), ("zh", "cross", 1, 15)]
COLUMNS += [("zh", "cross", 2, 5)]
NOT_OF_50 = ("OdysseyAgent", 3)  # 0.004, although one of 50 is 0.020
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
# Overall rates that are the mean of two rounded rates: 88 of 300 are 0.293, and so on.
OF_ROUNDED = {"AppAgent": 0.293, "MobileAgent": 0.313, "M3A": 0.543, "T3A": 0.433}


def cells_of(layout: str, entries: list[Entry]) -> list[str]:
    (row,) = tabulate(layout, [Run({}, summarise(entries), entries)]).rows
    return ["-" if str(cell) == "n/a" else str(cell) for cell in row[1:]]


@pytest.mark.parametrize("line", TABLE_2.strip().splitlines(), ids=lambda line: line.split()[0])
def test_suites_follow_from_counts(line: str) -> None:
    agent, *cells = line.split()
    entries = []
    for place, kind, language, tasks in (
        (1, "operation", "en", 150), (2, "operation", "zh", 150),
        (4, "cross-app", "en", 20), (5, "cross-app", "zh", 20),
    ):  # fmt: skip
        if cells[place] == "-":
            continue
        passed = one_count(cells[place], tasks)
        entries += [
            make(each < passed, id=f"{place}/{each}", kind=kind, language=language)
            for each in range(tasks)
        ]
    entries.append(make(True, id="open", kind="open-ended"))  # It belongs to none of the sets.
    expected = [OF_ROUNDED.get(agent, cells[0]), *cells[1:]]
    for shown, cell in zip(cells_of("spa-bench-sets", entries), expected, strict=True):
        assert shown == (cell if cell == "-" else f"{float(cell):.3f}")


def one_count(cell: str, tasks: int) -> int:
    """Return the only count out of a total that is printed as a cell."""
    (count,) = shares(cell, tasks, 3)
    return count


@pytest.mark.parametrize("line", TABLE_14.strip().splitlines(), ids=lambda line: line.split()[0])
def test_levels_follow_from_counts(line: str) -> None:
    agent, *cells = line.split()
    entries = []
    for number, (cell, (language, apps, level, tasks)) in enumerate(
        zip(cells, COLUMNS, strict=True)
    ):
        if cell == "-":
            continue
        passed = next(shares(cell, tasks, 3), None)
        assert (passed is None) is ((agent, number) == NOT_OF_50)
        kind = "cross-app" if apps == "cross" else "operation"
        fields = {"language": language, "level": level, "kind": kind}
        entries += [
            make(each < (passed or 0), id=f"{number}/{each}", **fields) for each in range(tasks)
        ]
    for number, (cell, rate) in enumerate(
        zip(cells, cells_of("spa-bench-levels", entries), strict=True)
    ):
        expected = cell if cell == "-" else f"{float(cell):.3f}"
        assert (rate == expected) is not ((agent, number) == NOT_OF_50)
