"""A device of recorded pages.

An action follows the edge that the graph's matching rule finds for it (docs/recorded-pages.md
describes the rule). If one action on a phone corresponds to several actions on the pages, such as
typing into a field that is not focused, either all their edges are followed in turn, or none.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Key, Open, Tap, Type, Wait
from pytest_mobileagent.action.matching import rule_of
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.device.drivers.graph.edges import best, with_box
from pytest_mobileagent.episode.observation import DeviceInfo, Reset
from pytest_mobileagent.errors import GraphError, NoEdgeError, NoShellError, TaskError
from pytest_mobileagent.task.task import DEFAULT_SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.dataset.graph import Edge, Graph
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.task import Probe

_NO_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 - the clock of a phone, where no page has told it
_KEPT = 16  # screens that are shown again without being read again
NO_EDGE = "nothing is recorded for this action here"


class GraphDevice:
    """Recorded pages, one of which is shown; `show` turns to any of them.

    Every method raises GraphError if the page that it needs cannot be read.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._rule = rule_of(graph.rule)
        self._way = [graph.start]  # the pages to which the back key returns, and the one shown
        self._before: str | None = None  # the page that was left by going back
        self._has_entered = False  # the text that was typed last was entered, too
        self._time: datetime | None = None
        self._screens: OrderedDict[str, Screen] = OrderedDict()
        self.info = _info(graph)

    @property
    def system(self) -> GraphDevice:
        """What prepares it: itself."""
        return self

    @property
    def page(self) -> str:
        """The id of the page that is shown."""
        return self._way[-1]

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Return the page that is shown, and that before a step back.

        A page whose time is unknown has that of the page before it; the first, 1 January 2000.

        Raises:
            TaskError: there are probes, which recorded pages do not answer.
        """
        if probes:
            msg = f"the probe {next(iter(probes))!r} cannot be read: {self._shows_no_state()}"
            raise TaskError(msg)
        screen = self._screen(self.page)
        self._time = screen.time or self._time or _NO_TIME
        before = None if self._before is None else self._screen(self._before)
        return Capture(replace_time(screen, self._time), {}, before)

    def perform(self, action: Action) -> None:
        """Show the page to which an action leads from the one that is shown.

        Raises:
            NoEdgeError: nothing is recorded for it there.
        """
        came_from, has_entered = self.page, self._has_entered
        self._before, self._has_entered = None, False
        if action == Key("back"):
            self._go_back()
            self._before = came_from
            return
        if has_entered and action == Key("enter") and self._edge(self.page, action) is None:
            return  # it was entered as it was typed
        for way in _ways(action):
            if (steps := self._followed(way)) is not None:
                for edge, page in steps:
                    typed = None if edge is None else edge.golden.action
                    self._has_entered = isinstance(typed, Type) and typed.enter
                    self._turn(page)
                return
        raise NoEdgeError(NO_EDGE)

    def show(self, page: str) -> None:
        """Show a page, whatever was done before; the back key returns to the one before."""
        if page not in self._graph:
            msg = f"{self._graph.folder} has no page {page!r}"
            raise GraphError(msg)
        self._before, self._has_entered = None, False
        self._turn(page)

    def events(self) -> tuple[Event, ...]:
        """Return nothing: recorded pages report no events."""
        return ()

    def close(self) -> None:
        """Close the graph."""
        self._graph.close()

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Show the page that a snapshot names, or whose id it is; by default, that of the head."""
        self._way = [start_of(self._graph, snapshot)]
        self._before, self._time, self._has_entered = None, None, False
        return Reset("snapshot", snapshot)

    def refresh(self) -> None:
        """Read nothing: what is known of the pages never changes."""

    def snapshots(self) -> Sequence[str]:
        """Return the names of the head's snapshots, and that of its start."""
        return list(dict.fromkeys([DEFAULT_SNAPSHOT, *self._graph.snapshots]))

    def packages(self) -> frozenset[str]:
        """Return the apps of the pages."""
        return self._graph.packages

    def versions(self) -> Mapping[str, str]:
        """Return the apps of the pages, of which no version is known."""
        return dict.fromkeys(self.packages(), "")

    def shell(self, script: str) -> str:
        """Refuse: there is none.

        Raises:
            NoShellError: always.
        """
        raise NoShellError(self._shows_no_state())

    def _shows_no_state(self) -> str:
        return f"{self.info.serial} has recorded pages, and no shell behind them"

    def _screen(self, page: str) -> Screen:
        screen = self._screens.pop(page, None) or self._graph.screen(page)
        self._screens[page] = screen
        if len(self._screens) > _KEPT:
            self._screens.popitem(last=False)
        return screen

    def _turn(self, page: str) -> None:
        if page != self.page:
            self._way.append(page)

    def _go_back(self) -> None:
        """Take the recorded edge, or else return to the page before.

        Raises:
            NoEdgeError: there is neither.
        """
        edge = self._edge(self.page, Key("back"))
        if edge is None:
            if len(self._way) == 1:
                raise NoEdgeError(NO_EDGE)
            self._way.pop()
            return
        self._way.pop()
        if self._way and self._graph.equivalent(self._way[-1], edge.target):
            self._way.pop()
        self._way.append(edge.target)

    def _followed(self, actions: Sequence[Action]) -> list[tuple[Edge | None, str]] | None:
        """Return the edges and pages on the way of actions; None if one of them leads nowhere."""
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
        """Return where an action leads from pages that have no edge for it."""
        match action:
            case Wait():
                return here
            case Key("home"):
                return self._graph.home or None
            case Open(app):
                return self._graph.apps.get(app)
        return None

    def _edge(self, page: str, action: Action) -> Edge | None:
        """Return the edge of an action; those of equal pages count where the page has none."""
        for each in [page, *self._graph.same(page)]:
            edges = [with_box(edge, self._screen(each)) for edge in self._graph.edges(each)]
            try:
                if (edge := best(edges, action, self._rule)) is not None:
                    return edge
            except TaskError as error:
                msg = f"page {each!r} of {self._graph.folder}: {error}"
                raise GraphError(msg) from None
        return None


def start_of(graph: Graph, snapshot: str) -> str:
    """Return the page that a task's snapshot names.

    Raises:
        TaskError: it names none.
    """
    if snapshot in graph.snapshots:
        return graph.snapshots[snapshot]
    if snapshot in graph:
        return snapshot
    if snapshot == DEFAULT_SNAPSHOT:
        return graph.start
    names = ", ".join(graph.snapshots) or "none"
    msg = f"{graph.folder} has neither a snapshot nor a page {snapshot!r} (snapshots: {names})"
    raise TaskError(msg)


def _ways(action: Action) -> list[tuple[Action, ...]]:
    """Return what may be recorded of an action: itself, or what it does one after the other."""
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
    """Return a screen with a time, the same one if it has it."""
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
