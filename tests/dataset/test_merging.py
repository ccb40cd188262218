"""Tests of merging episodes into a graph: equal pages are joined, the more frequent way is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Bounds, Case, Screen, Step, Task
from pytest_mobileagent.action import Ask, Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.dataset.graph import Graph, GraphWriter, check_graph
from pytest_mobileagent.dataset.merging import EXPLORATION, SEVERAL, Merger, boxes_of
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent import Action, Episode
    from pytest_mobileagent.dataset.merging import MergeSummary

    Way = Sequence[tuple[str, Action | list[Action]]]

SIZE = (360, 800)
NOON = datetime(2026, 11, 20, 12)
# A list whose rows lead to pages with the same words, a dialog, and a page with a text field.
PAGES = {
    "list": [("Ana", 100), ("Ben", 200), ("New", 700)],
    "ana": [("Ana", 20), ("Call", 300)],
    "ben": [("Ben", 20), ("Call", 300)],
    "dialog": [("Rate this app?", 300), ("Not now", 400)],
    "new": [("Name", 100), ("Save", 700)],
}
ANA, BEN, NEW, CALL, SAVE = Tap(50, 120), Tap(50, 220), Tap(50, 720), Tap(50, 320), Tap(50, 720)


def page(name: str, minutes: int = 0) -> Screen:
    """Return a page as shown some minutes after noon; its clock shows the time."""
    time = NOON + timedelta(minutes=minutes)
    rows = [(f"{time:%H:%M}", 0), *PAGES[name]]
    nodes = [
        {"text": text, "bounds": f"[0,{top}][360,{top + 60}]", "clickable": "true"}
        for text, top in rows
    ]
    return make_screen(*nodes, size=SIZE, shade=180, time=time, package="org.people",
                       activity=f"org.people.{name.title()}Activity")  # fmt: skip


@pytest.fixture
def walked(make_episode: Callable[..., Episode]) -> Callable[..., Episode]:
    """Return a function that makes an episode from pages, the actions on each, and a last page."""

    def make(way: Way, end: str = "", task: str = "people/call", **fields: Any) -> Episode:
        minutes = fields.pop("minutes", 0)
        shown = tuple(page(name, minutes + n) for n, (name, _) in enumerate(way))
        last = page(end, minutes + len(way)) if end else shown[-1]
        steps = tuple(
            Step(screen, tuple(done if isinstance(done, list) else [done]))
            for screen, (_, done) in zip(shown, way, strict=True)
        )
        given = fields.pop("of", Task("Call Ana at {noon}."))
        case = Case(given, task, environment=fields.pop("environment", None))
        return make_episode(steps=steps, screen=last, case=case, goal="Call {Ana}.", **fields)

    return make


def merge(folder: Path, *episodes: Episode | tuple[Episode, bool]) -> MergeSummary:
    with GraphWriter(folder, replaces=True) as writer:
        merger = Merger(writer)
        for each in episodes:
            merger.add(*(each if isinstance(each, tuple) else (each, True)))
        merged = merger.finish()
    with Graph.open(folder) as graph:
        check_graph(graph)
    return merged


CALLED: Way = [("list", ANA), ("ana", CALL), ("ana", Finish())]


def test_equal_pages_become_one(walked, tmp_path):
    around: Way = [("list", BEN), ("ben", Key("back")), ("list", Tap(300, 110)), ("ana", Finish())]
    merged = merge(tmp_path / "g", walked(CALLED), walked(around, minutes=50, task="people/look"))
    assert (merged.episodes, merged.screens, merged.pages) == (2, 7, 3)
    assert (merged.edges, merged.tasks, merged.contradictions) == (4, 2, [])
    with Graph.open(tmp_path / "g") as graph:
        assert graph.screen(graph.start).activity.endswith("ListActivity")
        edges = {edge.golden.boxes[0].top: edge for edge in graph.edges(graph.start)}
        assert {top: (e.count, e.golden.action) for top, e in edges.items()} == {
            100: (2, ANA),  # Wherever the row is tapped, the edge is the same.
            200: (1, BEN),
        }
        names = {page.id for page in graph.pages()}
    merge(tmp_path / "one", walked(CALLED))
    with Graph.open(tmp_path / "one") as one:  # Names of pages stay when more is merged.
        assert {each.id for each in one.pages()} < names


def test_pages_of_which_no_screenshot_was_taken_have_its_size(walked, tmp_path):
    episode = walked(CALLED)
    steps = tuple(replace(each, screen=unseen(each.screen)) for each in episode.steps)
    merge(tmp_path / "g", replace(episode, steps=steps, screen=unseen(episode.screen)))
    with Graph.open(tmp_path / "g") as graph:
        assert {(page.png, page.size) for page in graph.pages()} == {("", SIZE)}
        assert len(graph) == 2


def unseen(screen: Screen) -> Screen:
    return replace(screen, png=b"", extent=screen.size)


def test_the_more_frequent_edge_is_kept_and_both_are_listed(walked, tmp_path):
    asked: Way = [("list", ANA), ("dialog", Tap(50, 420)), ("ana", Finish())]
    others = [(walked(asked, task=f"people/{n}"), True) for n in range(2)]
    merged = merge(tmp_path / "g", walked(CALLED), *others)
    (each,) = merged.contradictions
    assert each.page.startswith("ListActivity-")
    assert each.action == "Tap(x=50, y=120)"
    targets = [(name.partition("-")[0], n) for name, n in each.targets]
    assert targets == [("DialogActivity", 2), ("AnaActivity", 1)]
    with Graph.open(tmp_path / "g") as graph:
        (edge,) = graph.edges(graph.start)
        assert (edge.target, edge.count) == each.targets[0]
    # This episode's path now leads elsewhere; of the two equal ones, only one is kept.
    assert merged.tasks == 1
    assert sorted(merged.left_out.values()) == [1, 1]


def test_a_task_has_the_shortest_way_that_met_its_goal(walked, tmp_path):
    long: Way = [("list", BEN), ("ben", Key("back")), *CALLED]
    failed: Way = [("list", NEW), ("new", Finish())]
    merge(tmp_path / "g", walked(long), walked(CALLED, minutes=30), (walked(failed), False))
    (line,) = (tmp_path / "g" / "tasks.jsonl").read_text("utf-8").splitlines()
    row = json.loads(line)
    assert [each["action"]["action"] for each in row["golden"]] == ["Tap", "Tap", "Finish"]
    assert row["golden"][0]["boxes"] == [[0, 100, 360, 160]]
    assert (row["id"], row["golden_steps"]) == ("people/call", 2)
    assert row["goal"] == "Call {{Ana}}."
    ends = [row[name].partition("-")[0] for name in ("snapshot", "page")]
    assert ends == ["ListActivity", "AnaActivity"]


def test_episodes_that_add_pages_but_no_task(walked, tmp_path):
    explored = Task("Look around.", tags=(EXPLORATION,))
    merged = merge(
        tmp_path / "g",
        walked([("list", NEW), ("new", Finish())], of=explored, task="people/explore"),
        walked(CALLED, environment="dark"),
        walked([("ben", Finish())], environment="dark"),
    )
    assert (merged.pages, merged.edges, merged.tasks) == (4, 3, 0)
    with Graph.open(tmp_path / "g") as graph:
        assert graph.start.startswith("ListActivity-")


def test_steps_that_a_graph_cannot_contain(walked, tmp_path):
    several: Way = [("list", [ANA, CALL]), ("ana", Finish())]
    asking: Way = [("list", Ask("Which Ana?")), ("list", ANA), ("ana", Finish())]
    merged = merge(tmp_path / "g", walked(several), walked(asking, task="people/ask"))
    assert merged.left_out == {SEVERAL: 1, "questions to the user": 1}
    assert (merged.edges, merged.tasks) == (1, 0)


def test_a_record_that_stops_behind_an_action_has_no_edge_for_it(walked, tmp_path):
    merged = merge(tmp_path / "g", walked([("list", NEW), ("new", SAVE)]))
    assert (merged.pages, merged.edges) == (2, 1)
    merged = merge(tmp_path / "g", walked([("list", NEW), ("new", SAVE)], end="list"))
    assert (merged.pages, merged.edges) == (2, 2)


@pytest.mark.parametrize(
    ("action", "box"),
    [
        (Tap(50, 150), Bounds(0, 100, 360, 300)),  # the row, not the text inside it
        (Tap(330, 150), Bounds(300, 120, 360, 200)),  # the button inside the row
        (Tap(50, 500), Bounds(0, 90, 360, 580)),  # No clickable element is there.
        (Type("x", at=(50, 650)), Bounds(0, 600, 360, 700)),
        (Scroll("up", at=(50, 150)), Bounds(0, 90, 360, 580)),
        (Swipe(50, 150, 50, 20), Bounds(0, 90, 360, 580)),
        (Scroll("up"), None),
        (Key("back"), None),
    ],
)
def test_the_box_of_an_action_is_what_it_was_meant_for(action, box):
    xml = """<hierarchy><node bounds="[0,0][360,800]">
      <node bounds="[0,90][360,580]" scrollable="true">
        <node bounds="[0,100][360,300]" clickable="true">
          <node bounds="[0,120][200,180]" text="Ana" />
          <node bounds="[300,120][360,200]" clickable="true" />
        </node>
      </node>
      <node bounds="[0,600][360,700]" focusable="true" class="android.widget.EditText" />
    </node></hierarchy>"""
    screen = Screen(xml, b"")
    assert boxes_of(action, screen) == (() if box is None else (box,))
