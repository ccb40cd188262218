"""Tests that B-MoCA's table 2 (arXiv 2404.16660) follows from counts: means and standard errors."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.report.metrics.summary import totals
from tests.report.conftest import make

if TYPE_CHECKING:
    from collections.abc import Iterator

# A task's success rate in percent in ten environments, with its standard error over three runs,
# for agents without examples and with examples.
TABLE_2 = {
    "Alarm(simple)": ["87 ± 07", "83 ± 05"],
    "Alarm(complex)": ["33 ± 05", "67 ± 03"],
    "Language": ["97 ± 03", "83 ± 03"],
    "Calculator": ["17 ± 03", "17 ± 07"],
    "Call": ["00 ± 00", "30 ± 08"],
    "Wikipedia": ["30 ± 22", "20 ± 00"],
}
NO_COUNTS = "30 ± 22"  # This is the deviation itself, for 0, 4 and 5 or for 1, 2 and 6 of ten.
NOT_OF_A_SAMPLE = {"33 ± 05", "83 ± 05", "30 ± 08"}  # Only the population's deviation fits these.
TASKS, RUNS = 10, 3


def epochs_like(cell: str, error: str) -> Iterator[tuple[int, ...]]:
    """Yield the successes of each run that are printed as a cell, with either standard error."""
    for passed in combinations_with_replacement(range(TASKS + 1), RUNS):
        if f"{100 * sum(passed) / (TASKS * RUNS):02.0f}" != cell[:2]:
            continue
        numbers = totals(
            [
                make(task < count, id=f"t{task}", epoch=epoch)
                for epoch, count in enumerate(passed)
                for task in range(TASKS)
            ]
        )
        rate, spread = 100 * numbers["success_rate"], 100 * numbers["epochs"][error]
        if f"{rate:02.0f} ± {spread:02.0f}" == cell:
            yield passed


@pytest.mark.parametrize("cell", sorted({cell for cells in TABLE_2.values() for cell in cells}))
def test_errors_use_the_population_standard_deviation(cell: str) -> None:
    assert any(epochs_like(cell, "standard_error_ddof_0")) is (cell != NO_COUNTS)
    fits_a_sample = cell not in {NO_COUNTS, *NOT_OF_A_SAMPLE}
    assert any(epochs_like(cell, "standard_error")) is fits_a_sample
