"""Fixtures for graphs: a small graph of recorded pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Bounds, Key, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZE = (1080, 2400)
APP = "org.example.notes"
NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
HOME = make_screen("Notes", "New", size=SIZE, package=APP, shade=20)
NOTE = make_screen("Title", "Save", size=SIZE, package=APP, shade=40)
BUTTON = Bounds(0, 100, 1080, 200)


def write_notes(folder: Path) -> None:
    """Write a graph with a list of notes, a new note, and a list that looks the same."""
    with GraphWriter(folder) as writer:
        writer.head(name="notes", language="en", licence="Apache-2.0", snapshots={"new": "note"})
        writer.page("home", png=HOME.png, xml=HOME.xml, package=APP, activity=".Home", time=NOON)
        writer.page("note", png=NOTE.png, xml=NOTE.xml, package=APP)
        writer.page("home2", png=HOME.png, xml=None, package=APP)
        writer.page("blind", png=None, xml=NOTE.xml, size=SIZE)
        writer.same("home2", "home")
        writer.edge("home", Golden(Tap(500, 150), SIZE, (BUTTON,)), "note", count=3)
        writer.edge("note", Golden(Key("back"), SIZE), "home2")
        writer.edge("note", Golden(Tap(500, 150), SIZE), "blind")
        steps = [Golden(Tap(500, 150), SIZE, page="home"), Golden(Key("back"), SIZE, page="note")]
        writer.task({"id": "a", "goal": "Open a note.", "golden": steps[:1], "page": "note"})
        writer.task({"id": "b", "goal": "Look.", "golden": steps, "page": "home"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of the small graph."""
    write_notes(tmp_path / "notes.graph")
    return tmp_path / "notes.graph"


@pytest.fixture
def notes(folder: Path) -> Iterator[Graph]:
    """Yield the small graph, opened."""
    with Graph.open(folder) as graph:
        yield graph
