"""The page of a graph of recorded pages: a map of the pages and the actions between them.

Pages are arranged in columns by their distance from the first page in actions, near the pages that
lead to them. For a large graph, only the pages nearest to a given one are shown.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Key, in_words
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.errors import GraphError, ScreenError, TaskError
from pytest_mobileagent.report.html.page import pack, write
from pytest_mobileagent.report.html.trajectory import screens
from pytest_mobileagent.report.names import agent_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.dataset.graph import Edge, Graph
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.screen import Screen

    Seen = Mapping[str, Screen | None]  # by page; None if the screen cannot be read

GRAPH_PAGE = "graph.html"
TASKS = "tasks.jsonl"
VERSION = 1
_MOST = 400  # pages on a map
_MOST_TASKS = 500
_HIGHEST = 8  # pages in a column
_ROWS = 16  # of a screen, in which texts are read
_LONGEST = 40  # characters of a text in a title
_WIDTH, _QUALITY = 200, 70  # of the pictures, in pixels and percent


@dataclass(slots=True)
class Map:
    """The part of a graph that is shown: pages in the order of their distance, and their edges.

    `places` are the column and the row of each page; `paths` are golden paths and agents' paths.
    """

    pages: list[str]
    edges: list[Edge]
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    paths: list[dict[str, Any]] = field(default_factory=list)


def write_graph_page(
    graph: Graph, page: Path, around: str = "", episodes: Sequence[EpisodeRecord] = ()
) -> None:
    """Write the page of a graph to a file.

    `around` is the page or the task at the centre of the map, by default the start page. The paths
    of `episodes` that were recorded on the graph can be highlighted.

    Raises:
        GraphError: if the graph is damaged, or has no such page or task.
        OSError: if the page cannot be written; an existing page is left unchanged.
    """
    tasks = list(_tasks(graph))
    shown = _near(graph, _middle(graph, around, tasks))
    shown.places = _laid_out(shown)
    shown.paths = [path for task in tasks if (path := _golden(graph, task, shown))][:_MOST_TASKS]
    shown.paths += [path for each in episodes if (path := _walked(graph, each, shown))]
    seen: dict[str, Screen | None] = {}
    pictures: list[tuple[str, bytes]] = []
    with ThreadPoolExecutor(2) as pool:
        for name, screen, picture in pool.map(lambda each: _seen(graph, each), shown.pages):
            seen[name] = screen
            if picture:
                pictures.append((f"p:{name}", picture))
    index = pack(_index(graph, shown, seen, around))
    write(page, graph.name, [("index", index), *pictures], "graph")


def _index(graph: Graph, shown: Map, seen: Seen, around: str) -> dict[str, Any]:
    titles = _titles(seen)
    return {
        "version": VERSION,
        "name": graph.name,
        "licence": graph.licence,
        "source": graph.source,
        "start": _first(graph, graph.start),
        "around": around,
        "total": len(graph),
        "pages": [_about(graph, page, shown) | {"title": titles[page]} for page in shown.pages],
        "edges": [_drawn(edge, seen) for edge in shown.edges],
        "paths": shown.paths,
    }


def _about(graph: Graph, page: str, shown: Map) -> dict[str, Any]:
    about = graph.page(page)
    column, row = shown.places[page]
    return {
        "id": page,
        "package": about.package,
        "activity": about.activity,
        "size": list(about.size),
        "column": column,
        "row": row,
        "also": list(graph.same(page)),
    }


def _titles(seen: Seen) -> dict[str, str]:
    """Return a title for each page: its first text, and the rarest if others begin like it."""
    texts = {page: _texts(screen) for page, screen in seen.items()}
    often = Counter(text for each in texts.values() for text in set(each))
    begins = Counter(each[0] for each in texts.values() if each)
    titles = dict.fromkeys(texts, "")
    for page, each in texts.items():
        if each:
            rarest = min(each, key=often.__getitem__)
            more = [rarest] if begins[each[0]] > 1 and rarest != each[0] else []
            titles[page] = " · ".join([each[0], *more])
    return titles


def _texts(screen: Screen | None) -> list[str]:
    """Return the short texts of a screen, from its top."""
    try:
        found = [] if screen is None else list(screen.elements)
        rows = 1 if screen is None else screen.size[1] / _ROWS
    except ScreenError:
        return []
    found.sort(key=lambda each: (each.bounds.top // rows, each.bounds.left))
    return [each.text for each in found if 1 < len(each.text.strip()) <= _LONGEST]


def _drawn(edge: Edge, seen: Seen) -> dict[str, Any]:
    screen, action = seen.get(edge.source), edge.golden.action
    kind = "back" if action == Key("back") else type(action).__name__.lower()
    words = in_words(action, screen) if screen is not None else repr(action)
    return {
        "from": edge.source,
        "to": edge.target,
        "kind": kind,
        "words": words,
        "count": edge.count,
        "boxes": [list(box) for box in edge.golden.boxes[:3]],
    }


def _first(graph: Graph, page: str) -> str:
    """Return the page that represents all pages equal to `page`."""
    return graph.page(page).same if page in graph else page


def _middle(graph: Graph, around: str, tasks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the pages at the centre of the map: one page, or those of a task's golden path."""
    if not around:
        return [graph.start]
    if around in graph:
        return [around]
    for task in tasks:
        name = str(task.get("id"))
        if name == around or name.endswith(f"/{around}"):
            pages = [str(each.get("page")) for each in task.get("golden") or ()]
            found = [page for page in [*pages, task.get("page")] if page and page in graph]
            return found or [graph.start]
    raise GraphError(f"{graph.folder} has no page and no task {around!r}")


