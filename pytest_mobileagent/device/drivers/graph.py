"""The driver of recorded pages, and the device that they are: actions lead from page to page.

An action follows the edge that the graph's matching rule finds for it (docs/recorded-pages.md
describes the rule). Some actions on a phone correspond to several recorded ones: typing into a
field without the focus, for example, may have been recorded as a tap and typed text. Either all of
their edges are followed, one after the other, or none.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task import DEFAULT_SNAPSHOT
from pytest_mobileagent.action import Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import rule_of
from pytest_mobileagent.action.matching.geometry import common_characters
from pytest_mobileagent.device import drivers
from pytest_mobileagent.device.device import Capture, PagesAddress
from pytest_mobileagent.episode.observation import DeviceInfo, Reset
from pytest_mobileagent.errors import GraphError, NoEdgeError, NoShellError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Golden, Rule
    from pytest_mobileagent.dataset.graph import Edge, Graph
    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources import Restart
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.screen import Screen


class Driver(drivers.Driver):
    """Drives graphs of recorded pages (see `drivers.Driver`)."""

    takes = (PagesAddress,)

    def connect(
        self,
        address: PagesAddress,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
        restart: Restart | None,
    ) -> GraphDevice:
        from pytest_mobileagent.dataset.graph import Graph

        return GraphDevice(Graph.open(address.folder), copies=options.copies_pages)


_NO_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 - the phone's clock if no page has a time
_CACHED = 16  # the most screens that are cached
NO_EDGE = "nothing is recorded for this action here"


class GraphDevice:
    """A device on which one of the recorded pages is shown (see `Device` and `PageDevice`).

    With `copies`, records copy the pages of a data set instead of referring to the user's copy.
    Every method raises GraphError if a page that it needs cannot be read.
    """

    def __init__(self, graph: Graph, *, copies: bool = False) -> None:
        self.graph = graph  # the recorded pages
        self._copies = copies
        self._rule = rule_of(graph.rule)
        self._way = [graph.start]  # the pages that the back key returns to, and the current page
        self._before: str | None = None  # the page that was just left with the back key
        self._has_entered = False  # whether the last action typed text and pressed enter
        self._time: datetime | None = None
        self._screens: OrderedDict[str, Screen] = OrderedDict()
        self.info = _info(graph)

    @property
    def system(self) -> GraphDevice:
        """This device, which has the methods of a `System`."""
        return self

    @property
    def adb(self) -> None:
        """None: no adb reaches recorded pages."""

    @property
    def page(self) -> str:
        """The id of the current page."""
        return self._way[-1]

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Return the current page and, after a step back, the page that was left.

        A page without a time gets the time of the page before it; the first, 1 January 2000.

        Raises:
            TaskError: if there are probes, which recorded pages cannot run.
        """
        if probes:
            what = f"the probe {next(iter(probes))!r} cannot be read"
            raise TaskError(f"{what}: {self._shows_no_state()}")
        screen = self._screen(self.page)
        self._time = screen.time or self._time or _NO_TIME
        before = None if self._before is None else self._screen(self._before)
        return Capture(replace_time(screen, self._time), {}, before)

    def perform(self, action: Action) -> None:
        """Show the page that an action leads to from the current page.

        Raises:
            NoEdgeError: if nothing is recorded for the action on this page.
        """
        came_from, has_entered = self.page, self._has_entered
        self._before, self._has_entered = None, False
        if action == Key("back"):
            self._go_back()
            self._before = came_from
            return
        if has_entered and action == Key("enter") and self._edge(self.page, action) is None:
            return  # the recorded action has already pressed enter
        for way in _ways(action):
            if (steps := self._followed(way)) is not None:
                for edge, page in steps:
                    typed = None if edge is None else edge.golden.action
                    self._has_entered = isinstance(typed, Type) and typed.enter
                    self._turn(page)
                return
        raise NoEdgeError(NO_EDGE)

    def show(self, page: str) -> None:
        """Show a page, regardless of earlier actions; the back key returns to the previous page."""
        if page not in self.graph:
            raise GraphError(f"{self.graph.folder} has no page {page!r}")
        self._before, self._has_entered = None, False
        self._turn(page)

    def events(self) -> tuple[Event, ...]:
        """Return nothing: recorded pages report no events."""
        return ()

    def close(self) -> None:
        self.graph.close()

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Show the page of a snapshot or page id; by default, the graph's start page."""
        self._way = [start_of(self.graph, snapshot)]
        self._before, self._time, self._has_entered = None, None, False
        return Reset("snapshot", snapshot)

    def refresh(self) -> None:
        """Do nothing: recorded pages never change."""

    def snapshots(self) -> Sequence[str]:
        """Return the names of the graph's snapshots, and of the default one."""
        return list(dict.fromkeys([DEFAULT_SNAPSHOT, *self.graph.snapshots]))

    def packages(self) -> frozenset[str]:
        return self.graph.packages

    def versions(self) -> Mapping[str, str]:
        """Return the apps of the pages, whose versions are unknown ("")."""
        return dict.fromkeys(self.packages(), "")

    def shell(self, script: str) -> str:
        """Raise NoShellError, because recorded pages have no shell."""
        raise NoShellError(self._shows_no_state())

    def _shows_no_state(self) -> str:
        return f"{self.info.serial} has recorded pages, which have no shell"

    def _screen(self, page: str) -> Screen:
        screen = self._screens.pop(page, None)
        if screen is None:
            screen = self.graph.screen(page)
            screen = replace(screen, files=("", "")) if self._copies else screen
        self._screens[page] = screen
        if len(self._screens) > _CACHED:
            self._screens.popitem(last=False)
        return screen

    def _turn(self, page: str) -> None:
        if page != self.page:
            self._way.append(page)

    def _go_back(self) -> None:
        """Follow the recorded edge of the back key, or else return to the previous page.

        Raises:
            NoEdgeError: if there is neither an edge nor a previous page.
        """
        edge = self._edge(self.page, Key("back"))
        if edge is None and len(self._way) == 1:
            raise NoEdgeError(NO_EDGE)
        self._way.pop()
        if edge is None:
            return
        if self._way and self.graph.equivalent(self._way[-1], edge.target):
            self._way.pop()
        self._way.append(edge.target)

    def _followed(self, actions: Sequence[Action]) -> list[tuple[Edge | None, str]] | None:
        """Return the edges and pages of a sequence of actions; None if one of them has no edge."""
        steps: list[tuple[Edge | None, str]] = []
        here = self.page
        for action in actions:
            edge = self._edge(here, action)
            target = edge.target if edge is not None else self._from_anywhere(here, action)
            if target is None:
                return None
            here = target
            steps.append((edge, here))
        return steps

    def _from_anywhere(self, here: str, action: Action) -> str | None:
        """Return the page that an action leads to from any page without an edge for it."""
        match action:
            case Wait():
                return here
            case Key("home"):
                return self.graph.home or None
            case Open(app):
                return self.graph.apps.get(app)
        return None

    def _edge(self, page: str, action: Action) -> Edge | None:
        """Return the edge of an action on a page, or else on an equivalent page."""
        for each in [page, *self.graph.same(page)]:
            screen = partial(self._screen, each)
            edges = [with_box(edge, screen) for edge in self.graph.edges(each)]
            try:
                if (edge := best(edges, action, self._rule)) is not None:
                    return edge
            except TaskError as error:
                raise GraphError(f"page {each!r} of {self.graph.folder}: {error}") from None
        return None


