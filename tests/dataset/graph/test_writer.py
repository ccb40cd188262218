"""Tests that a graph of recorded pages is written completely or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from pytest_mobileagent import Key
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.errors import GraphError, HostError
from tests.dataset.graph.conftest import HOME, NOTE, SIZE

BACK = Golden(Key("back"), SIZE)


def add_page(writer: GraphWriter, *, twice: bool = False, **fields: Any) -> GraphWriter:
    for _ in range(1 + twice):
        writer.page("x", **({"png": HOME.png, "xml": HOME.xml} | fields))
    return writer


def test_an_existing_graph_is_replaced_only_on_request_and_nothing_else(folder):
    with pytest.raises(GraphError, match="a graph already exists"), GraphWriter(folder):
        pass
    with GraphWriter(folder, replaces=True) as writer:
        writer.page("only", png=HOME.png, xml=HOME.xml)
    with Graph.open(folder) as graph:
        assert [page.id for page in graph.pages()] == ["only"]
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    (folder.parent / "thesis").mkdir()
    (folder.parent / "file").touch()
    with pytest.raises(GraphError, match="something already exists"):
        GraphWriter(folder.parent / "thesis", replaces=True).__enter__()
    with pytest.raises(HostError, match="cannot write a graph to"):
        GraphWriter(folder.parent / "file" / "g").__enter__()


_KILLED = """
import os, sys
from pathlib import Path
from tests.dataset.graph.conftest import HOME
from pytest_mobileagent.dataset.graph import GraphWriter

name, count = sys.argv[2], [int(sys.argv[3])]
original = getattr(Path, name)

def dies(self, *given, **named):
    count[0] -= 1
    if not count[0]:
        os._exit(9)
    return original(self, *given, **named)

with GraphWriter(Path(sys.argv[1]), replaces=True) as writer:
    setattr(Path, name, dies)
    writer.page("one", png=HOME.png, xml=HOME.xml)
    writer.page("two", png=HOME.png, xml=HOME.xml + " ")
"""


# Killed before writing the second file or the head, or before moving the old or the new graph.
# Killed before writing the second file or the head, or before moving the old or the new graph.
@pytest.mark.parametrize(
    ("call", "number"), [("write_bytes", 2), ("replace", 1), ("rename", 1), ("rename", 2)]
)
def test_a_writer_killed_at_any_moment_leaves_a_graph_whole_or_absent(folder, call, number):
    command = [sys.executable, "-c", _KILLED, str(folder), call, str(number)]
    assert subprocess.run(command, check=False).returncode == 9
    assert folder.exists() is ((call, number) != ("rename", 2))
    with pytest.raises(GraphError, match="a graph already exists"):  # It is there or restored.
        GraphWriter(folder).__enter__()
    with Graph.open(folder) as graph:
        assert (len(graph), graph.screen("note").png) == (4, NOTE.png)
    with GraphWriter(folder, replaces=True) as writer:  # The next writer cleans up and takes over.
        writer.page("new", png=HOME.png, xml=HOME.xml)
    with Graph.open(folder) as graph:
        assert [page.id for page in graph.pages()] == ["new"]
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_a_graph_appears_when_all_of_it_is_there_and_two_writers_do_not_mix(tmp_path):
    with GraphWriter(tmp_path / "g") as writer:
        writer.page("home", png=HOME.png, xml=HOME.xml)
        assert "home" in writer
        assert not (tmp_path / "g").exists()
        with pytest.raises(GraphError, match="is being written by another"):
            GraphWriter(tmp_path / "g").__enter__()
    assert len(Graph.open(tmp_path / "g")) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["g"]


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda w: add_page(w, twice=True), "there is already a page 'x'"),
        (lambda w: add_page(w, png=None), "page 'x' has no picture, and no size"),
        (lambda w: add_page(w, png=b"GIF89a"), "its picture is not a PNG image: it begins b'GIF8"),
        (lambda w: w.page("", png=None, xml=None), "a page needs an id"),
        (lambda w: add_page(w).edge("x", BACK, "y"), "row 1: it leads from page 'x' to 'y', but"),
        (lambda w: add_page(w).head(start="y"), "`start` is 'y', which is not a page"),
        (lambda _: None, "has no pages"),
    ],
)
def test_invalid_parts_of_a_graph_are_refused(tmp_path, write, says):
    with pytest.raises(GraphError, match=says), GraphWriter(tmp_path / "g") as writer:
        write(writer)
    assert not list(tmp_path.iterdir())


def test_pages_equal_in_a_cycle_have_one_representative(tmp_path):
    with GraphWriter(tmp_path / "g") as writer:
        for number, name in enumerate("abcd"):
            writer.page(name, png=HOME.png, xml=f"{HOME.xml}<!-- {number} -->")
        for one, other in ("ab", "bc", "ca"):
            writer.same(one, other)
    with Graph.open(tmp_path / "g") as graph:
        assert set(graph.same("a")) == {"b", "c"}
        assert graph.same("d") == ()


def test_a_table_of_tasks_is_plain_json(folder):
    lines = (folder / "tasks.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "b"]
    assert json.loads(lines[0])["golden"][0]["page"] == "home"
