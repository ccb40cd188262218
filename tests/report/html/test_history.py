"""Tests of the outcomes of a run's tasks in the earlier runs of its folder."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from typing import Any

import pytest

from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.html.all_runs_page import (
    OVERVIEW,
    VERSION,
    Overview,
    add_history,
    read_overview,
)


def index(started: str) -> dict[str, Any]:
    """Return the index of a run with two epochs of a task, and one of two others."""
    rows = [("first", None), ("first", None), ("second", "100"), ("new", None)]
    return {
        "run": {"started": started},
        "tasks": [{"id": name, "environment": place} for name, place in rows],
    }


@pytest.fixture
def earlier(recorded):
    """Make 25 runs beside a recorded one, a day apart, and return the folder for the next one."""
    read_overview(recorded)
    for day in range(1, 26):
        run = recorded.with_name(f"2025-03-{day:02}")
        shutil.copytree(recorded, run, symlinks=True)
        outcomes: dict[str, bool | None] = {
            "first": day % 2 == 0,
            "second[env100]": None if day > 23 else True,
        }
        started = f"{run.name}T10:00:00+00:00"
        overview = Overview(run.name, "mine", started=started, outcomes=outcomes)
        write_json(run / OVERVIEW, {"version": VERSION, **asdict(overview)})
    return recorded.with_name("2025-03-26")


def test_a_task_has_its_outcomes_in_the_last_nineteen_runs_before(earlier):
    (earlier.with_name("2025-03-20") / OVERVIEW).write_text("{", "utf-8")
    data = index("2025-03-25T12:00:00+00:00")
    add_history(data, earlier, earlier)
    assert [each["page"] for each in data["history"]] == [
        f"../2025-03-{day:02}/report.html" for day in range(6, 26) if day != 20
    ]
    assert {each["name"] for each in data["history"]} == {"mine"}
    first, again, second, new = (row.get("history") for row in data["tasks"])
    assert first == "+-+-+-+-+-+-+--+-+-"  # by day, from the 6th, without the 20th
    assert again is None  # for the task, not for each epoch
    assert second == "+" * 17 + "??"
    assert new is None


def test_names_of_folders_are_safe_in_addresses(earlier):
    earlier.with_name("2025-03-01").rename(earlier.with_name("javascript:1#%2F"))
    data = index("2025-03-02T08:00:00+00:00")
    add_history(data, earlier, earlier.parent)
    assert [each["page"] for each in data["history"]] == ["javascript%3A1%23%252F/report.html"]


def test_later_runs_are_left_out(earlier):
    data = index("2025-03-03T12:00:00+00:00")
    add_history(data, earlier, earlier.parent)
    assert [each["page"] for each in data["history"]] == [
        f"2025-03-{day:02}/report.html" for day in (1, 2, 3)
    ]
