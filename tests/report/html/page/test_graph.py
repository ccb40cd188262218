"""Tests of a graph's page in a real browser: by pointer, by keyboard, and with hostile texts."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent.report.html.page import shell
from tests.flaws import flaws
from tests.report.html.page.conftest import HOSTILE, Reader, packed

pytestmark = pytest.mark.slow  # starts a browser


def page(name: str, column: int, row: int = 0, **fields: Any) -> dict[str, Any]:
    return {"id": name, "package": "org.shop", "activity": f"org.shop.{name}", "size": [360, 800],
            "column": column, "row": row, "also": [], **fields}  # fmt: skip


def edge(source: str, target: str, kind: str = "tap", **fields: Any) -> dict[str, Any]:
    words = f"{kind} {target}"
    return {"from": source, "to": target, "kind": kind, "words": words, "count": 1,
            "boxes": [[0, 100, 360, 160]], **fields}  # fmt: skip


PAGES = [page("home", 0), page("list", 1), page("cart", 1, 1), page("item", 2)]
EDGES = [edge("home", "list"), edge("home", "cart"), edge("list", "item", count=3),
         edge("item", "list", "back"), edge("home", "home", "scroll")]  # fmt: skip
PATHS = [
    {"kind": "golden", "name": "buy", "goal": "Buy {{it}}.", "pages": ["home", "list", "item"]},
    {"kind": "agent", "name": "mine: buy", "goal": "Buy it.", "pages": ["home", "home", "cart"]},
]


@pytest.fixture
def read(chrome, tmp_path):
    """Yield a function that opens the page of an invented graph."""
    readers: list[Reader] = []

    def open_(pages: Any = PAGES, edges: Any = EDGES, paths: Any = PATHS, **fields: Any) -> Reader:
        index = {"version": 1, "name": "Shop", "licence": "CC0", "source": "", "start": "home",
                 "around": "", "total": len(pages), "pages": pages, "edges": edges, "paths": paths,
                 **fields}  # fmt: skip
        small = io.BytesIO()
        Image.new("RGB", (90, 200), "teal").save(small, "WEBP")
        before, after = shell("Shop", kind="graph")
        data = packed("index", index) + packed("p:home", small.getvalue())
        path = tmp_path / "graph.html"
        path.write_bytes(before + b"\n" + data + after)
        readers.append(Reader(chrome, path))
        return readers[-1]

    yield open_
    severe = [each for each in chrome.get_log("browser") if each["level"] == "SEVERE"]
    assert severe == []


def test_map_opens_with_the_first_page_selected(read):
    reader = read()
    reader.sees("#about", "4 pages · 5 actions · licence: CC0")
    assert reader.ask("document.querySelectorAll('.node').length") == 4
    assert reader.ask("document.querySelectorAll('#sheet > svg > path').length") == 4
    assert reader.ask("document.querySelectorAll('.way.golden').length") == 2  # the first path
    reader.sees("#page", "home")
    reader.sees("#page", "3 ACTIONS FROM HERE")  # CSS shows it in capitals.
    reader.sees("#page", "tap list")
    reader.sees("#page", "stays here")
    reader.until("document.querySelector('#page img').naturalWidth === 90")
    assert reader.texts(".node .gone") == ["no picture"] * 3
    assert flaws(reader.chrome) == []


def test_the_graph_can_be_navigated_by_keys_and_links(read):
    reader = read()
    reader.sees("#page", "tap list")
    reader.ask("(document.querySelector('#page li button').focus(), 1)")
    reader.until("document.querySelectorAll('#boxes rect').length === 1")
    reader.click("#page li button")
    reader.sees("#page h2", "list")
    reader.sees("#page", "to item · 3 times")
    reader.ask("(document.querySelector('.node').focus(), 1)")
    for key, title in (("\ue014", "list"), ("\ue015", "cart"), ("\ue014", "item")):
        reader.press(key)
        reader.sees("#page h2", title)
    chosen = "document.querySelectorAll('.node[aria-pressed=true]')"
    assert reader.ask(f"{chosen}.length") == 1
    assert reader.ask(f"{chosen}[0].title") == "item"
    assert reader.ask(f"{chosen}[0] === document.activeElement")


def test_golden_path_is_drawn_and_numbered(read):
    reader = read()
    reader.sees("#path", "Golden path: buy")
    choose = "document.querySelector('#path')"
    change = f"{choose}.dispatchEvent(new Event('change'))"
    reader.ask(f"({choose}.value = '0', {change})")
    reader.sees("#goal", "Buy {it}.")
    assert reader.ask("document.querySelectorAll('.way.golden').length") == 2
    assert reader.texts(".node.on-path .number") == ["1", "2", "3"]
    reader.ask(f"({choose}.value = '1', {change})")
    assert reader.ask("document.querySelectorAll('.way.agent').length") == 1
    assert reader.texts(".node.on-path .number") == ["1 2", "3"]
    reader.ask(f"({choose}.value = '', {change})")
    assert reader.ask("document.querySelectorAll('.way, .number').length") == 0


def test_pages_can_be_searched_and_action_kinds_hidden(read):
    reader = read()
    reader.sees("#kinds", "back 1")
    visible = "[...document.querySelectorAll('#sheet .edge')].filter((e) => e.style.display === '')"
    assert reader.ask(f"{visible}.length") == 3  # The back key is initially hidden.
    reader.click("#kinds input[value=back]")
    assert reader.ask(f"{visible}.length") == 4
    reader.ask("(document.querySelector('#query').focus(), 1)")
    reader.press(*"item", "\ue007")
    reader.sees("#count", "1 of 4 pages")
    reader.sees("#page h2", "item")
    assert reader.ask("document.querySelectorAll('.node.faint').length") == 3


def test_hostile_texts_are_shown_as_text(read):
    hostile = [page("home", 0), page(HOSTILE, 1, activity=HOSTILE, package=HOSTILE, also=[HOSTILE])]
    ways = [{"kind": "golden", "name": HOSTILE, "goal": HOSTILE, "pages": ["home", HOSTILE]}]
    reader = read(
        hostile,
        [edge("home", HOSTILE, words=HOSTILE)],
        ways,
        licence=HOSTILE,
        total=12_345,
        around="list",
    )
    reader.sees("#about", "2 of 12,345 pages, those nearest to list")
    reader.sees("#page", "</script>")
    reader.click("#page li button")
    reader.sees("#page h2", "exe")
    assert reader.ask("document.title") == "Shop"
    assert reader.ask("document.images.length") == 1


def test_four_hundred_pages_are_drawn_quickly(read):
    pages = [page(f"p{n}", n // 8, n % 8) for n in range(400)]
    edges = [edge(f"p{n}", f"p{(7 * n + k) % 400}") for n in range(400) for k in range(5)]
    reader = read(pages, edges, [], start="p0")
    reader.until("document.querySelectorAll('.node').length === 400")
    assert reader.ask("performance.now()") < 20_000
