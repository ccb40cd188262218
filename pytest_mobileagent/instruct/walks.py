"""Routes on graphs of recorded pages: random walks without detours from a start page.

Mobile3M's graphs have millions of pages (arXiv 2505.11891, appendix A), so routes are not
enumerated but found by seeded random walks. A walk never visits equal pages twice, and never takes
several steps where one suffices.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from pytest_mobileagent._task.table import rows
from pytest_mobileagent.dataset.graph import Edge, Graph
from pytest_mobileagent.dataset.graph.store import TASKS
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.instruct.routes import Route
from pytest_mobileagent.jsonable import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent.instruct.routes import Wanted
    from pytest_mobileagent.screen.screen import Screen

_WALKS = 40  # walks for each wanted route
_PATIENCE = 50  # consecutive walks without a new route after which a start page is abandoned
_FARTHEST = 20_000  # pages that a search for the shortest path visits at most
_CACHED = 50_000  # pages whose edges are cached


def graph_routes(
    graph: Graph, wanted: Wanted, seed: int, start: str = "", end: str = ""
) -> Iterator[Route]:
    """Yield routes on a graph from the page `start`, or else from its or its tasks' start pages.

    If `end` is given, they end on that page or an equal one.

    Raises:
        TaskError: if the graph has no such page, has no start page, or the two pages are equal.
        GraphError: if the graph cannot be read.
    """
    if missing := [page for page in (start, end) if page and page not in graph]:
        msg = f"{graph.folder} has no page {missing[0]!r}: --start and --end are page ids"
        raise TaskError(msg)
    own = [graph.start, *graph.snapshots.values(), *_starts_of_tasks(graph)]
    starts = [start] if start else list(dict.fromkeys(page for page in own if page))
    if not starts:
        raise TaskError(f"{graph.folder} has no start page: name a page with --start")
    if end and all(graph.equivalent(each, end) for each in starts):
        msg = f"a path of one page: --start and --end are equal, {end!r} in {graph.folder}"
        raise TaskError(msg)
    walker, walks = _Walker(graph), _WALKS * wanted.most
    chance, seen = random.Random(seed), set[str]()
    for first in starts:
        steps = walker.distances(first, wanted.most_steps)
        fruitless = 0
        while walks and fruitless < _PATIENCE:
            walks, fruitless = walks - 1, fruitless + 1
            most = chance.randint(wanted.least, max(wanted.least, wanted.most_steps))
            way = walker.straightened(walker.walk(first, most, chance, end))
            if not way or (end and not graph.equivalent(way[-1].target, end)):
                continue
            route = _route(walker, way, steps)
            if route.id not in seen:
                seen.add(route.id)
                fruitless = 0
                yield route


def _starts_of_tasks(graph: Graph) -> list[str]:
    """Return the pages on which a graph's tasks start."""
    table = (graph.folder / TASKS).resolve()
    each = rows(table) if table.is_file() else ()
    found = (str(row.columns.get("snapshot") or "") for row in each)
    return list(dict.fromkeys(page for page in found if page in graph))


def graph_screens(graph: Path, pages: Sequence[str]) -> tuple[Screen, ...]:
    """Return the screens of pages of a graph; pages without a picture have none, not a white one.

    Raises:
        GraphError: if the pages cannot be read.
    """
    with Graph.open(graph) as opened:
        return tuple(
            screen if opened.page(page).png else replace(screen, png=b"")
            for page in pages
            for screen in [opened.screen(page)]
        )


class _Walker:
    """Walks on a graph; `name` returns the name that equal pages share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.leaving = lru_cache(_CACHED)(self._leaving)
        self.name = lru_cache(_CACHED)(lambda page: graph.page(page).same)

    def _leaving(self, page: str) -> Sequence[Edge]:
        """Return the edges from a page and from pages equal to it."""
        return [edge for each in (page, *self.graph.same(page)) for edge in self.graph.edges(each)]

    def distances(self, first: str, most: int) -> dict[str, int]:
        """Return the distance in steps to each page within `most` steps, the nearest first."""
        found, border = {self.name(first): 0}, [first]
        for steps in range(1, most + 1):
            targets = [edge.target for page in border for edge in self.leaving(page)]
            border = []
            for target in targets:
                if len(found) < _FARTHEST and self.name(target) not in found:
                    found[self.name(target)] = steps
                    border.append(target)
        return found

    def walk(self, first: str, most: int, chance: random.Random, end: str) -> list[Edge]:
        """Return a random walk of at most `most` steps that never visits equal pages.

        It stops at `end` if it gets there.
        """
        goal = self.name(end) if end else ""
        passed, walk, page = {self.name(first)}, list[Edge](), first
        while len(walk) < most and self.name(page) != goal:
            onward = [edge for edge in self.leaving(page) if self.name(edge.target) not in passed]
            if not onward:
                break
            walk.append(chance.choice(onward))
            page = walk[-1].target
            passed.add(self.name(page))
        return walk

    def straightened(self, walk: Sequence[Edge]) -> list[Edge]:
        """Return a walk without detours: a step to a later page replaces the steps in between."""
        places = {self.name(edge.target): at for at, edge in enumerate(walk)}
        way: list[Edge] = []
        at = 0
        while at < len(walk):
            page = way[-1].target if way else walk[0].source
            ahead = [(places.get(self.name(edge.target), -1), edge) for edge in self.leaving(page)]
            farther = (each for each in ahead if each[0] > at)
            place, edge = max(farther, key=lambda each: each[0], default=(at, walk[at]))
            way.append(edge)
            at = place + 1
        return way


def _route(walker: _Walker, way: Sequence[Edge], steps: dict[str, int]) -> Route:
    graph, pages = walker.graph, (*(edge.source for edge in way), way[-1].target)
    golden = tuple(edge.golden for edge in way)
    packages = (graph.page(page).package for page in pages)
    return Route(
        f"{graph.name}/{digest([pages, [repr(each.action) for each in golden]])[:8]}",
        golden,
        tuple(map(walker.name, pages)),
        tuple(dict.fromkeys(package for package in packages if package)),
        steps.get(walker.name(pages[-1]), len(way)),
        graph.language or "en",
        {"graph": str(graph.folder)},
        partial(graph_screens, graph.folder, pages),
        snapshot=pages[0],
        page=pages[-1],
        suite=graph.name,
    )
