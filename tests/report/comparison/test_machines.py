"""Tests of differences between the machines on which two runs' episodes were recorded."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.compare_command import remarks
from tests.report.gate.entries import entries, recorded

NORTH, SOUTH = ("north", {"Python": "3.12.1"}), ("south", {"Python": "3.13.0", "pillow": "12"})
NOWHERE: tuple[None, None] = (None, None)


def compared(base: list[Any], run: list[Any]) -> dict[str, Any]:
    """Return the comparison of two runs, given the machine of each of their episodes."""

    def made(places: list[Any], name: str) -> Any:
        tasks = entries({"abc"[number]: "P" for number in range(len(places))})
        for task, (node, versions) in zip(tasks, places, strict=True):
            task["node"], task["versions"] = node, versions
        return recorded(tasks, id=name)

    return compare(made(base, "base"), made(run, "run"))


def told(found: dict[str, Any]) -> list[str]:
    return [each for each in remarks(found) if "machines" in each]


@pytest.mark.parametrize(
    ("base", "run"),
    [([NORTH, NORTH], [NORTH, NORTH]), ([NOWHERE], [NOWHERE]), ([NOWHERE], [NORTH])],
)
def test_what_is_the_same_or_unknown_is_no_difference(base: list[Any], run: list[Any]) -> None:
    found = compared(base, run)
    assert found["versions"] == {}
    assert told(found) == []


def test_other_versions_in_the_other_run_are_warned_of() -> None:
    found = compared([NORTH], [SOUTH])
    assert found["versions"] == {
        "Python": {"baseline": ["3.12.1"], "run": ["3.13.0"]},
        "pillow": {"baseline": ["none"], "run": ["12"]},
    }
    warning, note = told(found)
    assert "Python (3.12.1 in the baseline, 3.13.0 in the run); pillow (none in" in warning
    assert "not the same machines: north in the baseline, south in the run; seconds" in note


def test_other_versions_within_one_run_are_warned_of() -> None:
    found = compared([NOWHERE, NOWHERE], [NORTH, SOUTH])
    assert found["nodes"] == {"baseline": [], "run": ["north", "south"]}
    (line,) = told(found)
    assert "Python (unknown in the baseline, 3.12.1, 3.13.0 in the run)" in line


def test_machines_of_tasks_that_only_one_run_has_do_not_count() -> None:
    assert told(compared([NORTH], [NORTH, SOUTH])) == []


def test_a_comparison_that_an_older_version_has_written_tells_nothing() -> None:
    found = compared([NORTH], [SOUTH])
    del found["versions"], found["nodes"]
    assert told(found) == []
