"""Merges recorded episodes into a graph: equal screens become one page, and actions become edges.

In a graph, an action on a page leads to one page. If the episodes disagree, the graph has the page
to which the action led most often. Such contradictions are caused by state that the screen does not
show, such as how often a dialog has appeared.

Each task with a successful episode becomes a task of the graph. Its golden path is that of the
shortest successful episode whose steps are all in the graph.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.wording import literal
from pytest_mobileagent.action import Ask, Raw, Type, ends_episode, from_json, to_json
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.action.matching.geometry import direction
from pytest_mobileagent.dataset import redacted
from pytest_mobileagent.dataset.equality import same_page, sight
from pytest_mobileagent.jsonable import to_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.dataset.equality import Sight
    from pytest_mobileagent.dataset.graph import GraphWriter
    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.episode.redaction import Redaction
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Bounds

EXPLORATION = "exploration"  # the tag of tasks that only explore, which do not become tasks
SEVERAL = "steps with several actions on one screen"
_ELSEWHERE = "tasks whose path has an action that usually leads elsewhere"
_TWICE = "tasks with the same path as another"
_NAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An action on a page that led to several pages, with counts; the first is in the graph."""

    page: str
    action: str
    targets: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class MergeSummary:
    """The results of a merge, in numbers.

    `left_out` counts, by reason, steps that no graph can contain, and tasks with a path not in it.
    """

    episodes: int = 0
    screens: int = 0
    pages: int = 0
    edges: int = 0
    tasks: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Way:
    """The path of an episode that met its goal: its golden actions, and its last page."""

    case: Case
    goal: str
    golden: tuple[Golden, ...]
    pages: tuple[str, ...]

    @property
    def steps(self) -> int:
        return sum(not ends_episode(each.action) for each in self.golden)


@dataclass(slots=True)
class _Led:
    """The pages to which an action on a page has led, with counts, and its first occurrence."""

    golden: Golden
    targets: Counter[str] = field(default_factory=Counter)

    @property
    def main_target(self) -> str:
        """The page to which the action led most often; in a tie, the first one."""
        return self.targets.most_common(1)[0][0]


class Merger:
    """Merges episodes, added one by one, into a graph.

    Pages are written when they are first seen; everything else by `finish`. `rules` are redaction
    rules for the episodes. With `small`, pictures are compressed losslessly, at a second for each.
    """

    def __init__(
        self, writer: GraphWriter, rules: Redaction | None = None, *, small: bool = False
    ) -> None:
        self.merged = MergeSummary()
        self._writer, self._rules, self._small = writer, rules, small
        self._known: dict[str, list[tuple[str, Sight]]] = {}  # pages by `Sight.key`
        self._seen: dict[bytes, str] = {}  # pages by the digests of their screens
        self._edges: dict[tuple[str, str], _Led] = {}
        self._starts: dict[str, Counter[str]] = {}  # first pages by the snapshot that was loaded
        self._ways: dict[str, list[_Way]] = {}

    def add(self, episode: EpisodeRecord, succeeded: bool | None) -> None:
        """Add an episode; `succeeded` is whether the goal was met.

        Raises:
            ScreenError: if a screen cannot be read; only the episode's pages before it are added.
            GraphError, HostError: if a page cannot be written.
        """
        steps = episode.steps
        screens = [step.screen for step in steps]
        if not steps or steps[-1].screen is not episode.screen:  # the screen after the last step
            screens.append(episode.screen)
        pages = [self._page(screen) for screen in screens]
        golden: list[Golden] | None = []
        for step, page, following in zip_longest(steps, pages[: len(steps)], pages[1:]):
            if following is not None:
                self._edge(step, page, following)
            golden = None if golden is None else self._on(golden, step, page)
        self.merged.episodes += 1
        self.merged.screens += len(screens)
        if episode.case.environment is None:
            self._starts.setdefault(episode.case.task.snapshot, Counter())[pages[0]] += 1
            if succeeded and golden and EXPLORATION not in episode.case.task.tags:
                goal = episode.goal if self._rules is None else self._rules.text(episode.goal)
                way = _Way(episode.case, goal, tuple(golden), tuple(pages))
                self._ways.setdefault(episode.case.id, []).append(way)

    def finish(self, **head: Any) -> MergeSummary:
        """Write the edges, tasks and head, and return the results; `head` has further fields.

        Raises:
            GraphError, HostError: if the graph cannot be written.
        """
        for (page, _), led in self._edges.items():
            self._writer.edge(page, led.golden, led.main_target, led.targets[led.main_target])
            if len(led.targets) > 1:
                action, targets = repr(led.golden.action), tuple(led.targets.most_common())
                self.merged.contradictions.append(Contradiction(page, action, targets))
        self._tasks()
        starts = {name: each.most_common(1)[0][0] for name, each in self._starts.items()}
        languages = Counter(ways[0].case.task.language for ways in self._ways.values())
        known: dict[str, Any] = {"snapshots": starts}
        if starts:
            known["start"] = starts[max(starts, key=lambda name: self._starts[name].total())]
        if languages:
            known["language"] = languages.most_common(1)[0][0]
        self._writer.head(**known | head)
        self.merged.pages = sum(map(len, self._known.values()))
        self.merged.edges = len(self._edges)
        self.merged.contradictions.sort(key=lambda each: -sum(n for _, n in each.targets[1:]))
        return self.merged

    def _page(self, screen: Screen) -> str:
        """Return the id of the page that a screen shows, and write the page if it is new."""
        exactly = hashlib.sha256()
        for part in (screen.key, screen.xml, screen.package):
            exactly.update(hashlib.sha256(part.encode("utf-8", "replace")).digest())
        digest = exactly.digest() + screen.activity.encode()
        if digest not in self._seen:
            shown = screen if self._rules is None else redacted(screen, self._rules)
            self._seen[digest] = self._equal_page(shown)
        return self._seen[digest]

    def _equal_page(self, screen: Screen) -> str:
        seen = sight(screen)
        known = self._known.setdefault(seen.key, [])
        for page, other in known:
            if same_page(seen, other):
                return page
        name = _NAME.sub("", screen.activity.rpartition(".")[2]) or "page"
        page = f"{name}-{seen.key[:8]}" + (f"-{len(known) + 1}" if known else "")
        known.append((page, seen))
        self._writer.page(
            page,
            png=(_packed(screen) if self._small else screen.png) or None,
            xml=screen.xml or None,
            package=screen.package,
            activity=screen.activity,
            time=screen.time,
            size=screen.extent,
        )
        return page

    def _edge(self, step: Step, page: str, following: str) -> None:
        if not step.done or (len(step.done) == 1 and ends_episode(step.done[0])):
            return
        if why := _unfit(step):
            self.merged.left_out[why] += 1
            return
        golden = self._golden(step.done[0], step.screen, page)
        self._edges.setdefault((page, _key(golden)), _Led(golden)).targets[following] += 1

    def _on(self, golden: list[Golden], step: Step, page: str) -> list[Golden] | None:
        """Return a path extended by a step, or None if a golden path cannot contain the step."""
        if not step.done:
            return golden
        if _unfit(step):
            return None
        return [*golden, self._golden(step.done[0], step.screen, page)]

    def _golden(self, action: Action, screen: Screen, page: str) -> Golden:
        if self._rules is not None:
            action = from_json(self._rules.redacted_record(to_json(action)))
        return Golden(action, screen.size, boxes_of(action, screen), page)

    def _tasks(self) -> None:
        """Write the tasks, each with its shortest path that is still in the graph."""
        paths: dict[tuple[tuple[str, str], ...], str] = {}
        for name, ways in self._ways.items():
            way = min(filter(self._leads, ways), key=lambda each: each.steps, default=None)
            if way is None:
                self.merged.left_out[_ELSEWHERE] += 1
                continue
            path = tuple((each.page, to_line(to_json(each.action))) for each in way.golden)
            if path in paths:
                self.merged.left_out[_TWICE] += 1
                continue
            paths[path] = name
            self._writer.task(_row(name, way))
            self.merged.tasks += 1

    def _leads(self, way: _Way) -> bool:
        start = self._starts[way.case.task.snapshot].most_common(1)[0][0]
        ends = [each.page for each in way.golden[1:]] + [way.pages[-1]]
        for each, end in zip(way.golden, ends, strict=True):
            led = self._edges.get((each.page, _key(each)))
            if not ends_episode(each.action) and (led is None or led.main_target != end):
                return False
        return way.pages[0] == start


