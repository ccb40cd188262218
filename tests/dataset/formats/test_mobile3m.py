"""Tests of reading graphs in Mobile3M's layout, as written by its collector."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.dataset.formats.mobile3m_page import RecordedPage
from pytest_mobileagent.dataset.formats.release import import_release
from pytest_mobileagent.dataset.graph import Graph
from pytest_mobileagent.errors import GraphError
from tests.dataset.formats import copies

if TYPE_CHECKING:
    from pathlib import Path


def imported(path: Path, folder: Path) -> Graph:
    import_release(path, folder)
    return Graph.open(folder)


def test_pages_and_edges_come_over_and_pictures_stay_in_the_users_copy(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    graph = imported(tmp_path / "data", tmp_path / "graph")
    assert len(graph) == 6
    assert (graph.start, graph.language) == ("shop0", "zh")
    assert graph.packages == {copies.PACKAGE}
    edges = {edge.target: edge.golden for edge in graph.all_edges()}
    assert set(edges) == {"shop0_0", "shop0_1", "shop0_0_3", "shop0_0_3_2", "shop0_1_2"}
    assert edges["shop0_0"].action == Tap(180, 250)
    assert edges["shop0_0"].boxes == ((0, 200, 360, 300),)
    assert edges["shop0_1"].action == Type("red shoes", at=(300, 50))
    assert edges["shop0_0_3"].action == Swipe(360, 900, 360, 500)
    assert edges["shop0_0_3"].boxes == ((0, 300, 720, 1100),)
    assert graph.screen("shop0_0").get(text="购物车").bounds == (400, 1100, 700, 1250)
    assert graph.file(graph.page("shop0").png) == app / "shop0" / "shop0-screen.png"
    assert not list((tmp_path / "graph" / "pages").iterdir())


def test_an_element_is_found_by_its_line_or_by_its_words(tmp_path):
    app = copies.mobile3m(tmp_path)
    again = ("Button", "Shoes", "[0,500][360,600]")
    copies.write_page(app, "shop0", copies.SEARCH, copies.SHOES, again, copies.CART)
    golden = RecordedPage(app, "shop0").golden(f"click({copies.line(copies.SHOES)})")
    assert golden is not None
    assert golden.boxes == ((0, 200, 360, 300), (0, 500, 360, 600))  # Any of them may be tapped.
    (app / "shop0" / "shop0-html.txt").unlink()
    golden = RecordedPage(app, "shop0").golden(f"click({copies.line(copies.CART)})")
    assert golden is not None
    assert golden.action == Tap(550, 1175)


def test_a_copy_without_triples_has_its_edges_in_the_files_of_pages(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    actions = json.loads(json.loads((app / "all_action_id.json").read_text("utf-8")))
    words = {number: each for each, number in actions.items()}
    for page in ("shop0", "shop0_0", "shop0_0_3"):
        history = [words[int(each)] for each in page.split("_")[1:]]
        copies.write_json(app / page / f"{page}.json", {"history_actions": history})
    for file in app.glob("all_*.json"):
        file.unlink()
    graph = imported(tmp_path / "data", tmp_path / "graph")
    ways = [("shop0", "shop0_0"), ("shop0_0", "shop0_0_3")]
    assert [(edge.source, edge.target) for edge in graph.all_edges()] == ways


def test_equal_pages_are_those_of_the_data_set(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    equal = {"shop0": "shop0", "shop0_1_2": "shop0_0_3_2", "shop0_0_3_2": "shop0_0_3_2"}
    copies.write_json(app / "data_all2unique.json", equal, twice=True)
    graph = imported(tmp_path / "data", tmp_path / "graph")
    assert graph.equivalent("shop0_1_2", "shop0_0_3_2")
    assert not graph.equivalent("shop0_1_2", "shop0")


def test_missing_pages_are_counted_as_copies_may_have_a_part_of_them(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    copies.write_json(app / "all_triple.json", {"data": [["shop0", 0, "shop0_9"]]})
    release, _ = import_release(tmp_path / "data", tmp_path / "graph")
    lost = {"pages without files": 1, "edges to pages that were left out": 1}
    assert release.problems.left_out == lost
    assert release.problems.first["pages without files"].endswith("all_triple.json, entry 1")


def test_ids_may_be_written_as_texts_and_one_without_words_is_named(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    words = {f"click({copies.line(copies.SHOES)})": "0"}
    copies.write_json(app / "all_action_id.json", words, twice=True)
    copies.write_json(app / "all_triple.json", {"data": [["shop0", "0", "shop0_0"]]})
    graph = imported(tmp_path / "data", tmp_path / "graph")
    assert [edge.target for edge in graph.all_edges()] == ["shop0_0"]
    copies.write_json(app / "all_triple.json", {"data": [["shop0", 77, "shop0_0"]]})
    with pytest.raises(GraphError, match=r"all_triple\.json, entry 1: there is no action 77"):
        imported(tmp_path / "data", tmp_path / "other")


def test_broken_parts_are_named_or_left_out_and_counted(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    (app / "shop0_1" / "shop0_1-screen.png").write_bytes(b"no picture")
    with pytest.raises(GraphError, match=r"all_page_id\.json: shop0_1-screen\.png is not a PNG"):
        imported(tmp_path / "data", tmp_path / "graph")
    assert not (tmp_path / "graph").exists()
    release, _ = import_release(tmp_path / "data", tmp_path / "graph", skip=True)
    graph = Graph.open(tmp_path / "graph")
    assert len(graph) == 5
    assert {edge.target for edge in graph.all_edges()} == {"shop0_0", "shop0_0_3", "shop0_0_3_2"}
    lost = {"pages with a broken picture": 1, "edges to pages that were left out": 1}
    assert release.problems.left_out == lost


def test_an_action_on_no_element_of_its_page_is_left_out(tmp_path):
    app = copies.mobile3m(tmp_path / "data")
    copies.write_page(app, "shop0", copies.SEARCH)
    release, _ = import_release(tmp_path / "data", tmp_path / "graph")
    assert release.problems.left_out == {"edges whose element is not on their page": 1}


def test_two_folders_of_an_app_are_refused(tmp_path):
    copies.mobile3m(tmp_path / "data").rename(tmp_path / "data" / "shop_graph_8101")
    copies.mobile3m(tmp_path / "data")
    with pytest.raises(GraphError, match=r"shop_graph_8101: shop_graph_8100 has pages of the same"):
        imported(tmp_path / "data", tmp_path / "graph")
