"""Tests of flaws in recorded pages: each is described in one line that says where it is."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from pytest_mobileagent import Finish, Key, Tap
from pytest_mobileagent.action.matching import Golden, golden_to_json
from pytest_mobileagent.dataset.graph import Graph, check_graph, flaws
from pytest_mobileagent.dataset.graph.checks import flaws_of_path
from pytest_mobileagent.errors import GraphError
from tests.dataset.graph.conftest import SIZE

NOTE = "UPDATE pages SET {} WHERE id = 'note'"
TAP = '{"action": {"action": "Tap", "x": 1}, "size": [9, 9]}'
CHANGES = {
    "UPDATE edges SET target = 'gone' WHERE target = 'blind'":
        "edges, row 3: it leads from page 'note' to 'gone', but there is no page 'gone'",
    "DELETE FROM pages WHERE id = 'home'": "`start` is 'home', which is not a page of the graph",
    "UPDATE pages SET same = 'home2' WHERE id = 'home'":
        "page 'home2': it is the same as 'home', which is the same as 'home2': name one for",
    NOTE.format("same = 'gone'"): "page 'note': it is the same as 'gone', which is not a page",
    NOTE.format("time = 'yesterday'"): "page 'note': its row is invalid",
    NOTE.format("png = 'pages/gone.png'"): "page 'note': .*No such file",
    NOTE.format("xml = 'pages/gone.xml'"): "page 'note': there is no file .*pages/gone.xml",
    NOTE.format("width = 720"): "page 'note': .* is 1080x2400 pixels, not 720x2400",
    NOTE.format("png = xml"): "page 'note': .* is not a PNG image: it begins b'<hierarchy",
    f"UPDATE edges SET golden = '{TAP}'":
        r"edges, row 1 \(from page 'home'\): .* is not an action with valid fields",
}  # fmt: skip


@pytest.mark.parametrize(("change", "says"), CHANGES.items())
def test_a_broken_index_is_named_with_its_row(folder, change, says):
    with closing(sqlite3.connect(folder / "graph.sqlite")) as index, index:
        index.execute(change)
    with Graph.open(folder) as graph, pytest.raises(GraphError, match=says) as error:
        check_graph(graph)
    assert "\n" not in str(error.value)


PATH = [Golden(Tap(500, 150), SIZE, page="home"), Golden(Finish(), SIZE, page="note")]


def at(page: str) -> Golden:
    return Golden(Tap(1, 2), SIZE, page=page)


def row(golden: list[Golden], **fields: Any) -> dict[str, Any]:
    return {"goal": "Go.", "golden": [golden_to_json(each) for each in golden], **fields}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (["{"], "tasks.jsonl, line 1: it is not a task"),
        ([[]], "tasks.jsonl, line 1: it is not a task"),
        ([row([], snapshot=["home"])], "line 1: it is not a task: it.snapshot cannot be of type"),
        ([row([], page=10**30)], "line 1: it is not a task: it.page cannot be of type int"),
        ([{"golden": [{"action": {"action": "Fly"}, "size": [1, 1]}]}], "line 1: it is not a task"),
        ([row(PATH, id="a"), row(PATH, id="b")], "line 2: the task in line 1 has the same golden"),
        ([row(PATH, id="a"), row(PATH[:1], id="a")], "line 2: the task 'a' is also in line 1"),
        ([row([at("gone")])], "line 1: step 1 of its golden path is on page 'gone', which"),
        ([row([at("blind"), PATH[0]])], "step 1 of its golden path leads from page 'blind' to 'h"),
        ([row(PATH, snapshot="gone")], "line 1: it starts at 'gone', which is neither"),
        ([row(PATH, page="gone")], "line 1: it is done on page 'gone'"),
    ],
)
def test_a_broken_table_of_tasks_is_named_with_its_line(folder, table, says):
    lines = [each if isinstance(each, str) else json.dumps(each) for each in table]
    (folder / "tasks.jsonl").write_text("\n".join(lines))
    with Graph.open(folder) as graph, pytest.raises(GraphError, match=says):
        check_graph(graph)


def test_a_path_may_start_at_a_snapshot_and_go_on_from_an_equal_page(notes):
    assert list(flaws(notes)) == []
    back = [Golden(Key("back"), SIZE, page="note"), Golden(Tap(5, 6), SIZE, page="home")]
    assert list(flaws_of_path(notes, back, "new", "home2")) == []
    # The golden action names no page.
    assert list(flaws_of_path(notes, [Golden(Tap(5, 6), SIZE)])) == []