def _near(graph: Graph, middle: Sequence[str]) -> Map:
    """Return the map of the pages nearest to `middle`, by the number of actions from there."""
    shown = Map([], [])
    firsts = dict.fromkeys(_first(graph, page) for page in middle)
    pending, known = deque(firsts), set(firsts)
    rest: Iterator[str] = (page.same for page in graph.pages() if page.same == page.id)
    while len(shown.pages) < _MOST:
        if not pending:  # continue with pages that cannot be reached from the centre
            page = next((each for each in rest if each not in known), None)
            if page is None:
                break
            pending.append(page)
            known.add(page)
        page = pending.popleft()
        shown.pages.append(page)
        for edge in chain.from_iterable(map(graph.edges, (page, *graph.same(page)))):
            target = _first(graph, edge.target)
            shown.edges.append(replace(edge, source=page, target=target))
            if target not in known:
                known.add(target)
                pending.append(target)
    there = set(shown.pages)
    shown.edges = [edge for edge in shown.edges if edge.target in there]
    return shown


def _laid_out(shown: Map) -> dict[str, tuple[int, int]]:
    """Return the column and the row of each page.

    Columns are the distances from the first page; unreachable pages come last. Pages at the same
    distance are ordered by the rows of the pages that lead to them; a long column is split.
    """
    leads: dict[str, list[str]] = {page: [] for page in shown.pages}
    sources: dict[str, set[str]] = {page: set() for page in shown.pages}
    for edge in shown.edges:
        leads[edge.source].append(edge.target)
        sources[edge.target].add(edge.source)
    places: dict[str, tuple[int, int]] = {}
    column = 0
    for layer in _layers(shown.pages, leads):
        rows = {page: [places[s][1] for s in sources[page] if s in places] for page in layer}
        middle = {page: sum(own) / len(own) if own else _HIGHEST for page, own in rows.items()}
        for number, page in enumerate(sorted(layer, key=middle.__getitem__)):
            places[page] = (column + number // _HIGHEST, number % _HIGHEST)
        column += 1 + (len(layer) - 1) // _HIGHEST
    return places


def _layers(pages: Sequence[str], leads: Mapping[str, Sequence[str]]) -> list[list[str]]:
    depth: dict[str, int] = {}
    for root in pages:  # in the order in which they were found
        if root in depth:
            continue
        depth[root] = 1 + max(depth.values(), default=-1)
        pending = deque([root])
        while pending:
            page = pending.popleft()
            for target in leads[page]:
                if target not in depth:
                    depth[target] = depth[page] + 1
                    pending.append(target)
    layers: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for page in pages:
        layers[depth[page]].append(page)
    return layers


def _tasks(graph: Graph) -> Iterator[dict[str, Any]]:
    with suppress(FileNotFoundError), (graph.folder / TASKS).open(encoding="utf-8") as lines:
        for text in lines:
            with suppress(ValueError, RecursionError):
                row = json.loads(text)
                if isinstance(row, dict):
                    yield row


def _golden(graph: Graph, task: Mapping[str, Any], shown: Map) -> dict[str, Any] | None:
    """Return a task's golden path; None if it contains pages that are not shown."""
    with suppress(TaskError, TypeError):
        golden = [golden_from_json(each) for each in task.get("golden") or ()]
        pages = [_first(graph, each.page) for each in golden if each.page]
        end = task.get("page")
        if end and (not pages or _first(graph, end) != pages[-1]):
            pages.append(_first(graph, end))
        if pages and all(page in shown.places for page in pages):
            return {
                "kind": "golden",
                "name": str(task.get("id", "")),
                "goal": str(task.get("goal", "")),
                "pages": pages,
            }
    return None


def _walked(graph: Graph, episode: EpisodeRecord, shown: Map) -> dict[str, Any] | None:
    """Return an agent's path over the shown pages; None if it visited none of them."""
    pages = [_first(graph, screen.page) for screen in screens(episode) if screen.page]
    pages = [page for page in pages if page in shown.places]
    if not pages:
        return None
    name = f"{agent_name(episode.agent)}: {episode.case.key}"
    return {"kind": "agent", "name": name, "goal": episode.goal, "pages": pages}


def _seen(graph: Graph, page: str) -> tuple[str, Screen | None, bytes]:
    """Return a page, its screen (None if that cannot be read), and a thumbnail."""
    from PIL import Image  # a heavy library, loaded only when needed

    try:
        screen = graph.screen(page)
        if not graph.page(page).png:
            return page, screen, b""
        # Not `screen.image`, which is cached: a map has hundreds of pictures.
        with Image.open(BytesIO(screen.png)) as image:
            small = image.convert("RGB")
    except (GraphError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return page, None, b""
    small.thumbnail((_WIDTH, 4 * _WIDTH), Image.Resampling.LANCZOS, reducing_gap=2.0)
    packed = BytesIO()
    small.save(packed, "WEBP", quality=_QUALITY, method=2)
    return page, screen, packed.getvalue()
