"""The tables of SPA-Bench's tasks match its paper (arXiv 2410.15164) and its release."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import Row, rows
from pytest_mobileagent.errors import TaskError

SUITE = Path(__file__).parents[2] / "tasks" / "spa_bench"
ENGLISH, CHINESE = rows(SUITE / "single_en.csv"), rows(SUITE / "single_zh.csv")
CROSS = rows(SUITE / "cross.toml")
# The web and accounts that apps of the virtual phone stand in for, as --mobile-device-has has them.
STOOD_IN_FOR = "web,account:YouTube,account:抖音"
OF_LANGUAGE = {lang: [row for row in CROSS if row.language == lang] for lang in ("en", "zh")}


@pytest.fixture(scope="module")
def table() -> Any:
    return import_module("tasks.spa_bench.table")


@pytest.mark.parametrize(
    ("table", "means", "extremes", "apps"),
    [
        (ENGLISH, (3.54, 7.52, 12.30), (2, 18), {6: 14, 3: 22}),
        (CHINESE, (2.92, 6.80, 11.08), (1, 18), {9: 5, 6: 13, 3: 9}),
    ],
    ids=["english", "chinese"],
)
def test_tasks_in_one_app_are_150_in_sets_of_three_levels(
    table: list[Row], means: tuple[float, ...], extremes: tuple[int, int], apps: dict[int, int]
) -> None:
    fields = [row.task_fields for row in table]
    assert [each["level"] for each in fields] == [1, 2, 3] * 50
    sets = Counter(each["task_set"] for each in fields)
    assert (len(sets), set(sets.values())) == (50, {3})
    assert [each["task_set"] for each in fields] == [name for name in sets for _ in range(3)]
    steps = [each["golden_steps"] for each in fields]
    assert tuple(round(mean(steps[level::3]), 2) for level in range(3)) == means
    assert (min(steps), max(steps)) == extremes
    assert all(each["step_limit"] == 2 * each["golden_steps"] + 1 for each in fields)
    assert Counter(Counter(row.app for row in table).values()) == apps


def test_key_components_are_those_that_the_release_counts(table: Any) -> None:
    counts = [Counter(len(table.components(row)) for row in each) for each in (ENGLISH, CHINESE)]
    assert counts[0] == {1: 36, 2: 56, 3: 31, 4: 18, 5: 6, 6: 3}
    assert counts[1] == {0: 1, 1: 51, 2: 65, 3: 23, 4: 6, 5: 4}


def test_a_list_of_components_that_is_none_is_reported_with_its_row(table: Any) -> None:
    row = Row("x_0", {"key_components": "one;;two"}, "single_en.csv, line 2 (x_0)")
    with pytest.raises(TaskError, match=r"line 2 \(x_0\): key_components 'one;;two' must be"):
        table.components(row)


def test_goals_that_give_away_answers_are_pointed_out(table: Any) -> None:
    remarks = Counter(
        remark
        for each in (ENGLISH, CHINESE)
        for fields in table.single(each).values()
        for remark in fields.get("remarks", ())
    )
    assert remarks.keys() == {table.IN_GOAL, table.NONE}
    assert remarks[table.NONE] == 1
    assert 150 < remarks[table.IN_GOAL] < 175  # 170 for the release's own goals


def test_tasks_across_apps_are_20_in_each_language(table: Any) -> None:
    for lang, steps in (("en", 15.95), ("zh", 13.15)):
        found = [row.task_fields for row in OF_LANGUAGE[lang]]
        assert Counter(each["level"] for each in found) == {1: 15, 2: 5}
        assert round(mean(each["golden_steps"] for each in found), 2) == steps
        assert all(len(each["apps"]) == each["level"] + 1 for each in found)
    parts = list(table.crossing(CROSS).values())
    assert Counter(map(len, parts)) == {2: 28, 3: 11, 4: 1}
    assert sum(each.history for part in parts for each in part) == 35
    assert sum(bool(each.memory) for part in parts for each in part) == 36


def test_subtasks_that_need_each_other_fit_together(table: Any) -> None:
    from pytest_mobileagent.judge.subtasks import check_subtasks

    for row in CROSS:
        parts = table.subtasks(row, table.LABELS)
        check_subtasks(parts)
        noted = {each.memory for each in parts if each.memory}
        for each in parts:
            if "{" in each.task:
                named = {part.split("}")[0] for part in each.task.split("{")[1:]}
                assert named <= noted, row.id


def test_a_success_counts_whatever_error_the_agent_raised_then() -> None:
    names = {"single": ("english", "chinese"), "cross": ("cross",), "open_ended": ("open_ended",)}
    each = [
        getattr(import_module(f"tasks.spa_bench.test_{file}"), f"test_{name}")
        for file, functions in names.items()
        for name in functions
    ]
    marked = [one.pytestmark[0].args[1] for one in each]  # one parameter per row
    fields = [mark.kwargs for rows in marked for one in rows for mark in one.marks]
    assert [given["success_after_error"] for given in fields] == [True] * 350


def test_two_tasks_have_a_twin_in_the_other_language() -> None:
    twins = {row.id: row.columns["twin"] for row in CROSS if row.columns.get("twin")}
    assert len(twins) == 4
    assert all(twins[other] == name for name, other in twins.items())
    assert all(name[-3:] != other[-3:] for name, other in twins.items())


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (
            {"app": "Chrome", "task": "Look."},
            "uses Chrome, which is not one of the row's apps",
        ),
        (
            {"app": "Nowhere", "task": "Look."},
            r"is not valid \(it needs app, task, memory and history\)",
        ),
        ({"app": "Clock"}, r"is not valid \(it needs app, task, memory and history\)"),
        ({"app": "Clock", "task": "Look.", "notes": "x"}, r"is not valid \(it needs app, task"),
    ],
)
def test_a_subtask_that_does_not_fit_its_row_is_reported(
    table: Any, part: dict[str, str], why: str
) -> None:
    columns = {"apps": [table.LABELS["clock"]], "subtasks": [part]}
    row = Row("x", columns, "cross.toml, line 3 (x)")
    with pytest.raises(TaskError, match=rf"^cross\.toml, line 3 \(x\): subtask 1 {why}"):
        table.subtasks(row, table.LABELS)


def test_checks_belong_to_rows_that_our_own_apps_support(table: Any) -> None:
    from tasks.spa_bench.checks import CHECKS

    each = {(row.language, row.id): row for row in (*ENGLISH, *CHINESE, *CROSS)}
    assert CHECKS.keys() <= each.keys()
    across = {name for name in CHECKS if each[name] in CROSS}
    assert Counter(language for language, _ in CHECKS.keys() - across) == {"en": 19, "zh": 3}
    assert Counter(language for language, _ in across) == {"en": 3, "zh": 1}
    needs = {name: each[name].task_fields.get("needs", ()) for name in CHECKS}
    assert not any(needs[name] for name in CHECKS.keys() - across)
    assert {need for name in across for need in needs[name]} == set(STOOD_IN_FOR.split(","))


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def test_days_of_events_do_not_depend_on_the_zone_of_this_machine(
    table: Any, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, zone: str
) -> None:
    from tasks.spa_bench.planning import EVENTS

    request.addfinalizer(time.tzset)  # runs after the variable has been restored
    with monkeypatch.context() as patch, closing(sqlite3.connect(":memory:")) as calendar:
        patch.setenv("TZ", zone)
        time.tzset()
        calendar.execute("CREATE TABLE Events (title, allDay, dtstart, dtend, deleted)")
        midnight = int(datetime(2026, 11, 16, tzinfo=UTC).timestamp() * 1000)
        calendar.execute("INSERT INTO Events VALUES ('Haircut', 1, ?, 0, 0)", (midnight,))
        rows = calendar.execute(EVENTS["events"].query).fetchall()
    assert rows == [("Haircut", 1, "16", midnight, 0)]
