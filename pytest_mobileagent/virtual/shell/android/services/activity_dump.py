"""dumpsys activity: tasks, the activity on top, processes and services."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import full, short
from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.shell.android.service import fill
from pytest_mobileagent.virtual.shell.android.services.activity import service
from pytest_mobileagent.virtual.shell.android.services.package import data_folder
from pytest_mobileagent.virtual.shell.android.services.window import record
from pytest_mobileagent.virtual.ui.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context
    from pytest_mobileagent.virtual.system.interfaces import Record, Task


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Describe activities, the top one, services, processes or recent tasks."""
    phone = ctx.phone
    word = args[0] if args else ""
    if word in ("services", "s"):
        return _services(phone, args[1:])
    parts = {
        "top": _top,
        "activities": _activities,
        "processes": _processes,
        "recents": _recents,
        "broadcasts": _broadcasts,
    }
    for name, part in parts.items():
        if word == name or (word == name[0] and part is not _top):
            return part(phone)
    if word in phone.packages:
        none = f"Bad activity command, or no activities match: {word}\nUse -h for help.\n"
        return _top(phone, word) or none
    return _services(phone, []) + _recents(phone) + _activities(phone) + _processes(phone)


def _activities(phone: Phone) -> str:
    return fill(
        "activity_activities",
        tasks="\n".join(_task(phone, task) for task in reversed(phone.activities.tasks)),
        top=record(phone, phone.activities.top),
        focused=_task_name(phone, phone.activities.task),
    )


def _task(phone: Phone, task: Task) -> str:
    lines = f"  * {_task_name(phone, task)}\n"
    if task is phone.activities.task:
        lines += f"    topResumedActivity={record(phone, task.top)}\n"
    for at, each in reversed(list(enumerate(task.records))):
        lines += fill(
            "activity_record",
            at=at,
            name=record(phone, each),
            record=each,
            component=short(each.component),
            state="RESUMED" if each is phone.activities.top else "STOPPED",
        )
    return lines


def _task_name(phone: Phone, task: Task) -> str:
    return fill(
        "activity_task",
        task=task,
        kind="home" if task.package == phone.launcher else "standard",
        visible=task is phone.activities.task,
        uid=phone.packages[task.package].uid,
        count=len(task.records),
    )


def _top(phone: Phone, package: str = "") -> str:
    """List the tasks, or those of a package, ending with the one in front."""
    return "".join(
        fill(
            "activity_top",
            task=task,
            uid=phone.packages[task.package].uid,
            component=short(task.top.component),
            pid=phone.proc.pid(task.top.package),
            resumed=task.top is phone.activities.top,
            stopped=task.top is not phone.activities.top,
            views=_hierarchy(phone, task.top),
        )
        for task in phone.activities.tasks
        if package in ("", task.package)
    )


def _services(phone: Phone, wanted: list[str]) -> str:
    """List the running services: foreground services, accessibility services and the keyboard.

    Apps' other services are left out: Appium stops a recording if its recorder is listed.
    """
    foreground = [
        full(f"{app.package}/{name}")
        for app in phone.packages.apps()
        if phone.proc.running(app.package)
        for name in app.foreground_services
    ]
    keyboard = full(phone.ime.current)
    keyboards = [keyboard] if keyboard.partition("/")[0] in phone.packages else []
    running = dict.fromkeys([*foreground, *phone.accessibility_services.bound, *keyboards])
    told = [
        _service(phone, component)
        for component in running
        if wanted in ([], [component.partition("/")[0]], [component], [short(component)])
    ]
    services = "  User 0 active services:\n" + "\n".join(told) if told else "  (nothing)\n"
    return f"ACTIVITY MANAGER SERVICES (dumpsys activity services)\n{services}\n"


