"""Golden paths along recorded pages, and checks for graphs, which report each flaw in one line.

All checks are lazy: the first flaw is found without searching for the others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Protocol, overload

from pytest_mobileagent._task import DEFAULT_SNAPSHOT
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.action.matching import Golden, golden_from_json, rule_of
from pytest_mobileagent.dataset.graph.store import HEAD, INDEX, TASKS
from pytest_mobileagent.errors import GraphError, ScreenError, TaskError
from pytest_mobileagent.jsonable import Maybe, check, why_unreadable
from pytest_mobileagent.screen.picture import size_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.dataset.graph.store import Graph, Page


class _Pages(Protocol):
    """A graph, or its writer."""

    def __contains__(self, page: str) -> bool: ...
    def leads(self, source: str, target: str) -> bool: ...


class RecordedPath(Sequence["Golden"]):
    """The golden actions that lead along `pages`, given by their ids, to the last of them.

    Nothing is read before an action is used, so tables of thousands take little time and memory.
    """

    def __init__(self, graph: Graph, pages: Sequence[str]) -> None:
        self._graph, self.pages = graph, tuple(pages)

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.pages!r}"

    def __len__(self) -> int:
        return len(self.pages) - 1

    @overload
    def __getitem__(self, number: int) -> Golden: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Golden]: ...
    def __getitem__(self, number: int | slice) -> Golden | Sequence[Golden]:
        return self._golden[number]

    @cached_property
    def _golden(self) -> tuple[Golden, ...]:
        if gap := gap_in(self._graph, self.pages):
            raise GraphError(f"{self._graph.folder}: {gap}, on the way to {self.pages[-1]}")
        return tuple(self._graph.step(*step).golden for step in pairwise(self.pages))


def gap_in(graph: _Pages, pages: Sequence[str]) -> str:
    """Return the first page or action along a path that a graph lacks, in words; else ""."""
    for page in pages:
        if page not in graph:
            return f"there is no page {page}"
    for source, target in pairwise(pages):
        if not graph.leads(source, target):
            return f"nothing is recorded that leads from {source} to {target}"
    return ""


_BROKEN_END = """
    SELECT rowid, source, target FROM edges WHERE {} NOT IN (SELECT id FROM pages) LIMIT 100"""
_BROKEN_SAME = """
    SELECT page.id, page.same, first.same FROM pages AS page LEFT JOIN pages AS first
    ON first.id = page.same WHERE page.same <> page.id
    AND (first.id IS NULL OR first.same <> first.id) LIMIT 100"""


def check_graph(graph: Graph) -> None:
    """Check a complete graph, except for the pixels of its pictures.

    Raises:
        GraphError: if the graph has a flaw; the message describes the first one and its place.
    """
    _raise_first(flaws(graph))


def check_structure(graph: Graph) -> None:
    """Check that the pages named by the edges and the head of a graph exist (see `check_graph`)."""
    _raise_first(chain(_of_head(graph), _of_structure(graph)))


def check_tasks(graph: Graph) -> None:
    """Check the graph's own table of tasks (see `check_graph`)."""
    _raise_first(_of_tasks(graph))


def flaws(graph: Graph) -> Iterator[str]:
    """Yield the flaws of a graph, each as one line with its place."""
    return chain(_of_head(graph), _of_index(graph), _of_files(graph), _of_tasks(graph))


def _raise_first(found: Iterable[str]) -> None:
    for flaw in found:
        raise GraphError(flaw)


def _of_head(graph: Graph) -> Iterator[str]:
    head, index = graph.folder / HEAD, graph.folder / INDEX
    if not len(graph):
        yield f"{index} has no pages"
        return
    named = {"`start`": graph.start, **({"`home`": graph.home} if graph.home else {})}
    named |= {f"the snapshot {name!r}": page for name, page in graph.snapshots.items()}
    named |= {f"the page of the app {name!r}": page for name, page in graph.apps.items()}
    for what, page in named.items():
        if page not in graph:
            yield f"{head}: {what} is {page!r}, which is not a page of the graph"
    try:
        rule_of(graph.rule)
    except TaskError as error:
        yield f"{head}: {error}"


def _of_index(graph: Graph) -> Iterator[str]:
    """Check the index, row by row, unless it is unchanged since its writer checked it."""
    if not graph.is_as_written:
        yield from _of_structure(graph)
        yield from _read(graph.pages())
        yield from _read(graph.all_edges())


def _of_structure(graph: Graph) -> Iterator[str]:
    index = graph.folder / INDEX
    for end, column in enumerate(("source", "target"), 1):
        for row in graph.rows(_BROKEN_END.format(column)):
            way = f"from page {row[1]!r} to {row[2]!r}"
            yield f"{index}, edges, row {row[0]}: it leads {way}, but there is no page {row[end]!r}"
    for page, first, its_first in graph.rows(_BROKEN_SAME):
        if its_first is None:
            yield f"{index}, page {page!r}: it is the same as {first!r}, which is not a page"
        else:
            also = f"which is the same as {its_first!r}"
            yield f"{index}, page {page!r}: it is the same as {first!r}, {also}: name one for all"


