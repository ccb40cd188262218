"""Lists which tasks can run on a device, and what the others lack, as a checklist.

A task is listed under the first thing that it lacks, in this order: what the device can never
provide, apps, accounts, the web and Google's services, a physical phone, an event listener, manual
preparation. Two lists follow that do not keep tasks from running: apps whose version differs from
an earlier run's, and caveats about the results. On recorded pages, what these lack for golden
paths, and where the paths contradict the pages, comes before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent._task.case import all_packages, missing
from pytest_mobileagent._task.needs import EVENTS, PAGES, unmet
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.action.matching import Golden, golden_to_json
from pytest_mobileagent.dataset.graph.checks import flaws, flaws_of_task
from pytest_mobileagent.device.device import PageDevice, system_of
from pytest_mobileagent.device.doctor.checks import Doubtful
from pytest_mobileagent.device.drivers.graph import GraphDevice, point_of
from pytest_mobileagent.errors import GraphError, NoEdgeError
from pytest_mobileagent.jsonable import plural, to_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.dataset.graph import Graph
    from pytest_mobileagent.device.device import Device

_EMULATOR = "getprop ro.boot.qemu.avd_name; getprop ro.kernel.qemu; getprop ro.boot.qemu"
# The groups of the list, in order, and their headings, some with a remedy.
_GROUPS = {
    "never": "cannot run on an emulator",
    "refused": "cannot run on this kind of device",
    "pages": "need recorded pages (docs/recorded-pages.md)",
    "app": "not installed",
    "account": "need an account, named in --device-has",
    "web": "need the web, named in --device-has",
    "gms": "need Google's services, named as gms in --device-has",
    "physical": "need a physical phone, named as physical in --device-has",
    "events": "need an event listener (docs/events.md)",
    "manual": "need preparation by hand, then named in --device-has",
}
_NAMED = 3  # the most tasks that are named for a caveat


@dataclass(frozen=True, slots=True)
class Selected:
    """The tasks that the command line selects.

    - `tasks`: the tasks by id.
    - `labels`: the names of apps by package, from the app lists of suites.
    - `has`: what the user says that devices have (`--mobile-device-has`).
    - `versions`: the version codes of apps in an earlier run, by package.
    """

    tasks: Mapping[str, Task]
    labels: Mapping[str, str] = field(default_factory=dict)
    has: tuple[str, ...] = ()
    versions: Mapping[str, Collection[str]] = field(default_factory=dict)


class _Lack(NamedTuple):
    group: str
    what: str

    def __str__(self) -> str:
        return self.what if self.group in {"app", self.what} else f"{self.group} {self.what}"


def list_tasks(
    selected: Selected, device: Device, refuses: Callable[[Task], str] = lambda _: ""
) -> tuple[int, list[str]]:
    """Return how many of the tasks cannot run on a device, and the lines of the list.

    `refuses` returns why no device of this kind can run a task (see `Source.refuses`).
    """
    system = system_of(device)
    installed = system.packages()
    said = () if isinstance(device, PageDevice) else system.shell(_EMULATOR).split()
    is_emulator = any(each != "0" for each in said)
    under: dict[_Lack, list[Sequence[_Lack]]] = defaultdict(list)
    stuck, of_pages = set[str](), list[str]()
    if isinstance(device, GraphDevice):
        stuck, of_pages = list_pages(selected.tasks, device)
    for name, task in selected.tasks.items():
        lacks = list(_lacks(task, selected, installed, is_emulator=is_emulator))
        if why_not := refuses(task):
            lacks.append(_Lack("refused", why_not))
        if PAGES in task.needs and not isinstance(device, PageDevice):
            lacks.append(_Lack(PAGES, PAGES))
        if EVENTS in task.needs and not device.info.listener:
            lacks.append(_Lack(EVENTS, EVENTS))
        if lacks:
            lacks.sort(key=lambda lack: [*_GROUPS].index(lack.group))
            under[lacks[0]].append(lacks[1:])
            stuck.add(name)
    total = len(selected.tasks)
    head = f"{plural(total, 'task')}: {total - len(stuck)} can run here"
    differing = _other_versions(selected, system.versions()) if selected.versions else ()
    lines = [head, *_lines(under), *of_pages, *differing, *_remarks(selected.tasks)]
    return len(stuck), lines


def _lacks(
    task: Task, selected: Selected, installed: Collection[str], *, is_emulator: bool
) -> Iterator[_Lack]:
    for names in missing(task, installed):
        label = next((selected.labels[n] for n in names.split(" or ") if n in selected.labels), "")
        yield _Lack("app", f"{label} ({names})" if label else names)
    for need in unmet(task.needs, selected.has):
        kind, _, what = need.partition(":")
        group = "never" if kind == "physical" and is_emulator else kind
        yield _Lack(group, what or kind)


def _lines(under: Mapping[_Lack, Sequence[Sequence[_Lack]]]) -> Iterator[str]:
    for group, words in _GROUPS.items():
        here = {lack.what: tasks for lack, tasks in under.items() if lack.group == group}
        if not here:
            continue
        yield f"{words} ({sum(map(len, here.values()))}):"
        for what, tasks in sorted(here.items(), key=lambda each: (-len(each[1]), each[0])):
            also = Counter(str(lack) for more in tasks for lack in more)
            then = ", ".join(f"{name} {count}" for name, count in sorted(also.items()))
            yield f"  [ ] {what}  {len(tasks)}" + (f", which also lack: {then}" if then else "")


def _other_versions(selected: Selected, installed: Mapping[str, str]) -> Iterator[str]:
    """Yield the tasks' apps that had a different version, or several, in an earlier run."""
    packages = {each for task in selected.tasks.values() for each in all_packages(task)}
    rows = []
    for package in sorted(packages & selected.versions.keys() & installed.keys()):
        now, then = installed[package], sorted(selected.versions[package])
        if then != [now]:
            label = selected.labels.get(package)
            name = f"{label} ({package})" if label else package
            rows.append(f"  [ ] {name}  {now}, in the run {' and '.join(then)}")
    if rows:
        yield f"apps whose version differs from the run's ({len(rows)}):"
    yield from rows


