"""The table of A3's second release matches the release, and reads a copy of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Released

SUITE = Path(__file__).parents[2] / "tasks" / "a3"
ROWS = rows(SUITE / "v2.toml")
TASK = {
    "name": "bell",
    "task": "Ring the bell. ",
    "level": "medium",
    "category": "information retrieval",
    "max_steps": 22,
    "app": "bell",
    "app_package": "org.bell",
    "essential states": '["It rang", " It rang again"]',
}


@pytest.fixture
def release() -> Any:
    return import_module("tasks.a3.release")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "tasks").mkdir()
    return tmp_path


def write(copy: Path, *tasks: Any, file: str = "tasks.jsonl") -> None:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in tasks]
    (copy / "tasks" / file).write_text("\n".join(lines), "utf-8")


def test_there_are_100_tasks_with_313_states_in_20_apps() -> None:
    fields = [row.task_fields for row in ROWS]
    assert Counter(each["level"] for each in fields) == {1: 35, 2: 41, 3: 24}
    assert Counter(each["kind"] for each in fields) == {"operation": 71, "single-frame query": 29}
    assert Counter(each["step_limit"] for each in fields) == {15: 34, 22: 42, 30: 24}
    assert set(Counter(each["app"] for each in fields).values()) == {5}
    states = Counter(len(row.rubric) for row in ROWS)
    assert states == {1: 8, 2: 26, 3: 40, 4: 10, 5: 9, 6: 2, 7: 4, 8: 1}
    assert not any(state.startswith(("not ", "must not ")) for row in ROWS for state in row.rubric)
    assert len({each["goal"] for each in fields}) == 100


def test_a_release_is_read_by_the_names_of_its_tasks(release: Any, copy: Path) -> None:
    write(copy, TASK, "")
    facts = {"level": 2, "kind": "single-frame query", "step_limit": 22}
    place = "tasks/tasks.jsonl, line 1 (bell)"
    assert release.read(copy) == {"bell": Released("Ring the bell.", place, facts)}
    assert release.official(copy) == {"bell": "Ring the bell."}
    (finding,) = release.lint(copy)
    assert (finding.kind, finding.place) == ("blanks around a state", place)


def test_states_may_be_a_list_as_its_documentation_says(release: Any, copy: Path) -> None:
    task = {name: value for name, value in TASK.items() if name != "essential states"}
    write(copy, task | {"essential_states": ["It rang", "It rang"]})
    assert [each.kind for each in release.lint(copy)] == ["a state twice"]


def test_rewrites_of_a_copy_are_variants_of_its_tasks(release: Any, copy: Path) -> None:
    write(copy, TASK, {**TASK, "name": "gong"}, {**TASK, "name": "horn"})
    rewrite = {"new_task": "Make some noise. ", **TASK}
    others = ({**rewrite, "name": "gong", "task": "Beat it."}, {**rewrite, "name": "drum"})
    write(copy, rewrite, *others, file="noisy_tasks.jsonl")
    both = {"official": "Ring the bell.", "noisy": "Make some noise."}
    assert release.official(copy) == {"bell": both, "gong": both, "horn": "Ring the bell."}
    about = [(each.kind, each.place) for each in release.lint(copy) if "rewrite" in each.kind]
    assert about == [
        ("a rewrite of an older goal", "tasks/noisy_tasks.jsonl, line 2 (gong)"),
        ("a rewrite of no task", "tasks/noisy_tasks.jsonl, line 3 (drum)"),
    ]


@pytest.mark.parametrize(
    ("rewrite", "why"),
    [
        ("{", "is not a task in JSON"),
        (TASK, r"\(bell\) has no new_task"),
        ({**TASK, "new_task": 1}, ""),
    ],
)
def test_a_broken_rewrite_is_reported_in_one_line(
    release: Any, copy: Path, rewrite: Any, why: str
) -> None:
    write(copy, TASK)
    write(copy, rewrite, file="noisy_tasks.jsonl")
    with pytest.raises(TaskError, match=rf"^tasks/noisy_tasks\.jsonl, line 1 ?{why}"):
        release.official(copy)


def test_a_rewrite_is_judged_by_its_words_alone() -> None:
    """A rewrite asks for things other than the essential states and checks of its task."""
    body = import_module("tasks.a3.v2.test_v2").test_v2
    asked = []

    def judge(_: Any, **question: Any) -> bool:
        asked.append(question)
        return True

    (row,) = [row for row in ROWS if row.id == "file_delete_todelete"]
    (open_row,) = [row for row in ROWS if row.id == "file_open_epub"]
    body(None, replace(row, goal_variant="noisy"), judge)
    body(None, replace(open_row, goal_variant="official"), judge)
    assert asked == [{"window": 4}, {"window": 4, "rubric": open_row.rubric}]


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("{", r"line 1 is not a task in JSON"),
        ({**TASK, "level": "odd"}, r"line 1 \(bell\): 'odd', 'information retrieval' is no level"),
        ({**TASK, "max_steps": "22"}, r"line 1 \(bell\): task must be a string, and max_steps a"),
        ({"name": "bell", "task": "Ring."}, r"line 1 \(bell\) has no level"),
        ({**TASK, "essential states": "[1]"}, r"line 1 \(bell\): its essential states are no list"),
        ({**TASK, "essential states": "["}, r"line 1 \(bell\): its essential states are no list"),
    ],
)
def test_a_broken_task_is_reported_in_one_line(
    release: Any, copy: Path, task: Any, why: str
) -> None:
    write(copy, task)
    with pytest.raises(TaskError, match=rf"^tasks/tasks\.jsonl, {why}"):
        list(release.lint(copy))


def test_a_folder_that_is_not_a_release_is_reported(release: Any, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="name the folder of a copy of YuxiangChai/AITK"):
        release.read(tmp_path)
