"""Tests of reading AITZ, AndroidControl as in UI-S1, AutoDroid and our own format.

Also tests how a folder's format is recognised.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.dataset.formats.release import Problems, import_release, release_of
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.errors import GraphError
from tests.dataset.formats import copies
from tests.dataset.formats.copies import write_json, write_png

SHARED = Path(__file__).parents[4] / "shared/data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"there is no {SHARED}")


def read(data: Path, graph: Path, name: str | None = None) -> dict[str, Any]:
    import_release(data, graph, name)
    check_graph(Graph.open(graph))
    file = graph / "tasks.jsonl"
    return {row.id: row for row in rows(file)} if file.exists() else {}


def actions(row: Any) -> list[Any]:
    return [golden_from_json(each).action for each in row.golden]


# AITZ.


def test_aitz_is_read_as_released(tmp_path):
    found = read(copies.aitz(tmp_path / "aitz"), tmp_path / "graph")
    row = found["GENERAL-5"]
    assert actions(row) == [Tap(10, 40), Scroll("up"), Finish()]
    assert golden_from_json(row.golden[0]).boxes == ((20, 10, 60, 40),)
    assert row.tags == ["general", "test"]
    assert row.instructions == ["step 0", "step 1", "step 2"]
    graph = Graph.open(tmp_path / "graph")
    assert graph.file(graph.page("GENERAL-5_0").png).is_relative_to(tmp_path / "aitz")


def test_a_picture_that_aitz_lacks_or_that_is_outside_of_it_is_named(tmp_path):
    data = copies.aitz(tmp_path / "aitz")
    next(data.rglob("*_1.png")).unlink()
    with pytest.raises(GraphError, match=r"GENERAL-5\.json:1: step 1 has no PNG image general/"):
        read(data, tmp_path / "graph")
    file = next(data.rglob("*.json"))
    file.write_text(file.read_text("utf-8").replace("general/GENERAL", "../../x/GENERAL"), "utf-8")
    with pytest.raises(GraphError, match=r"is not a path in"):
        read(data, tmp_path / "graph")


# AndroidControl as UI-S1 evaluates it.


def androidcontrol(folder: Path, *, with_pictures: bool = True) -> Path:
    said: list[dict[str, Any]] = [
        {"action": "click", "coordinate": [20, 40]},
        {"action": "type", "text": "lamp"},
        {"action": "system_button", "button": "Back"},
    ]
    steps = []
    for number, each in enumerate(said):
        boxes = {"candidate_bbox": [[0, 0, 40, 60]]} if number == 0 else {}
        about = {"action_content": each, "check_options": {**each, **boxes}}
        picture = f"/datasets/AndroidControl/images/31_{number}.png"
        steps.append({**about, "screenshot": picture, "step_instruction": "Do it."})
        if with_pictures:
            write_png(folder / "images" / f"31_{number}.png", (40, 80))
    entry = {"goal": "Turn on the lamp.", "is_successful": True, "steps": steps}
    write_json(folder / "evaluation.jsonl", [entry])
    return folder


def test_androidcontrol_takes_its_pictures_from_the_users_copy(tmp_path):
    row = read(androidcontrol(tmp_path / "data"), tmp_path / "graph")["31"]
    assert actions(row) == [Tap(20, 40), Type("lamp"), Key("back")]
    golden = golden_from_json(row.golden[0])
    assert (golden.size, golden.boxes) == ((40, 80), ((0, 0, 40, 60),))
    assert Graph.open(tmp_path / "graph").screen("31_0").size == (40, 80)
    assert "tags" not in row.columns
    write_json(tmp_path / "data" / "test_subsplits.json", {"IDD": [31], "app_unseen": [1]})
    assert read(tmp_path / "data", tmp_path / "again")["31"].tags == ["test-IDD"]


def test_androidcontrol_without_pictures_is_text_only(tmp_path):
    row = read(androidcontrol(tmp_path / "data", with_pictures=False), tmp_path / "graph")["31"]
    assert golden_from_json(row.golden[0]).size == (1080, 2400)
    assert Graph.open(tmp_path / "graph").page("31_0").png == ""


@pytest.mark.slow
@needs_shared
def test_the_shared_file_has_the_published_counts(tmp_path):
    file = SHARED / "androidcontrol-uis1" / "android_control_evaluation_std.json"
    found = read(file, tmp_path / "graph")
    assert (len(found), sum(len(row.golden) for row in found.values())) == (1543, 8444)


# AutoDroid.

LIST = "<button id=0 text='Add'></button>\n<p id=1>Notes</p>\n<button id=2>go back</button>"
NEW = "<p id=0>New<br>note</p>\n <input id=1>Label</input>\n <checkbox id=2 checked=True>Keep"
NEW += "</checkbox>"


def record(state: str, name: str, choice: int, typed: str = "null") -> dict[str, Any]:
    return {"State": state, "new_state_str": name * 20, "Choice": choice, "Input": typed}


def autodroid(folder: Path) -> Path:
    walk = [
        record(LIST, "aa", 0),
        record(NEW, "bb", 1, "hello"),
        record(NEW, "bb", 2),
        record(LIST, "aa", 2),
        record(LIST, "aa", 0),
        record(NEW, "bb", -1),
    ]
    write_json(folder / "utg_notes.json", {"records": walk, "step_num": 6})
    return folder


def test_autodroids_walk_becomes_a_graph(tmp_path):
    assert read(autodroid(tmp_path / "data"), tmp_path / "graph") == {}
    graph = Graph.open(tmp_path / "graph")
    first, second = graph.snapshots["notes"], "notes-bbbbbbbbbbbb"
    edges = {(e.source, e.target, e.golden.action): e.count for e in graph.all_edges()}
    assert edges == {
        (first, second, Tap(540, 60)): 2,
        (second, second, Type("hello", at=(540, 180))): 1,
        (second, first, Tap(540, 300)): 1,
        (first, first, Key("back")): 1,
    }
    screen = graph.screen(second)
    assert screen.texts == ("New\nnote", "Label", "Keep")
    assert screen.get(text="Keep").checked


@needs_shared
def test_the_shared_graphs_are_read(tmp_path):
    release, _ = import_release(SHARED / "autodroid", tmp_path / "graph")
    graph = Graph.open(tmp_path / "graph")
    check_graph(graph)
    assert len(graph.snapshots) == 13
    # The 773 records form 13 walks, and the last record of each walk has no edge.
    contradicting = release.problems.left_out["edges that contradict a more frequent one"]
    assert sum(edge.count for edge in graph.all_edges()) == 760 - contradicting


def test_a_choice_that_is_not_on_the_page_is_named(tmp_path):
    records = [record(LIST, "aa", 9), record(LIST, "aa", -1)]
    write_json(tmp_path / "data" / "utg_notes.json", {"records": records})
    with pytest.raises(GraphError, match=r"utg_notes\.json, entry 1: there is no element 9"):
        read(tmp_path / "data", tmp_path / "graph")


# Our own format.

TAP = {"action": "Tap", "x": 9, "y": 9}
LINES: list[dict[str, Any]] = [
    {"task": "cart", "goal": "Open {it}.", "page": "cart", "level": 2,
     "golden": [{"page": "home", "action": TAP, "boxes": [[0, 0, 20, 20]]}]},
    {"set": "Walks", "licence": "CC0-1.0", "language": "de", "rule": "mobile_bench",
     "start": "home"},
    {"page": "home", "png": "home.png", "xml": "home.xml", "package": "org.shop",
     "time": "2026-05-04T08:30:00"},
    {"page": "cart", "size": [40, 80]},
    {"page": "again", "size": [40, 80], "same": "cart"},
    {"edge": ["cart", "home"], "action": {"action": "Key", "name": "back"}, "count": 3},
]  # fmt: skip


def own(folder: Path, lines: list[dict[str, Any]] = LINES) -> Path:
    write_png(folder / "home.png", (40, 80))
    (folder / "home.xml").write_text("<hierarchy/>", "utf-8")
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


def test_our_own_format_is_read_in_any_order(tmp_path):
    row = read(own(tmp_path / "data"), tmp_path / "graph")["cart"]
    graph = Graph.open(tmp_path / "graph")
    assert (graph.name, graph.licence) == ("Walks", "CC0-1.0")
    assert (graph.language, graph.start) == ("de", "home")
    assert graph.page("home").time == datetime(2026, 5, 4, 8, 30)
    assert graph.equivalent("again", "cart")
    edges = [("cart", "home", 3), ("home", "cart", 1)]
    assert [(each.source, each.target, each.count) for each in graph.all_edges()] == edges
    assert row.task_fields["goal"] == "Open {{it}}."
    assert (row.level, row.rule, row.snapshot, row.golden_steps) == (2, "mobile_bench", "home", 1)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"page": "x", "png": "none.png"}, r"none\.png cannot be read"),
        ({"page": "x", "png": "home.xml"}, r"home\.xml is not a PNG image"),
        ({"page": "x", "png": "../x.png"}, r"'\.\./x\.png' is not a path in"),
        ({"page": "x"}, r"needs a png, or a size"),
        ({"page": "home", "size": [1, 1]}, r"there is already a page 'home'"),
        ({"page": "x", "size": [1, 1], "same": "y"}, r"there is no page 'y'"),
        ({"edge": ["home", "nowhere"], "action": TAP}, r"there is no page 'nowhere'"),
        ({"edge": ["home", "cart"]}, r"has no 'action'"),
        ({"edge": ["home"], "action": TAP}, r"not enough values"),
        ({"task": "t", "goal": "Go.", "page": "nowhere"}, r"there is no page 'nowhere'"),
        ({"task": "t", "page": "home"}, r"there is no 'goal'"),
        ({"pages": "home"}, r"a line must be an object with"),
        ({"page": 3}, r"cannot be of type int"),
    ],
)
def test_a_line_that_is_invalid_is_named(tmp_path, line, why):
    with pytest.raises(GraphError, match=rf"all\.jsonl:7: .*{why}"):
        read(own(tmp_path / "data", [*LINES, line]), tmp_path / "graph")
    assert not (tmp_path / "graph").exists()


# Recognising the format.


def test_the_format_is_recognised_by_the_files(tmp_path):
    made = {
        "mobile3m": copies.mobile3m(tmp_path / "a").parent,
        "mobile_bench_v2": copies.mobile_bench(tmp_path / "b"),
        "coat": copies.aitz(tmp_path / "c"),
        "androidcontrol": androidcontrol(tmp_path / "d"),
        "autodroid": autodroid(tmp_path / "e"),
        "jsonl": own(tmp_path / "f"),
    }
    found = {
        name: type(release_of(path, None, Problems())).__module__ for name, path in made.items()
    }
    assert found == {name: f"pytest_mobileagent.dataset.formats.{name}" for name in made}


def test_a_path_without_a_known_format_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    with pytest.raises(GraphError, match=r"has no known format \(mobile_bench_v2: .*jsonl: "):
        release_of(tmp_path, None, Problems())
    with pytest.raises(GraphError, match=r"nowhere does not exist"):
        release_of(tmp_path / "nowhere", None, Problems())
