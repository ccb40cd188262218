"""Tests that Mobile-Bench-v2's tasks are read as by its released code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.action.action import Key, Swipe, Tap, Type
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.dataset.formats.release import import_release
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.errors import GraphError
from tests.dataset.formats import copies

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tasks(tmp_path: Path) -> dict[str, Any]:
    """Return the rows of a small copy's tasks, by task id."""
    copies.mobile_bench(tmp_path / "data")
    import_release(tmp_path / "data", tmp_path / "graph")
    check_graph(Graph.open(tmp_path / "graph"))
    return {row.id: row for row in rows(tmp_path / "graph" / "tasks.jsonl")}


def test_all_splits_are_read(tasks: dict[str, Any]) -> None:
    splits = {name: row.tags for name, row in tasks.items()}
    assert splits == {
        "shop0_0_3_2": ["simple", "sample"],
        "shop0_1_2": ["ambiguous", "sample"],
        "noisy-7": ["noisy"],
    }


def test_a_task_goes_to_the_page_of_its_name(tasks: dict[str, Any]) -> None:
    row = tasks["shop0_0_3_2"]
    assert (row.snapshot, row.page, row.golden_steps) == ("shop0", "shop0_0_3_2", 3)
    golden = [golden_from_json(each) for each in row.golden]
    assert [each.page for each in golden] == ["shop0", "shop0_0", "shop0_0_3"]
    assert [each.action for each in golden] == [
        Tap(180, 250),
        Swipe(360, 900, 360, 500),
        Tap(550, 1175),
    ]
    assert (row.app, row.step_limit, row.level) == (copies.PACKAGE, 20, 1)


def test_the_goal_is_the_last_line_and_the_last_step_serves_for_the_rest(
    tasks: dict[str, Any],
) -> None:
    row = tasks["shop0_0_3_2"]
    assert row.goal == "Put shoes into the cart."
    assert row.instructions == ["Open the shoes.", "Look on.", "Look on."]


def test_an_ambiguous_task_has_both_goals(tasks: dict[str, Any]) -> None:
    row = tasks["shop0_1_2"]
    assert row.goal == copies.VAGUE["easy_instruct"]
    assert row.full_goal == copies.VAGUE["complete_instruct"]
    assert row.instructions == copies.VAGUE["step_instruct"]


def test_a_noisy_task_is_a_path_of_its_own(tasks: dict[str, Any]) -> None:
    row = tasks["noisy-7"]
    golden = [golden_from_json(each) for each in row.golden]
    assert [each.action for each in golden] == [
        Tap(180, 250),
        Swipe(360, 900, 360, 500),
        Type("红鞋"),
        Key("back"),
    ]
    assert golden[0].boxes == ((0, 0, 600, 100), (0, 200, 360, 300), (0, 300, 720, 1100))
    assert (row.goal, row.page) == ("买红鞋", "noisy-7-4")


def test_an_app_with_a_zero_in_its_name_is_found(tmp_path: Path) -> None:
    copies.mobile3m(tmp_path / "data", "shop01")
    task = {"name": "shop010_0", "task": "1. Go.\nOpen the shoes."}
    copies.write_json(tmp_path / "data" / "tasks.json", [task])
    _, count = import_release(tmp_path / "data", tmp_path / "graph")
    assert count == 1


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"name": "shop0_0", "task": " "}, r"'shop0_0' has no goal"),
        ({"name": "shop0", "task": "Go."}, r"'shop0' is not a path of actions"),
        ({"name": "shop0_x", "task": "Go."}, r"a task needs a name such as"),
        ({"name": "shop0_9", "task": "Go."}, r"there is no page shop0_9"),
        ({"name": "shop0_0_0", "task": "Go."}, r"there is no page shop0_0_0"),
        ({"name": "bank0_0", "task": "Go."}, r"there is no folder bank_… for bank0_0"),
        ({**copies.SIMPLE, "task": "Another goal."}, r"is also the golden path of .*json, entry 1"),
    ],
)
def test_a_task_that_is_invalid_is_named_with_file_and_number(
    tmp_path: Path, entry: dict[str, str], why: str
) -> None:
    copies.mobile3m(tmp_path / "data")
    lines = ",\n".join(map(json.dumps, (copies.SIMPLE, entry)))
    (tmp_path / "data" / "tasks.json").write_text(f"[{lines}]", "utf-8")
    with pytest.raises(GraphError, match=rf"tasks\.json, entry 2: .*{why}"):
        import_release(tmp_path / "data", tmp_path / "graph")
    assert not (tmp_path / "graph").exists()


def test_the_same_task_of_two_lists_is_one(tmp_path: Path) -> None:
    copies.mobile_bench(tmp_path / "data")
    copies.write_json(tmp_path / "data" / "simple_normal_tasks.json", [copies.SIMPLE])
    _, count = import_release(tmp_path / "data", tmp_path / "graph")
    assert count == 3
    found = {row.id: row for row in rows(tmp_path / "graph" / "tasks.jsonl")}
    assert found["shop0_0_3_2"].tags == ["simple", "sample"]
