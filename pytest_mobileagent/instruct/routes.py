"""The routes for which instructions are written, chosen from runs and graphs.

GIAS (arXiv 2505.11891, section 3.2) selects several paths between the same first and last page,
with at least two kinds of actions and as few repeated pages as possible.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Ask, Wait, ends_episode
from pytest_mobileagent.action.gestures import Scroll, Swipe
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.equality import same_page, sight
from pytest_mobileagent.dataset.trajectory import LeftOutError, touched, trajectory_of
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.dataset.equality import Sight
    from pytest_mobileagent.dataset.export import Source
    from pytest_mobileagent.dataset.trajectory import TrajectoryStep
    from pytest_mobileagent.screen.screen import Screen

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
        return {kind(each.action) for each in self.golden}

    @property
    def repeats(self) -> float:
        """The share of its pages that equal an earlier page."""
        return 1 - len(set(self.page_names)) / len(self.page_names)

    @property
    def level(self) -> int:
        """1 for a simple task (at most 6 steps), 2 for a complex one (at most 11), else 3."""
        return 1 + (len(self.golden) > SIMPLE) + (len(self.golden) > COMPLEX)


def kind(action: Action) -> str:
    """Return the kind of an action; GIAS requires several kinds in a route."""
    return "scroll" if isinstance(action, Scroll | Swipe) else type(action).__name__.lower()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The criteria by which routes are chosen.

    - `least`, `most_steps`: the range of steps.
    - `kinds`: the minimum number of kinds of actions.
    - `per_ends`: the maximum number of routes between the same two pages; `most`: that of all
      routes.
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
        left_out["others lead from the same page to the same page (--per-ends, --most)"] += len(
            ordered
        ) - len(taken)
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
    pages = Pages()
    seen: Counter[str] = Counter()
    for source in sources:
        name = str(source.origin["task"])
        seen[name] += 1
        again = f"#{seen[name]}" if seen[name] > 1 else ""
        try:
            yield episode_route(source.folder, f"{name}{again}", pages)
        except (LeftOutError, ScreenError) as error:
            left_out[str(error) if isinstance(error, LeftOutError) else "a screen is damaged"] += 1


def episode_route(folder: Path, name: str, pages: Pages) -> Route:
    """Return the route of an episode: its actions on the phone, without questions and waits.

    Raises:
        LeftOutError: if the episode has no action, or one that a route cannot contain.
        ScreenError, RecordError: if the episode cannot be read.
    """
    episode, steps = _episode(folder)
    screens = (*(step.screen for step in steps), episode.screens[-1])
    page_names = tuple(map(pages.name, screens))
    return Route(
        name,
        tuple(golden_of(step.action, step.screen) for step in steps),
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
        LeftOutError, ScreenError, RecordError: see `episode_route`.
    """
    episode, steps = _episode(folder)
    return (*(step.screen for step in steps), episode.screens[-1])


def _episode(folder: Path) -> tuple[EpisodeRecord, list[TrajectoryStep]]:
    episode = read(folder, EpisodeRecord)
    steps = [
        step
        for step in trajectory_of(episode, None, {}).steps
        if not (ends_episode(step.action) or isinstance(step.action, Ask | Wait))
    ]
    if not steps:
        raise LeftOutError("nothing was done")
    return episode, steps


def golden_of(action: Action, screen: Screen) -> Golden:
    """Return an action as the golden one; a touch may hit anywhere on the control that it hit.

    Raises:
        ScreenError: if the screenshot cannot be read.
    """
    control = touched(action, screen)
    return Golden(action, screen.size, () if control is None else (control.bounds,))


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


class Pages:
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
