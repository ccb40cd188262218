"""Tests of recorded pages, which are read from disk one page at a time."""

import json
import sqlite3
from contextlib import closing

import pytest

from pytest_mobileagent import Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.errors import GraphError
from tests.dataset.graph.conftest import APP, BUTTON, HOME, NOON, NOTE, SIZE


def test_a_graph_is_read_as_it_was_written(notes, folder):
    assert (notes.name, notes.language, notes.licence) == ("notes", "en", "Apache-2.0")
    assert (notes.rule, notes.start, notes.snapshots) == ("graph", "home", {"new": "note"})
    assert notes.packages == {APP}
    page = notes.page("home")
    assert (page.package, page.activity, page.time, page.size) == (APP, ".Home", NOON, SIZE)
    screen = notes.screen("home")
    assert (screen.png, screen.xml, screen.page) == (HOME.png, HOME.xml, "home")
    assert (screen.package, screen.activity, screen.time) == (APP, ".Home", NOON)
    (edge,) = notes.edges("home")
    assert edge.golden == Golden(Tap(500, 150), SIZE, (BUTTON,), "home")
    assert (edge.source, edge.target, edge.count) == ("home", "note", 3)
    assert [each.target for each in notes.edges("note")] == ["home2", "blind"]
    assert notes.edges("blind") == []
    assert len(list((folder / "pages").glob("*.png"))) == 2  # Equal pages share theirs.
    with pytest.raises(GraphError, match="has no page 'nowhere'"):
        notes.screen("nowhere")


def test_pages_that_are_equal_are_known_as_such(notes):
    assert notes.equivalent("home", "home2")
    assert not notes.equivalent("home", "note")
    assert notes.same("home") == notes.screen("home").same == ("home2",)
    assert notes.same("home2") == ("home",)
    assert notes.same("note") == ()


def test_a_page_without_picture_is_white_and_one_without_hierarchy_has_no_elements(notes):
    blind = notes.screen("blind")
    assert blind.size == blind.image.size == SIZE
    assert blind.image.getcolors() == [(SIZE[0] * SIZE[1], (255, 255, 255))]
    assert blind.texts == NOTE.texts
    bare = notes.screen("home2")
    assert (bare.png, bare.elements) == (HOME.png, ())


def test_pages_and_edges_can_be_gone_through_one_at_a_time(notes):
    assert len(notes) == 4
    assert {page.id for page in notes.pages()} == {"home", "note", "home2", "blind"}
    assert [edge.source for edge in notes.all_edges()] == ["home", "note", "note"]
    assert "home" in notes
    assert "nowhere" not in notes


def test_pages_may_refer_to_the_users_own_copy(tmp_path):
    copy = tmp_path / "release"
    (copy / "app").mkdir(parents=True)
    (copy / "app" / "0-screen.png").write_bytes(HOME.png)
    (copy / "app" / "0-xml.txt").write_text(HOME.xml)
    with GraphWriter(tmp_path / "graph", files=copy) as writer:
        writer.page("0", png=copy / "app" / "0-screen.png", xml=copy / "app" / "0-xml.txt")
    with Graph.open(tmp_path / "graph") as graph:
        assert graph.screen("0").texts == HOME.texts
        assert not list((tmp_path / "graph" / "pages").iterdir())
        (copy / "app" / "0-screen.png").unlink()
        with pytest.raises(GraphError, match=r"page '0' .* cannot be read: .*0-screen\.png"):
            graph.screen("0")


def test_a_page_reads_no_file_of_others(notes):
    for path, says in (
        ("../secret.xml", "is not a path in"),
        ("/etc/secret.xml", "is not a path in"),
        ("files:secret.xml", "has no folder `files`"),
        ("pages/secret.key", "must end with"),
    ):
        with pytest.raises(GraphError, match=says):
            notes.file(path)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (None, "does not contain a graph: there is no graph.json"),
        ("{", "graph.json cannot be read"),
        ({"format": 2}, "this version reads graphs of format 1, not 2"),
        ({"format": 1, "packages": "com.example"}, "graph.json.packages cannot be of type str"),
        ({"format": 1, "snapshots": {"a": 1}}, "graph.json.snapshots.a cannot be of type int"),
    ],
)
def test_a_broken_head_is_named(folder, head, says):
    if head is None:
        (folder / "graph.json").unlink()
    else:
        text = head if isinstance(head, str) else json.dumps(head)
        (folder / "graph.json").write_text(text)
    with pytest.raises(GraphError, match=says):
        Graph.open(folder)


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_an_invalid_index_is_named(folder, content):
    (folder / "graph.sqlite").unlink()
    if content is not None:
        (folder / "graph.sqlite").write_bytes(content)
    with pytest.raises(GraphError, match=r"graph\.sqlite cannot be read: "):
        Graph.open(folder)


def test_an_invalid_picture_or_hierarchy_is_an_error_of_the_graph(folder):
    with Graph.open(folder) as graph:
        path = graph.file(graph.page("note").png)
        png = path.read_bytes()
        for damaged, says in (
            (png[:-20], "is damaged: it is cut off after"),
            (b"GIF89a" + png, "is not a PNG image: it begins b'GIF89a"),
            (png[:60] + b"?" + png[61:], "has a wrong checksum"),
            (b"", "is not a PNG image"),
        ):
            path.write_bytes(damaged)
            with pytest.raises(GraphError, match=says):
                graph.screen("note")
        path.write_bytes(png)
        graph.file(graph.page("note").xml).write_text("<html>")
        with pytest.raises(GraphError, match=r"page 'note' of .*: not a view hierarchy"):
            graph.screen("note")


def test_an_invalid_edge_is_named_with_its_row(folder):
    with closing(sqlite3.connect(folder / "graph.sqlite")) as index, index:
        index.execute("UPDATE edges SET golden = ? WHERE target = 'home2'", ('{"action": {}}',))
    with Graph.open(folder) as graph, pytest.raises(GraphError, match=r"edges, row 2 \(from page"):
        graph.edges("note")
