"""Tests of reading ColorBench, on a small copy in its layout."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from pytest_mobileagent import rows
from pytest_mobileagent.action import Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.dataset.formats.release import Problems, import_release, release_of
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.errors import GraphError, NoEdgeError
from tests.dataset.formats import copies
from tests.dataset.formats.copies import FEED, FOUND, HOME, LATER, SAVED, SIZE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copies.colorbench(tmp_path / "colorbench")


def test_tasks_have_their_milestones(graph):
    first, second = rows(graph.folder / "tasks.jsonl")
    assert (first.id, first.goal, first.kind) == ("1", "买红鞋 {{1}}", "operation")
    assert first.columns["milestones"] == [["unknown.jpg", FOUND], [SAVED]]
    assert (first.golden_steps, first.step_limit, first.snapshot) == (4, 40, HOME)
    assert first.tags == ["single-app", "save", "search"]
    assert (second.kind, second.tags) == ("cross-app", ["cross-app", "others", "save"])


def test_tasks_that_the_release_itself_can_never_pass_are_counted(copy, tmp_path):
    for path in (copy, copy / "data"):
        assert release_of(path, None, Problems()).title == "ColorBench"
    release, tasks = import_release(copy, tmp_path / "counted")
    nowhere = "tasks with a milestone on no page of the graph"
    answer = "tasks with an answer, which the release never counts"
    assert (tasks, release.problems.left_out) == (2, {answer: 1, nowhere: 1})
    assert release.problems.first[nowhere].endswith("tasks.json, entry 4")


def test_actions_lead_where_the_release_says(graph):
    device = GraphDevice(graph)
    assert (device.page, graph.home) == (HOME, HOME)
    way: list[tuple[Any, str]] = [
        (Open("小店"), FEED),  # the first of two pages
        (Type("Shoes, red"), FOUND),
        (Tap(200, 160), SAVED),  # the corners of a box are in it
        (Key("back"), FOUND),
        (LongPress(10, 310), SAVED),
        (Key("back"), FOUND),
        (Scroll("up"), FEED),
        (Wait(3), LATER),
        (Key("home"), HOME),
    ]
    for action, page in way:
        device.perform(action)
        assert device.page == page, action


def test_other_actions_lead_nowhere(graph):
    device = GraphDevice(graph)
    for step in (Open("小店"), Type("red shoes")):
        device.perform(step)
    for action in (Tap(201, 160), Type("blue"), Scroll("down"), LongPress(1, 120)):
        with pytest.raises(NoEdgeError):
            device.perform(action)


def test_pictures_become_png_only_if_they_are_not(copy, graph):
    kept, converted = graph.file(graph.page(FEED).png), graph.file(graph.page(HOME).png)
    assert kept == copy / "data" / "graph_image" / FEED
    assert converted.is_relative_to(graph.folder)
    with Image.open(io.BytesIO(converted.read_bytes())) as picture:
        assert (picture.format, picture.size) == ("PNG", SIZE)


def test_a_page_without_a_picture_is_named_and_can_be_skipped(copy, tmp_path):
    (copy / "data" / "graph_image" / SAVED).unlink()
    with pytest.raises(
        GraphError, match=rf"graph\.json: the picture .*{SAVED} cannot be read: No "
    ):
        import_release(copy, tmp_path / "whole")
    release, tasks = import_release(copy, tmp_path / "part", skip=True)
    assert (tasks, release.problems.left_out["pages without a picture"]) == (0, 1)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda graph: graph[FEED][FOUND][0].pop("text"), "no action can be read .*'text'"),
        (lambda graph: graph[FEED][FOUND][0].update(action_type="fly"), "there is no action 'fly'"),
        (lambda graph: graph[FOUND][SAVED][0].update(bbox=[1, 2]), "from found.jpg to saved.png"),
        (lambda graph: graph.update({"../../x.png": {}}), r"'\.\./\.\./x\.png' is not a path in"),
    ],
)
def test_a_broken_graph_is_reported_with_its_place(copy, tmp_path, change, why):
    file = copy / "data" / "graph.json"
    content = json.loads(file.read_text("utf-8"))
    change(content)
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(GraphError, match=rf"graph\.json.*{why}"):
        import_release(copy, tmp_path / "graph")


def test_a_file_that_is_no_graph_or_has_a_malformed_task_is_refused(copy, tmp_path):
    for name, text, why in (
        ("tasks.json", '[{"task_id": 1}]', "tasks.json, entry 1: it is not a task: KeyError"),
        ("graph.json", "[1, 2]", "graph.json:1: "),
        ("graph.json", '{"a": 3}', "graph.json:1: "),
    ):
        (copy / "data" / name).write_text(text, "utf-8")
        with pytest.raises(GraphError, match=re.escape(why)):
            import_release(copy, tmp_path / "graph")