def start_of(graph: Graph, snapshot: str) -> str:
    """Return the id of the page that a task's snapshot names.

    Raises:
        TaskError: if the graph has neither a snapshot nor a page of that name.
    """
    if snapshot in graph.snapshots:
        return graph.snapshots[snapshot]
    if snapshot in graph:
        return snapshot
    if snapshot == DEFAULT_SNAPSHOT:
        return graph.start
    what = f"{graph.folder} has neither a snapshot nor a page {snapshot!r}"
    raise TaskError(f"{what} (snapshots: {', '.join(graph.snapshots) or 'none'})")


def _ways(action: Action) -> list[tuple[Action, ...]]:
    """Return the ways in which an action may be recorded: as itself, or as a sequence."""
    if not isinstance(action, Type):
        return [(action,)]
    ways: list[tuple[Action, ...]] = [(action,)]
    typed = replace(action, at=None)
    tap = () if action.at is None else (Tap(*action.at),)
    enter = (Key("enter"),) if action.enter else ()
    if action.enter:
        ways.insert(0, (replace(action, enter=False), *enter))
    if tap:
        ways.append((*tap, typed))
    if tap and enter:
        ways.insert(2, (*tap, replace(typed, enter=False), *enter))
    return ways


def replace_time(screen: Screen, time: datetime) -> Screen:
    """Return a screen with a time; the same object if it already has that time."""
    return screen if screen.time == time else replace(screen, time=time)


