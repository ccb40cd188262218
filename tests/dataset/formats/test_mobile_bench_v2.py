"""Tests that Mobile-Bench-v2's tasks are read as by its released code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.action import Key, Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.dataset.formats.mobile_bench_v2 import listed
from pytest_mobileagent.dataset.formats.release import Problems, import_release
from pytest_mobileagent.dataset.graph import Graph, RecordedPath
from pytest_mobileagent.errors import GraphError
from tests.dataset.formats import copies

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.dataset.formats.mobile_bench_v2 import ListedTask


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copies.mobile_bench(tmp_path / "data")


def tasks(copy: Path) -> dict[str, ListedTask]:
    """Return the tasks of a copy by id."""
    return {task.id: task for task in listed(copy, Problems())}


def test_the_golden_path_goes_to_the_page_of_the_tasks_name(copy, graph):
    task = tasks(copy)["shop0_0_3_2"]
    assert task.pages == ("shop0", "shop0_0", "shop0_0_3", "shop0_0_3_2")
    golden = list(RecordedPath(graph, task.pages))
    assert [each.page for each in golden] == list(task.pages[:-1])
    actions = [Tap(180, 250), Swipe(360, 900, 360, 500), Tap(550, 1175)]
    assert [each.action for each in golden] == actions


def test_of_two_edges_to_a_page_the_golden_one_is_that_of_its_name(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    copies.write_json(app / "all_triple.json", {"data": [["shop0", 0, "shop0_1"],
                                                         ["shop0", 1, "shop0_1"]]})  # fmt: skip
    copies.write_json(tmp_path / "data" / "tasks.json", [{"name": "shop0_1", "task": "Search."}])
    import_release(tmp_path / "data", tmp_path / "graph")
    (golden,) = RecordedPath(Graph.open(tmp_path / "graph"), ("shop0", "shop0_1"))
    assert isinstance(golden.action, Type)


def test_all_splits_are_read_each_with_its_goals(copy):
    found = tasks(copy)
    assert {name: (task.split, task.is_sample, task.app) for name, task in found.items()} == {
        "shop0_0_3_2": ("simple", True, "shop"),
        "shop0_1_2": ("ambiguous", True, "shop"),
        "noisy-7": ("noisy", False, ""),
    }
    simple, vague = found["shop0_0_3_2"], found["shop0_1_2"]
    assert simple.goal == "Put shoes into the cart."  # The last line is the goal.
    steps = ["Open the shoes.", "Look on.", "Look on."]  # The last one serves for the rest.
    assert [simple.step(number) for number in range(simple.length)] == steps
    assert vague.vague == copies.VAGUE["easy_instruct"]
    assert vague.goal == copies.VAGUE["complete_instruct"]
    assert list(vague.steps) == copies.VAGUE["step_instruct"]


def test_a_noisy_task_is_a_path_of_its_own(copy, graph):
    task = tasks(copy)["noisy-7"]
    assert (task.goal, task.pages[-1]) == ("买红鞋", "noisy-7-4")
    golden = list(RecordedPath(graph, task.pages))
    actions = [Tap(180, 250), Swipe(360, 900, 360, 500), Type("红鞋"), Key("back")]
    assert [each.action for each in golden] == actions
    assert golden[0].boxes == ((0, 0, 600, 100), (0, 200, 360, 300), (0, 300, 720, 1100))
    (copy / "noisy" / "7-4.png").unlink()  # Then it ends on the page of its last action.
    assert tasks(copy)["noisy-7"].pages[-2:] == ("noisy-7-3", "noisy-7-3")


def test_folders_of_noisy_tasks_with_the_same_numbers_are_told_apart(copy):
    (copy / "noisy").rename(copy / "noisy-instruction-2")
    copies.mobile_bench(copy / "more")
    (copy / "more" / "noisy").rename(copy / "anbu-instruction")
    found = {name: task.split for name, task in tasks(copy).items() if name.startswith("noisy")}
    assert found == {
        "noisy-noisy-instruction-2-7": "noisy",
        "noisy-anbu-instruction-7": "ambiguous",
    }


def test_a_page_whose_hierarchy_is_empty_has_no_elements(copy, tmp_path):
    (copy / "noisy" / "7-0.xml").write_bytes(b"")
    _, count = import_release(copy, tmp_path / "graph")
    assert count == 3
    graph = Graph.open(tmp_path / "graph")
    assert list(graph.screen("noisy-7-0").elements) == []
    assert not graph.count_lacking()["hierarchy"]


def test_the_graph_contains_no_goals(graph):
    assert not (graph.folder / "tasks.jsonl").exists()
    texts = (
        (graph.folder / "graph.json").read_text("utf-8"),
        (graph.folder / "graph.sqlite").read_bytes().decode("utf-8", "replace"),
    )
    for words in ("Put shoes", "Open the", "something to wear", "买红鞋"):
        assert not any(words in text for text in texts)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"name": "shop0_0", "task": " "}, r"'shop0_0' has no goal"),
        ({"name": "shop0", "task": "Go."}, r"'shop0' is not a path of actions"),
        ({"name": "shop0_x", "task": "Go."}, r"a task needs a name such as"),
        ({**copies.VAGUE, "easy_instruct": " "}, r"'shop0_1_2' has no goal"),
    ],
)
def test_a_task_that_is_invalid_is_named_with_file_and_number(tmp_path, entry, why):
    copies.mobile3m(tmp_path / "data")
    lines = ",\n".join(map(json.dumps, (copies.SIMPLE, entry)))
    (tmp_path / "data" / "tasks.json").write_text(f"[{lines}]", "utf-8")
    with pytest.raises(GraphError, match=rf"tasks\.json, entry 2: .*{why}"):
        import_release(tmp_path / "data", tmp_path / "graph")
    assert not (tmp_path / "graph").exists()


@pytest.mark.parametrize("name", ["shop0_9", "shop0_0_0", "bank0_0"])
def test_tasks_without_their_pages_are_counted(tmp_path, name):
    copies.mobile3m(tmp_path / "data")
    copies.mobile3m(tmp_path / "data", "more01")  # An app may have a zero in its name.
    zero = {"name": "more010_0", "task": "1. Go.\nOpen the shoes."}
    entries = [copies.SIMPLE, {"name": name, "task": "Go."}, zero]
    copies.write_json(tmp_path / "data" / "tasks.json", entries)
    release, count = import_release(tmp_path / "data", tmp_path / "graph")
    assert (count, sum(release.problems.left_out.values())) == (2, 1)
    (first,) = release.problems.first.values()
    assert first.endswith("tasks.json, entry 2")


def test_a_task_of_two_lists_is_one_and_another_goal_another_task(copy):
    other = {**copies.SIMPLE, "task": "Another goal."}
    copies.write_json(copy / "simple_normal_tasks.json", [copies.SIMPLE, other])
    found = tasks(copy)
    assert len(found) == 4
    assert found["shop0_0_3_2"].is_sample
    assert found["shop0_0_3_2-2"].goal == "Another goal."
