"""Tests of reading MobiBench, on a small copy in its layout."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.action import Finish, Key, Open, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.dataset.formats.release import Problems, import_release, release_of
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.errors import GraphError, NoEdgeError
from pytest_mobileagent.screen.element import Bounds
from tests.dataset.formats import copies
from tests.dataset.formats.copies import write_json, write_png


@pytest.fixture
def copy(tmp_path):
    return copies.mobibench(tmp_path / "mobibench")


def tasks(graph: Graph) -> dict[str, Any]:
    return {row.id: row for row in rows(graph.folder / "tasks.jsonl")}


def test_the_default_answers_are_golden(graph):
    found = tasks(graph)
    assert sorted(found) == ["Clock-12", "Shop-7"]
    row = found["Shop-7"]
    assert (row.goal, row.tags, row.golden_steps) == ("Find red shoes {{1}}.", ["Shop"], 5)
    golden = [golden_from_json(each) for each in row.golden]
    typed = Type("red shoes", at=(50, 25))
    actions = [Open("Shop"), Tap(50, 25), Scroll("up"), typed, LongPress(50, 25), Finish()]
    assert [each.action for each in golden] == actions
    assert golden[1].boxes == (Bounds(0, 0, 101, 51),)
    assert [each.page for each in golden] == [f"Shop-7-{number}" for number in range(6)]


def test_all_answers_are_accepted_and_lead_to_the_next_page(graph):
    accepted = tasks(graph)["Shop-7"].columns["accepted"]
    others = [Scroll("down"), Scroll("left"), Scroll("right"), Key("back")]
    assert [golden_from_json(each).action for each in accepted["Shop-7-2"]] == others
    device = GraphDevice(graph)
    right: dict[int, list[Any]] = {
        1: [Tap(50, 25), Tap(100, 150), LongPress(0, 0)],
        2: [Scroll("up"), Scroll("left")],
        3: [Type("red shoe", at=(10, 10))],
        4: [LongPress(1, 1)],
    }
    wrong: dict[int, Any] = {1: Tap(50, 60), 3: Type("hat"), 4: Tap(1, 1)}
    for page, ways in right.items():
        for action in ways:
            device.show(f"Shop-7-{page}")
            device.perform(action)
            assert device.page == f"Shop-7-{page + 1}", action
    for page, action in wrong.items():
        device.show(f"Shop-7-{page}")
        with pytest.raises(NoEdgeError):
            device.perform(action)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([{"type": "Fly", "bounds": "[0,0][1,1]"}], "KeyError.'fly'"),
        ([{"type": "Click", "bounds": "[0,0]"}], "ValueError.'not enough values"),
        ([{"type": "Input", "bounds": "[0,0][1,1]", "params": {}}], "KeyError.'text'"),
        ([], "IndexError"),
        ({"type": "Click"}, "TypeError"),
        ([None], r"TypeError.'2_answers.json\[0\] cannot be of type NoneType"),
        ([{"type": 3}], r"TypeError.'2_answers.json\[0\].type cannot be of type int"),
    ],
)
def test_a_broken_step_is_reported_with_its_folder(copy, tmp_path, answers, why):
    write_json(copy / "Shop" / "7" / "2_answers.json", answers)
    with pytest.raises(GraphError, match=rf"Shop/7: no step can be read: {why}"):
        import_release(copy, tmp_path / "graph")
    release, tasks = import_release(copy, tmp_path / "part", skip=True)
    assert (tasks, release.problems.left_out) == (1, {"broken paths": 1})


def test_a_missing_file_is_named(copy, tmp_path):
    for name in ("2.xml", "instruction.txt", "2.png"):
        (copy / "Shop" / "7" / name).unlink()
        with pytest.raises(GraphError, match=name):
            import_release(copy, tmp_path / "graph")


def test_pictures_and_hierarchies_stay_where_they_are(copy, graph):
    assert release_of(copy, None, Problems()).title == "MobiBench"
    page = graph.page("Shop-7-0")
    assert graph.file(page.png) == copy / "Shop" / "7" / "0.png"
    assert graph.file(page.xml) == copy / "Shop" / "7" / "0.xml"
    write_png(graph.file(page.png), (10, 10))
    with pytest.raises(GraphError, match="10x10"):
        check_graph(graph)