def _info(graph: Graph) -> DeviceInfo:
    known: Mapping[str, Any] = graph.device
    return DeviceInfo(
        serial=f"graph:{graph.name}",
        model=known.get("model", "recorded pages"),
        android=known.get("android", ""),
        sdk=known.get("sdk", 0),
        size=graph.page(graph.start).size,
        density=known.get("density", 420),
        locale=known.get("locale") or graph.language or "en-US",
    )


def best(edges: Iterable[Edge], action: Action, rule: Rule) -> Edge | None:
    """Return the edge whose recorded action matches an action by a rule; None if there is none.

    If several match, an edge that was recorded with this very action is chosen; then the one with
    the smallest box around the action's point, then with the most similar text, then with the
    nearest point, then the most often recorded.

    Raises:
        TaskError: if the rule does not support the action of an edge.
    """
    matching = [edge for edge in edges if action == edge.golden.action or rule(action, edge.golden)]
    return min(matching, key=lambda edge: _rank(action, edge), default=None)


def with_box(edge: Edge, screen: Callable[[], Screen]) -> Edge:
    """Return an edge, with the box of the touched element if its touch was recorded without one.

    The touched element is the smallest clickable one at the point, or else the smallest one.
    `screen` returns the screen of its page, and is called only if it is needed.
    """
    golden = edge.golden
    point = point_of(golden.action)
    if golden.boxes or point is None or isinstance(golden.action, Swipe | Scroll):
        return edge
    there = sorted(screen().at(*point), key=lambda e: e.bounds.area)
    touchable = [each for each in there if each.clickable or each.long_clickable]
    boxes = tuple(each.bounds for each in (touchable or there)[:1])
    return replace(edge, golden=replace(golden, boxes=boxes)) if boxes else edge


def point_of(action: Action) -> tuple[int, int] | None:
    """Return the pixel where an action begins; None if it has no position."""
    match action:
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Swipe(x, y):
            return x, y
        case Type(at=at) | Scroll(at=at):
            return at
    return None


def _rank(action: Action, edge: Edge) -> tuple[Any, ...]:
    golden = edge.golden
    unlike = 0.0
    if isinstance(action, Type) and isinstance(golden.action, Type):
        length = len(action.text) + len(golden.action.text)
        common = common_characters(action.text, golden.action.text)
        unlike = 1 - 2 * common / length if length else 0.0
        unlike += 0.001 * (action.enter != golden.action.enter)
    is_other = action != golden.action
    return is_other, _area(action, golden), unlike, _distance(action, golden), -edge.count


def _area(action: Action, golden: Golden) -> float:
    """Return the area, in pixels, of the smallest golden box around an action's point."""
    point = point_of(action)
    around = [box for box in golden.boxes if point is None or box.contains(*point)]
    return min((box.area for box in around), default=float("inf"))


def _distance(action: Action, golden: Golden) -> float:
    one, other = point_of(action), point_of(golden.action)
    if one is None or other is None:
        return 0.0
    return float((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)
