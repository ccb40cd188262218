"""Lists what recorded pages lack for golden paths, and where these contradict the pages."""

from __future__ import annotations

from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import ends_episode
from pytest_mobileagent.action.matching import Golden, golden_to_json
from pytest_mobileagent.dataset.graph.checks import flaws, flaws_of_task
from pytest_mobileagent.device.doctor.checks import Doubtful
from pytest_mobileagent.device.drivers.graph import GraphDevice, point_of
from pytest_mobileagent.errors import GraphError, NoEdgeError
from pytest_mobileagent.jsonable import plural, to_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent._task.task import Task
    from pytest_mobileagent.dataset.graph import Graph
    from pytest_mobileagent.device.device import Device

# The groups of the list, in order, and their headings.
_HEADINGS = {
    "graph": "flaws for which the graph is refused",
    "leaves": "golden paths that leave the graph",
    "boxes": "golden actions outside their boxes or their pages",
    "way": "golden actions that lead elsewhere on many paths",
    "goals": "goals with several golden paths",
    "pages": "what the agent cannot see",
}
_NAMED = 10  # the most findings of a group that are listed


def list_pages(tasks: Mapping[str, Task], device: GraphDevice) -> tuple[set[str], list[str]]:
    """Return the ids of the tasks that cannot run on recorded pages, and the lines of the list.

    A run refuses a graph with flaws, so no task can run on it.
    """
    graph = device.graph
    found: dict[str, list[str]] = {group: [] for group in _HEADINGS}
    found["graph"] = list(flaws(graph))
    stuck = set(tasks) if found["graph"] else set[str]()
    for name, task in tasks.items():
        if found["graph"]:
            break
        if leaves := list(flaws_of_task(graph, task)):
            more = f", and {len(leaves) - 1} more" if len(leaves) > 1 else ""
            found["leaves"].append(f"{_short(name)}: {leaves[0]}{more}")
            stuck.add(name)
            continue
        for group, what in _of_golden(task, device):
            found[group].append(f"{_short(name)}, {what}")
    found["goals"] = list(
        _with_several_paths({name: task for name, task in tasks.items() if name not in stuck})
    )
    found["pages"] = list(_unseen(graph))
    return stuck, [line for group, each in found.items() for line in _lines(group, each)]


def contents(device: Device) -> str:
    """All recorded pages have a screenshot and a view hierarchy."""
    if not isinstance(device, GraphDevice):
        return "pages of another kind than graphs, which are not examined"
    if unseen := list(_unseen(device.graph)):
        raise Doubtful("; ".join(unseen), "agents that declare that they need these are refused")
    return f"{plural(len(device.graph), 'page')} with a screenshot and a view hierarchy"


def _lines(group: str, found: list[str]) -> Iterator[str]:
    if found:
        yield f"{_HEADINGS[group]} ({len(found)}):"
    yield from (f"  [ ] {each}" for each in found[:_NAMED])
    if len(found) > _NAMED:
        yield f"  and {len(found) - _NAMED} more"


def _of_golden(task: Task, device: GraphDevice) -> Iterator[tuple[str, str]]:
    """Yield what contradicts the pages in a task's golden actions, with the group of each."""
    golden = list(task.golden)
    for number, (each, following) in enumerate(zip_longest(golden, golden[1:]), 1):
        if not isinstance(each, Golden) or not each.page:
            continue
        step = f"step {number}, {each.action!r}"
        if outside := _outside(each, device.graph.page(each.page).size):
            yield "boxes", f"{step}: {outside}"
        if not ends_episode(each.action) and isinstance(following, Golden) and following.page:
            led = _led(each, device)
            if led is None or not device.graph.equivalent(led, following.page):
                elsewhere = "nowhere" if led is None else f"to {led!r}"
                yield "way", f"{step}: leads {elsewhere}, not to {following.page!r}"


def _outside(golden: Golden, size: tuple[int, int]) -> str:
    """Return how a golden action does not fit into its boxes and its page; empty if it does."""
    if golden.size != size:
        ours, its = ("x".join(map(str, sides)) for sides in (golden.size, size))
        return f"it is on a screen of {ours}, its page has {its}"
    point = point_of(golden.action)
    if point is None:
        return ""
    if not (point[0] < size[0] and point[1] < size[1]):
        return f"its page has {size[0]}x{size[1]} pixels"
    if golden.boxes and not any(box.contains(*point) for box in golden.boxes):
        others = f", nor in the other {more}" if (more := len(golden.boxes) - 1) else ""
        return f"it is not in {tuple(golden.boxes[0])}{others}"
    return ""


def _led(golden: Golden, device: GraphDevice) -> str | None:
    """Return the page to which a golden action leads on many paths; None if it leads nowhere."""
    device.show(golden.page)
    try:
        device.perform(golden.action)
    except (NoEdgeError, GraphError):
        return None
    return device.page


def _with_several_paths(tasks: Mapping[str, Task]) -> Iterator[str]:
    """Yield the goals that several tasks have with different golden actions, and these tasks."""
    known: dict[str, dict[str, str]] = defaultdict(dict)
    for name, task in tasks.items():
        path = [golden_to_json(each) for each in task.golden if isinstance(each, Golden)]
        if path and len(path) == len(task.golden):
            known[" ".join(task.goal.split())].setdefault(to_line(path), name)
    for goal, paths in known.items():
        names = list(paths.values())
        starts = {tasks[name].snapshot for name in names}
        same = ", from the same page" if len(starts) < len(names) else ""
        if len(names) > 1:
            yield f"{goal!r}: {', '.join(map(_short, names))}{same}"


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _unseen(graph: Graph) -> Iterator[str]:
    for what, count in graph.count_lacking().items():
        if count:
            yield f"{count} of {plural(len(graph), 'page')} without a {what}"
