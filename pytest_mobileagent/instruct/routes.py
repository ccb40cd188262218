"""The routes for which instructions are written, chosen from runs and graphs.

GIAS (arXiv 2505.11891, section 3.2) selects several paths between the same first and last page,
with at least two kinds of actions and as few repeated pages as possible. A graph has millions of
pages (appendix A), so its routes are not enumerated but found by seeded random walks from a start
page. A walk never visits equal pages twice, and never takes several steps where one suffices.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent._task.table import rows
from pytest_mobileagent.action import Ask, Wait, ends_episode
from pytest_mobileagent.action.gestures import Scroll, Swipe
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset import LeftOutError, touched, trajectory_of
from pytest_mobileagent.dataset.equality import same_page, sight
from pytest_mobileagent.dataset.graph import Edge, Graph
from pytest_mobileagent.dataset.graph.store import TASKS
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import ScreenError, TaskError
from pytest_mobileagent.jsonable import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.dataset import TrajectoryStep
    from pytest_mobileagent.dataset.equality import Sight
    from pytest_mobileagent.dataset.export import Source
    from pytest_mobileagent.screen import Screen


SIMPLE, COMPLEX = 6, 11  # maximal steps of the paper's simple and complex tasks (section 3.3)


@dataclass(frozen=True)
class Route:
    """A path from a first to a last page, for which an instruction is written.

    - `id`: an id that is the same whenever the route is found again.
    - `golden`: the action on each page except the last.
    - `page_names`: a name for each page, including the last, that equal pages share.
    - `packages`: the apps that it needs.
    - `fewest`: the fewest known steps from its first to its last page.
    - `origin`: where it is recorded, as plain data with the key "episode" or "graph".
    - `see`: a function that reads all pages in order, raising a `MobileAgentError` on failure.
    - `snapshot`, `page`: where it starts, and the id of its last page, if any.
    """

    id: str
    golden: tuple[Golden, ...]
    page_names: tuple[str, ...]
    packages: tuple[str, ...]
    fewest: int
    language: str
    origin: Mapping[str, str]
    see: Callable[[], tuple[Screen, ...]]
    snapshot: str = ""
    page: str = ""
    suite: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """The names of the first and of the last page."""
        return self.page_names[0], self.page_names[-1]

    @property
    def kinds(self) -> set[str]:
        """The kinds of its actions; `Scroll` and `Swipe` are one kind."""
        return {
            "scroll" if isinstance(each.action, Scroll | Swipe) else type(each.action).__name__
            for each in self.golden
        }

    @property
    def repeats(self) -> float:
        """The share of its pages that equal an earlier page."""
        return 1 - len(set(self.page_names)) / len(self.page_names)

    @property
    def level(self) -> int:
        """1 for a simple task (at most 6 steps), 2 for a complex one (at most 11), else 3."""
        return 1 + (len(self.golden) > SIMPLE) + (len(self.golden) > COMPLEX)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The criteria by which routes are chosen.

    - `least`, `most_steps`: the range of steps.
    - `kinds`: the minimum number of kinds of actions.
    - `per_ends`: the maximum number of routes between the same two pages; `most`: of all routes.
    """

    least: int = 4
    most_steps: int = COMPLEX
    kinds: int = 2
    per_ends: int = 3
    most: int = 100


def chosen(
    routes: Iterable[Route], wanted: Wanted, left_out: Counter[str]
) -> list[tuple[Route, ...]]:
    """Return the chosen routes, grouped by their first and last page.

    Within a group, routes with the fewest repeated pages are preferred, then the shortest ones. The
    reasons why routes were not chosen are counted in `left_out`.
    """
    groups: dict[tuple[str, str], list[Route]] = defaultdict(list)
    for route in routes:
        if why := _unfit(route, wanted):
            left_out[why] += 1
        else:
            groups[route.ends].append(route)
    found: list[tuple[Route, ...]] = []
    room = wanted.most
    for group in groups.values():
        ordered = sorted(group, key=lambda route: (route.repeats, len(route.golden)))
        taken = tuple(ordered[: min(wanted.per_ends, room)])
        room -= len(taken)
        others = "others lead from the same page to the same page (--per-ends, --most)"
        left_out[others] += len(group) - len(taken)
        found += [taken] if taken else []
    return found