def _service(phone: Phone, component: str) -> str:
    package = component.partition("/")[0]
    app = phone.packages.app(package)
    return fill(
        "activity_service",
        token=f"{zlib.crc32(component.encode()) & 0xFFFFFFF:x}",
        name=short(component),
        package=package,
        path=phone.packages.path(package),
        folder=data_folder(app),
        pid=phone.proc.pid(package),
        user=name_of(app.uid).replace("_", ""),
        foreground=component in [full(f"{package}/{each}") for each in app.foreground_services],
    )


def _processes(phone: Phone) -> str:
    lines = [
        f"  *APP* UID {each.uid} ProcessRecord{{{each.pid:x} {each.pid}:{each.name}/{each.uid}}}\n"
        for each in phone.proc.list()
        if phone.proc.running(each.name)
    ]
    head = "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n"
    return head + "".join(lines) + "\n"


def _broadcasts(phone: Phone) -> str:
    """Describe the sticky broadcasts; other broadcasts are delivered immediately."""
    return fill("activity_broadcasts", battery=phone.power.battery)


def _recents(phone: Phone) -> str:
    """List the tasks, including the launcher's, starting with the one in front."""
    recent = [*reversed(phone.activities.tasks)]
    visible = [task for task in recent if task.package != phone.launcher]
    tasks = "".join(
        fill(
            "activity_recent",
            at=at,
            name=_task_name(phone, task),
            task=task,
            uid=phone.packages[task.package].uid,
            short_uid=phone.packages[task.package].uid % 10_000,
            component=short(task.root.component),
        )
        for at, task in enumerate(recent)
    )
    infos = [fill("activity_recent_info", at=at, task=task) for at, task in enumerate(visible)]
    told = "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n"
    told += f"  Recent tasks:\n{tasks}" if tasks else ""
    told += f"  Visible recent tasks (most recent first):\n{''.join(infos)}" if infos else ""
    return f"{told}\n"


def _hierarchy(phone: Phone, top: Record) -> str:
    """Describe the views of an activity, if its window is visible."""
    stack = phone.windows.stack
    shown = next((w for w in stack if w.kind == "activity" and w.record is top), None)
    if shown is None:
        return ""
    root = Node.tree(shown.box, shown.package)
    window = shown.title.rpartition(".")[2]
    decor = f"      DecorView@{_hash(top, 'decor')}[{window}]\n"
    return "    View Hierarchy:\n" + decor + "".join(_lines(root, top, (0, 0), 8))


def _lines(node: Node, top: Record, origin: tuple[int, int], indent: int) -> Iterator[str]:
    left, top_, right, bottom = node.box.bounds
    x, y = origin
    place = f"{left - x},{top_ - y}-{right - x},{bottom - y}"
    name = node.resource_id
    view = f"{_hash(top, node.path)} {_flags(node)} {place}"
    if name:
        view += f" #{0x7F000000 | zlib.crc32(name.encode()) & 0xFFFFFF:x} {_short(name)}"
    yield f"{' ' * indent}{node.class_name}{{{view}}}\n"
    for child in node.children:
        yield from _lines(child, top, (left, top_), indent + 2)


def _flags(node: Node) -> str:
    """Return the flags of a view's capabilities, then those of its state."""
    can = [
        "V" if node.visible else "I",
        "F" if node.focusable else ".",
        "E" if node.enabled else ".",
        "." if node.text or node.children else "D",
        ".",
        "V" if node.scrollable else ".",
        "C" if node.clickable else ".",
        "L" if node.long_clickable else ".",
        ".",
    ]
    state = [".", "F" if node.focused else ".", "S" if node.selected else ".", *"....."]
    return f"{''.join(can)} {''.join(state)}"


def _short(resource_id: str) -> str:
    """Shorten an id of the app's own package, as the resources do."""
    package, _, rest = resource_id.partition(":")
    return resource_id if package == "android" else f"app:{rest}"


def _hash(top: Record, path: str) -> str:
    return f"{zlib.crc32(f'{top.number}/{path}'.encode()) & 0xFFFFFFF:x}"
