"""Tests of a graph's page: which pages and paths it shows, and where each page is placed."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Bounds, Finish, Key, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.report.html import graph_page
from pytest_mobileagent.report.html.page import unpack
from pytest_mobileagent.report.html.show_command import main
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = re.compile(r'<script type="application/octet-stream;base64" id="([^"]+)">([^<]*)</script>')
SIZE = (360, 800)
ROW = Bounds(0, 100, 360, 160)


def write(folder: Path, edges: list[tuple[str, str]], *tasks: dict[str, Any]) -> Path:
    """Write a graph whose pages are linked by taps, or by the back key if a target ends in <."""
    with GraphWriter(folder) as writer:
        writer.head(name="Shop", licence="CC0", source="made up")
        for name in dict.fromkeys(page.rstrip("<") for edge in edges for page in edge):
            screen = make_screen({"text": f"Open {name}", "bounds": "[0,100][360,160]"}, size=SIZE)
            writer.page(name, png=screen.png, xml=screen.xml, activity=f"org.shop.{name}")
        for source, target in edges:
            action = Key("back") if target.endswith("<") else Tap(9, 120)
            boxes = () if target.endswith("<") else (ROW,)
            writer.edge(source, Golden(action, SIZE, boxes), target.rstrip("<"), 2)
        for task in tasks:
            writer.task(task)
    return folder


def blocks(page: Path) -> dict[str, bytes]:
    found = BLOCK.findall(page.read_text("utf-8"))
    return {name: base64.b64decode(text) for name, text in found}


def shown(folder: Path, *words: str) -> dict[str, Any]:
    assert main([str(folder), *words, "--no-browser"], lambda: folder) == 0
    index: dict[str, Any] = unpack(blocks(folder / "graph.html")["index"])
    return index


WAY = [Golden(Tap(9, 120), SIZE, page="home"), Golden(Finish("5"), SIZE, page="cart")]
BUY = {"id": "shop/buy", "goal": "Open the {{cart}}.", "golden": WAY, "page": "cart"}
SHOP = [("home", "cart"), ("home", "list"), ("list", "item"), ("item", "list<"), ("cart", "item")]


def test_pages_have_their_first_text_as_title_and_what_tells_them_apart():
    def screen(*texts):
        rows = [
            {"text": text, "bounds": f"[0,{100 * n}][360,{100 * n + 60}]"}
            for n, text in enumerate(texts)
        ]
        return make_screen(*rows, size=SIZE)

    seen = {
        "a": screen("Learn", "Back", "Saved"),
        "b": screen("Learn", "Back", "Courses"),
        "c": screen("Cart", "Back"),
        "d": None,
    }
    titles = {"a": "Learn · Saved", "b": "Learn · Courses", "c": "Cart", "d": ""}
    assert graph_page._titles(seen) == titles


def test_pages_are_in_columns_by_distance_with_thumbnails_and_edges_in_words(tmp_path, capsys):
    folder = write(tmp_path / "g", [*SHOP, ("lost", "home")], BUY)
    index = shown(folder)
    assert capsys.readouterr().out == f"{folder / 'graph.html'}\n"
    places = {page["id"]: (page["column"], page["row"]) for page in index["pages"]}
    assert places == {
        "home": (0, 0), "cart": (1, 0), "list": (1, 1), "item": (2, 0), "lost": (3, 0),
    }  # fmt: skip
    edges = index["edges"]
    first = next(edge for edge in edges if edge["from"] == "home")
    assert first == {
        "from": "home", "to": "cart", "kind": "tap", "words": 'tap "Open home"', "count": 2,
        "boxes": [list(ROW)],
    }  # fmt: skip
    assert [edge["words"] for edge in edges if edge["kind"] == "back"] == ["key back"]
    pictures = {
        name: data for name, data in blocks(folder / "graph.html").items() if name[1] == ":"
    }
    assert pictures.keys() == {f"p:{name}" for name in ("home", "cart", "list", "item", "lost")}
    assert all(data[8:12] == b"WEBP" for data in pictures.values())
    assert (index["name"], index["total"], index["start"]) == ("Shop", 5, "home")
    assert [path["pages"] for path in index["paths"]] == [["home", "cart"]]


def test_path_of_an_agent_is_drawn(tmp_path, make_episode):
    seen = [
        make_screen("x", size=SIZE, page=page) for page in ("home", "nowhere", "list", "list", "")
    ]
    episode = make_episode(Tap(9, 120), Tap(9, 9), Tap(9, 9), Finish(), screens=tuple(seen))
    folder = write(tmp_path / "g", SHOP)
    with Graph.open(folder) as graph:
        graph_page.write_graph_page(graph, folder / "graph.html", episodes=[episode])
    index: dict[str, Any] = unpack(blocks(folder / "graph.html")["index"])
    (way,) = index["paths"]
    assert way == {
        "kind": "agent", "name": "scripted: suite/task", "goal": "Do it.",
        "pages": ["home", "list", "list"],
    }  # fmt: skip


def test_equal_pages_are_merged(tmp_path):
    with GraphWriter(tmp_path / "g") as writer:
        for name in ("one", "two", "three"):
            writer.page(name, png=None, xml=None, size=SIZE)
        writer.same("two", "one")
        writer.edge("two", Golden(Tap(9, 9), SIZE), "three")
        writer.edge("three", Golden(Key("home"), SIZE), "two")
    index = shown(tmp_path / "g")
    assert {page["id"]: page["also"] for page in index["pages"]} == {"one": ["two"], "three": []}
    assert [(e["from"], e["to"]) for e in index["edges"]] == [("one", "three"), ("three", "one")]


def test_large_graph_shows_the_pages_nearest_to_one(tmp_path, monkeypatch):
    monkeypatch.setattr(graph_page, "_MOST", 4)
    chain = [(f"p{n}", f"p{n + 1}") for n in range(9)]
    golden = [Golden(Tap(9, 9), SIZE, page="p7")]
    far = {"id": "x/far", "goal": "Go.", "golden": golden, "page": "p8"}
    folder = write(tmp_path / "g", chain, far)
    index = shown(folder)
    assert [page["id"] for page in index["pages"]] == ["p0", "p1", "p2", "p3"]
    assert (index["total"], index["paths"]) == (10, [])
    assert [page["id"] for page in shown(folder, "p5")["pages"]] == ["p5", "p6", "p7", "p8"]
    around = shown(folder, "far")
    assert {page["id"] for page in around["pages"]} >= {"p7", "p8"}
    assert [path["name"] for path in around["paths"]] == ["x/far"]


def test_long_column_is_split(tmp_path):
    star = [("home", f"row{n}") for n in range(10)]
    places = [(p["column"], p["row"]) for p in shown(write(tmp_path / "g", star))["pages"]]
    assert len(set(places)) == 11
    assert max(row for _, row in places) < 8


def test_page_with_damaged_picture_is_shown_without_it(tmp_path):
    folder = write(tmp_path / "g", SHOP)
    for picture in (folder / "pages").glob("*.png"):
        picture.write_bytes(picture.read_bytes()[:60])
    assert len(shown(folder)["pages"]) == 4
    assert blocks(folder / "graph.html").keys() == {"index"}


def test_a_page_that_does_not_exist_is_reported(tmp_path, capsys):
    folder = write(tmp_path / "g", SHOP, BUY)
    assert main([str(folder), "nowhere", "--no-browser"], lambda: folder) == 1
    assert capsys.readouterr().err == f"error: {folder} has no page and no task 'nowhere'\n"