def _unfit(route: Route, wanted: Wanted) -> str:
    """Return why a route does not meet the criteria; empty if it does."""
    if len(set(route.page_names)) < 2:
        return "a path of one page: nothing changes on it"
    if not wanted.least <= len(route.golden) <= wanted.most_steps:
        return f"not {wanted.least} to {wanted.most_steps} steps (--steps)"
    if len(route.kinds) < wanted.kinds:
        return f"fewer than {wanted.kinds} kinds of actions (--kinds)"
    return ""


def episode_routes(sources: Iterable[Source], left_out: Counter[str]) -> Iterator[Route]:
    """Yield the routes of a run's finished episodes, counting in `left_out` why others have none.

    Raises:
        OSError, RecordError: if the run cannot be read.
    """
    pages = _Pages()
    seen: Counter[str] = Counter()
    for source in sources:
        name = str(source.origin["task"])
        seen[name] += 1
        again = f"#{seen[name]}" if seen[name] > 1 else ""
        try:
            yield _episode_route(source.folder, f"{name}{again}", pages)
        except (LeftOutError, ScreenError) as error:
            left_out[str(error) if isinstance(error, LeftOutError) else "a screen is damaged"] += 1


def _episode_route(folder: Path, name: str, pages: _Pages) -> Route:
    """Return the route of an episode: its actions on the phone, without questions and waits.

    Raises:
        LeftOutError: if the episode has no action, or one that a route cannot contain.
        ScreenError, RecordError: if the episode cannot be read.
    """
    episode, steps, screens = _episode(folder)
    page_names = tuple(map(pages.name, screens))
    # A touch may hit anywhere on the control that it hit.
    hit = [(step, touched(step.action, step.screen)) for step in steps]
    return Route(
        name,
        tuple(Golden(s.action, s.screen.size, (on.bounds,) if on else ()) for s, on in hit),
        page_names,
        episode.case.task.packages or tuple(dict.fromkeys(e.package for e in screens if e.package)),
        _fewest(page_names),
        episode.case.task.language,
        {"episode": str(folder)},
        partial(episode_screens, folder),
        snapshot=episode.case.task.snapshot,
        suite=episode.case.suite,
    )


def episode_screens(folder: Path) -> tuple[Screen, ...]:
    """Return the pages of the route of an episode, including the last one.

    Raises:
        LeftOutError, ScreenError, RecordError: if it has no route, or cannot be read.
    """
    return _episode(folder)[2]


def _episode(folder: Path) -> tuple[EpisodeRecord, list[TrajectoryStep], tuple[Screen, ...]]:
    """Return an episode, the steps of its route, and the pages of the route."""
    episode = read(folder, EpisodeRecord)
    steps = [
        step
        for step in trajectory_of(episode, None, {}).steps
        if not (ends_episode(step.action) or isinstance(step.action, Ask | Wait))
    ]
    if not steps:
        raise LeftOutError("nothing was done")
    return episode, steps, (*(step.screen for step in steps), episode.screens[-1])


def _fewest(page_names: Sequence[str]) -> int:
    """Return the fewest steps from the first to the last page along the edges of one route."""
    after: dict[str, set[str]] = defaultdict(set)
    for one, other in pairwise(page_names):
        after[one].add(other)
    reached, steps = {page_names[0]}, 0
    while page_names[-1] not in reached:
        reached |= {other for one in reached for other in after[one]}
        steps += 1
    return steps


class _Pages:
    """Assigns names to pages, so that screens showing the same page (see `same_page`) share one."""

    def __init__(self) -> None:
        self._known: dict[str, list[Sight]] = defaultdict(list)

    def name(self, screen: Screen) -> str:
        """Return the name that all screens of the same page share.

        Raises:
            ScreenError: if the screen cannot be read.
        """
        seen = sight(screen)
        known = self._known[seen.key]
        at = next((at for at, other in enumerate(known) if same_page(seen, other)), len(known))
        if at == len(known):
            known.append(seen)
        return f"{seen.key[:16]}-{at}"


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
        """Return a random walk of up to `most` steps, without equal pages, that stops at `end`."""
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
