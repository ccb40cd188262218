"""Lists which tasks can run on a device, and what the others lack, as a checklist.

A task is listed under the first thing that it lacks, in this order: what the device can never
provide, apps, accounts, the web and Google's services, a physical phone, an event listener, manual
preparation. Two lists follow that do not keep tasks from running: apps whose version differs from
an earlier run's, and caveats about the results. On recorded pages, what these lack comes before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent._task.case import all_packages, missing
from pytest_mobileagent._task.needs import EVENTS, PAGES, unmet
from pytest_mobileagent.device.device import PageDevice, system_of
from pytest_mobileagent.device.doctor.pages import list_pages
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.jsonable import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pytest_mobileagent._task.task import Task
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
    is_emulator = not isinstance(device, PageDevice) and any(
        each not in {"", "0"} for each in system.shell(_EMULATOR).split()
    )
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