def _read(each: Iterator[object]) -> Iterator[str]:
    """Exhaust an iterator that reads lazily, and yield the error that stops it."""
    try:
        for _ in each:
            pass
    except GraphError as error:
        yield str(error)


def _of_files(graph: Graph) -> Iterator[str]:
    """Check that the files of all pages exist, and the first bytes of the pictures."""
    for page in graph.pages():
        try:
            flaw = _of_picture(graph, page) if page.png else ""
            if page.xml and not graph.file(page.xml).is_file():
                flaw = flaw or f"there is no file {graph.file(page.xml)}"
        except (GraphError, OSError) as error:
            flaw = str(error)
        if flaw:
            yield f"{graph.folder / INDEX}, page {page.id!r}: {flaw}"


def _of_picture(graph: Graph, page: Page) -> str:
    file = graph.file(page.png)
    try:
        width, height = size_in(file)
    except ScreenError as error:
        return str(error)
    if (width, height) != page.size:
        return f"{file} is {width}x{height} pixels, not {page.size[0]}x{page.size[1]}"
    return ""


def _of_tasks(graph: Graph) -> Iterator[str]:
    file = graph.folder / TASKS
    if not file.exists():
        return
    paths: dict[tuple[str, ...], int] = {}
    ids: dict[str, int] = {}
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    for flaw in _of_task(graph, line, number, paths, ids):
                        yield f"{file}, line {number}: {flaw}"
    except (OSError, UnicodeDecodeError) as error:
        yield f"{file} cannot be read: {error}"


_TASK = {"snapshot": Maybe(str), "page": Maybe(str)}


def _of_task(
    graph: Graph, line: str, number: int, paths: dict[tuple[str, ...], int], ids: dict[str, int]
) -> Iterator[str]:
    try:
        row: dict[str, Any] = check(json.loads(line), _TASK, "it")
        golden = [golden_from_json(each) for each in row.get("golden") or ()]
    except (ValueError, RecursionError, AttributeError, TypeError, TaskError) as error:
        yield f"it is not a task: {why_unreadable(error)}"
        return
    name = str(row.get("id", number))
    if ids.setdefault(name, number) != number:
        yield f"the task {name!r} is also in line {ids[name]}"
    yield from flaws_of_path(graph, golden, row.get("snapshot") or "", row.get("page") or "")
    path = tuple(f"{each.page} {each.action}" for each in golden if each.page)
    if path and paths.setdefault(path, number) != number:
        yield f"the task in line {paths[path]} has the same golden path"


def flaws_of_task(graph: Graph, task: Task) -> Iterator[str]:
    """Yield the places where a task's golden path leaves the graph (see `flaws_of_path`)."""
    if isinstance(task.golden, RecordedPath):  # this is enough, and reads no action
        return iter(filter(None, [gap_in(graph, task.golden.pages)]))
    golden = [each for each in task.golden if isinstance(each, Golden)]
    known = task.snapshot in graph.snapshots or task.snapshot != DEFAULT_SNAPSHOT
    return flaws_of_path(graph, golden, task.snapshot if known else "")


def flaws_of_path(
    graph: Graph, golden: Iterable[Golden], snapshot: str = "", page: str = ""
) -> Iterator[str]:
    """Yield the places where a golden path leaves the graph: missing pages, steps without an edge.

    A task starts at `snapshot` (a snapshot of the graph, or a page), and is done on `page`.
    """
    if snapshot and snapshot not in graph.snapshots and snapshot not in graph:
        yield f"it starts at {snapshot!r}, which is neither a snapshot nor a page of the graph"
    if page and page not in graph:
        yield f"it is done on page {page!r}, which the graph does not have"
    steps = [each for each in golden if each.page]
    missing = [(n, each.page) for n, each in enumerate(steps, 1) if each.page not in graph]
    for n, lost in missing:
        yield f"step {n} of its golden path is on page {lost!r}, which the graph does not have"
    if missing:
        return
    for number, (one, following) in enumerate(pairwise(steps), 1):
        if not ends_episode(one.action) and not _leads(graph, one.page, following.page):
            way = f"leads from page {one.page!r} to {following.page!r}"
            yield f"step {number} of its golden path {way}, but no edge does"


def _leads(graph: Graph, source: str, target: str) -> bool:
    """Return whether an edge leads from one page to another, or between pages equal to these."""
    if graph.equivalent(source, target):
        return True  # an action that changed nothing
    sources = [source, *graph.same(source)]
    edges = (edge for each in sources for edge in graph.edges(each))
    return any(graph.equivalent(edge.target, target) for edge in edges)