def _packed(screen: Screen) -> bytes:
    """Return a screenshot compressed losslessly, or unchanged if this does not make it smaller."""
    if not screen.png:
        return b""
    packed = io.BytesIO()
    screen.image.save(packed, "PNG", optimize=True)
    return min(packed.getvalue(), screen.png, key=len)


_CAN: Mapping[type[Any], tuple[str, ...]] = {
    Tap: ("clickable", "checkable"),
    DoubleTap: ("clickable", "checkable"),
    LongPress: ("long_clickable", "clickable"),
    Type: ("clickable", "focusable"),
    Swipe: ("scrollable",),
    Scroll: ("scrollable",),
}


def boxes_of(action: Action, screen: Screen) -> tuple[Bounds, ...]:
    """Return the box that an action may hit on a screen, which is that of its target element.

    The target is the innermost element at the action's point that reacts to such an action. The
    result is empty for actions without a point or a target.

    Raises:
        ScreenError: if the hierarchy cannot be read.
    """
    match action:
        case (Tap(x, y) | DoubleTap(x, y) | LongPress(x, y) | Swipe(x, y)
              | Type(at=(x, y)) | Scroll(at=(x, y))):  # fmt: skip
            at = screen.at(x, y) if screen.xml else []
        case _:
            return ()
    fit = (each for each in at if any(getattr(each, flag) for flag in _CAN[type(action)]))
    chosen = next(fit, at[0] if at else None)
    return () if chosen is None else (chosen.bounds,)


def _key(golden: Golden) -> str:
    """Return a key that is equal for actions on a page that count as the same action."""
    action = golden.action
    place = golden.boxes[0].describe() if golden.boxes else ""
    if isinstance(action, Swipe | Scroll):
        return f"{direction(action, golden.size)} {place}"
    fields = to_json(action)
    for name in ("x", "y", "at") if place else ():
        fields.pop(name, None)
    fields.pop("seconds", None)
    return f"{to_line(fields)} {place}"


def _unfit(step: Step) -> str:
    """Return the reason why a graph cannot contain a step, or an empty string."""
    if len(step.done) > 1:
        return SEVERAL
    if isinstance(step.done[0], Raw):
        return "steps that no canonical action expresses"
    if isinstance(step.done[0], Ask):
        return "questions to the user"
    return ""


def _row(name: str, way: _Way) -> dict[str, Any]:
    task = way.case.task
    fields: dict[str, Any] = {
        "id": name,
        "goal": literal(way.goal),
        "language": task.language,
        "kind": task.kind,
        "level": task.level,
        "app": task.app,
        "apps": list(task.apps),
        "tags": list(task.tags),
        "source": task.source,
        "snapshot": way.pages[0],
        "page": way.pages[-1],
        "golden_steps": max(1, way.steps),
        "golden": list(way.golden),
    }
    return {field: value for field, value in fields.items() if value}