def _remarks(tasks: Mapping[str, Task]) -> Iterator[str]:
    """Yield the caveats about results, each with the number and some names of its tasks."""
    about: dict[str, list[str]] = defaultdict(list)
    for name, task in tasks.items():
        for remark in task.remarks:
            about[remark].append(name)
    if about:
        yield "caveats about their results:"
    for remark, names in sorted(about.items(), key=lambda each: (-len(each[1]), each[0])):
        short = [name.rpartition("::")[2] for name in names[:_NAMED]]
        more = ", …" if len(names) > _NAMED else ""
        yield f"  {plural(len(names), 'task')}: {remark}  ({', '.join(short)}{more})"


# The groups of the list, in order, and their headings.
_HEADINGS = {
    "graph": "flaws for which the graph is refused",
    "leaves": "golden paths that leave the graph",
    "boxes": "golden actions outside their boxes or their pages",
    "way": "golden actions that lead elsewhere on many paths",
    "goals": "goals with several golden paths",
    "pages": "what the agent cannot see",
}
_LISTED = 10  # the most findings of a group that are listed


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
    others = {name: task for name, task in tasks.items() if name not in stuck}
    found["goals"] = list(_with_several_paths(others))
    found["pages"] = list(_unseen(graph))
    return stuck, [line for group, each in found.items() for line in _lines_of_pages(group, each)]


def contents(device: Device) -> str:
    """All recorded pages have a screenshot and a view hierarchy."""
    if not isinstance(device, GraphDevice):
        return "pages of another kind than graphs, which are not examined"
    if unseen := list(_unseen(device.graph)):
        raise Doubtful("; ".join(unseen), "agents that declare that they need these are refused")
    return f"{plural(len(device.graph), 'page')} with a screenshot and a view hierarchy"


def _lines_of_pages(group: str, found: list[str]) -> Iterator[str]:
    if found:
        yield f"{_HEADINGS[group]} ({len(found)}):"
    yield from (f"  [ ] {each}" for each in found[:_LISTED])
    if len(found) > _LISTED:
        yield f"  and {len(found) - _LISTED} more"


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
