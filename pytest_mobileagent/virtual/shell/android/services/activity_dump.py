"""dumpsys activity: tasks, the activity on top, processes and services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import short
from pytest_mobileagent.virtual.shell.android.services.activity import service
from pytest_mobileagent.virtual.shell.android.services.window_dump import record
from pytest_mobileagent.virtual.shell.android.views import hierarchy

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context
    from pytest_mobileagent.virtual.system.activities.tasks import Record, Task


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell about activities, the top one, services, processes or recent tasks."""
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
        if word in (name, name[0]) and word != "t":
            return part(phone)
    return _services(phone, []) + _recents(phone) + _activities(phone) + _processes(phone)


def _activities(phone: Phone) -> str:
    tasks = [
        _task(phone, task, visible=task is phone.activities.task)
        for task in reversed(phone.activities.tasks)
    ]
    top = record(phone, phone.activities.top)
    return (
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n"
        "Display #0 (activities from top to bottom):\n"
        + "\n".join(tasks)
        + f"\n  ResumedActivity: {top}\n\n"
        f"  topDisplayFocusedRootTask={_task_name(phone, phone.activities.task)}\n"
        f"  mFocusedApp={top}\n\n"
    )


def _task(phone: Phone, task: Task, *, visible: bool) -> str:
    lines = [f"  * {_task_name(phone, task)}"]
    if visible:
        lines.append(f"    topResumedActivity={record(phone, task.top)}")
    for at, each in reversed(list(enumerate(task.records))):
        lines.append(f"    * Hist  #{at}: {record(phone, each)}")
        lines.append(f"      packageName={each.package} processName={each.package}")
        lines.append(f"      Intent {{ {each.activity.intent} }}")
        state = "RESUMED" if each is phone.activities.top else "STOPPED"
        lines.append(f"      mActivityComponent={short(each.component)} state={state}")
    return "\n".join(lines) + "\n"


def _task_name(phone: Phone, task: Task) -> str:
    kind = "home" if task.package == phone.launcher else "standard"
    visible = str(task is phone.activities.task).lower()
    uid = phone.packages[task.package].uid
    return (
        f"Task{{{task.root.token} #{task.number} type={kind} A={uid}:{task.package} U=0"
        f" visible={visible} visibleRequested={visible} mode=fullscreen translucent=false"
        f" sz={len(task.records)}}}"
    )


def _top(phone: Phone) -> str:
    """List the tasks from the last seen to the present one, whose activity comes last."""
    return "".join(_top_task(phone, task) for task in phone.activities.tasks)


def _top_task(phone: Phone, task: Task) -> str:
    uid = phone.packages[task.package].uid
    head = f"TASK {uid}:{task.package} id={task.number} userId=0 displayId=0(type=INTERNAL)\n"
    return head + _local(phone, task.top) + "\n"


def _local(phone: Phone, top: Record) -> str:
    resumed = str(top is phone.activities.top).lower()
    return (
        f"  ACTIVITY {short(top.component)} {top.token} pid={phone.proc.pid(top.package)}\n"
        f"    Local Activity {top.token} State:\n"
        f"      mResumed={resumed} mStopped={'false' if resumed == 'true' else 'true'}"
        " mFinished=false\n" + hierarchy(phone, top)
    )


def _services(phone: Phone, wanted: list[str]) -> str:
    head = "ACTIVITY MANAGER SERVICES (dumpsys activity services)\n"
    lines = [
        f"  * ServiceRecord{{{app.uid:x} u0 {app.package}/{name}}}\n"
        f"    isForeground={str(name in app.foreground_services).lower()}\n"
        for app in phone.packages.apps()
        for name in dict.fromkeys([*app.foreground_services, *app.services])
        if phone.proc.running(app.package) and wanted in ([], [app.package])
    ]
    return head + ("".join(lines) or "  (nothing)\n") + "\n"


def _processes(phone: Phone) -> str:
    lines = [
        f"  *APP* UID {each.uid} ProcessRecord{{{each.pid:x} {each.pid}:{each.name}/{each.uid}}}\n"
        for each in phone.processes()
        if phone.proc.running(each.name)
    ]
    head = "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n"
    return head + "".join(lines) + "\n"


def _broadcasts(phone: Phone) -> str:
    """Tell the states that apps can ask for; broadcasts themselves are delivered at once."""
    battery = phone.power.battery
    return (
        "ACTIVITY MANAGER BROADCAST STATE (dumpsys activity broadcasts)\n"
        "  Sticky broadcasts for user 0:\n"
        "  * Sticky action android.intent.action.BATTERY_CHANGED:\n"
        "    Intent: act=android.intent.action.BATTERY_CHANGED flg=0x60000010 (has extras)\n"
        f"      extras: Bundle[{{level={battery.level}, scale=100, status={battery.status},"
        f" health={battery.health}, present={str(battery.present).lower()}}}]\n\n"
    )


def _recents(phone: Phone) -> str:
    """List the tasks from the one in front to the last seen, the home screen's too."""
    blocks = [
        f"  * Recent #{at}: {_task_name(phone, task)}\n"
        f"    userId=0 effectiveUid=u0a{phone.packages[task.package].uid % 10_000}\n"
        f"    affinity={phone.packages[task.package].uid}:{task.package}\n"
        f"    intent={{{task.root.activity.intent}}}\n"
        f"    mActivityComponent={short(task.root.component)}\n"
        for at, task in enumerate(reversed(phone.activities.tasks))
    ]
    head = "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n"
    return head + ("  Recent tasks:\n" if blocks else "") + "".join(blocks) + "\n"
