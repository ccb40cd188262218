"""The activity service: how activities start, end, and switch between tasks."""

from __future__ import annotations

import logging
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import (
    CLEAR_TASK,
    CLEAR_TOP,
    HOME,
    LAUNCHER,
    MAIN,
    NEW_TASK,
    REQUEST,
    REQUESTED,
    RESOLVER,
    SINGLE_TOP,
    TARGET,
    Intent,
    launch,
    short,
    to_plain,
)
from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.system.interfaces import Record, Task
from pytest_mobileagent.virtual.system.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import DropBox, Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.interfaces import AccessibilityBinder, ShadeControl
    from pytest_mobileagent.virtual.system.packages.permissions import Defaults, Permissions


logger = logging.getLogger(__name__)
_PHONE = Path(__file__).parents[1]  # frames in this package are of no interest to an app's author
ASKED = "@android:requestPermissions:"  # prefix of permission requests
SHELL_UID = 2000
UNKNOWN = "UNKNOWN (0)"


class Result(Enum):
    """The result of a start, as `am start` reports it."""

    STARTED = 0
    UNRESOLVED = -91
    NO_CLASS = -92
    TO_FRONT = 2
    TO_TOP = 3


@dataclass(frozen=True, slots=True)
class Started:
    """The outcome of a start."""

    result: Result
    intent: Intent
    state: str = UNKNOWN  # COLD, WARM, HOT
    milliseconds: int = 0


@dataclass(eq=False, kw_only=True)
class Activities(Tasks):
    """Starts and ends activities by Android's rules; the launcher starts if none is left."""

    log: Log
    drop_box: DropBox
    changes: Changes
    proc: ProcessTable
    permissions: Permissions
    defaults: Defaults
    ime: InputMethods

    def link(self, shade: ShadeControl, accessibility_services: AccessibilityBinder) -> None:
        """Connect the services to close or stop when activities or apps end."""
        self._shade, self._accessibility_services = shade, accessibility_services

    # Starting

    def start(
        self,
        intent: Intent,
        *,
        uid: int = SHELL_UID,
        source: Record | None = None,
        request: str = "",
    ) -> Started:
        """Start the activity that handles the intent; PermissionError if the caller may not."""
        found = self.packages.resolve(intent)
        if not found:
            missing = Result.NO_CLASS if intent.component else Result.UNRESOLVED
            return Started(missing, intent)
        chosen = self.defaults.choose(intent, found)
        if chosen is None:
            extras = {TARGET: to_plain(intent)}
            intent = replace(intent, component=RESOLVER, package="", extras=extras)
            chosen = self.packages.resolve(intent)[0]
        app, kind = chosen
        intent = replace(intent, component=kind.component(app.package))
        if not kind.exported and uid not in (0, 1000, app.uid):
            caller = f"null (pid={self.proc.pid('')}, uid={uid})"
            denied = f"Permission Denial: starting Intent {{ {intent} }} from {caller}"
            raise PermissionError(f"{denied} not exported from uid {app.uid}")
        self.log.system("I", "ActivityTaskManager", f"START u0 {{{intent}}} from uid {uid}")
        began = time.perf_counter()
        result, state = self._place(app, kind, intent, source, request)
        self._resume()
        spent = round((time.perf_counter() - began) * 1000)
        if state in ("COLD", "WARM"):
            line = f"Displayed {short(intent.component)} for user 0: +{spent}ms"
            self.log.system("I", "ActivityTaskManager", line)
        return Started(result, intent, state, spent)

    def start_from(self, activity: Activity, intent: Intent, request: str = "") -> None:
        """Start an activity on behalf of another; LookupError if none handles the intent."""
        source = self.record_of(activity)
        started = self.start(intent, uid=activity.app.uid, source=source, request=request)
        if started.result in (Result.UNRESOLVED, Result.NO_CLASS):
            raise LookupError(f"No Activity found to handle Intent {{ {intent} }}")

    def hand_over(self, activity: Activity, intent: Intent, component: str) -> None:
        """Replace the activity that asked with the one that the user chose."""
        record = self.record_of(activity)
        if record is None:
            return
        caller, request = self._record(record.caller), record.request
        under = self.task_of(record)
        self._remove(record)
        source = caller or next(iter(reversed(under.records)), None)
        chosen = replace(intent, component=component)
        self.start(chosen, uid=activity.app.uid, source=source, request=request)

    def launch(self, package: str, *, uid: int = SHELL_UID) -> Started:
        """Start an app as its launcher icon does; LookupError if it has none."""
        found = self.packages.resolve(Intent(MAIN, package=package, categories=(LAUNCHER,)))
        if not found:
            raise LookupError(package)
        app, kind = found[0]
        return self.start(launch(kind.component(app.package)), uid=uid)

    def home(self) -> None:
        """Show the home screen."""
        self.start(Intent(MAIN, categories=(HOME,), flags=NEW_TASK), uid=1000)

    def overview(self) -> None:
        """Show the recent tasks; if they are already shown, switch to the latest one."""
        if self.top.package == self.launcher and self.top.activity.state.get("view") == "overview":
            if recent := self.recent():
                self.to_front(recent[0].number)
            return
        self.home()
        self.top.activity.state.update(view="overview", page=0)
        self.changes.note()

    def _place(
        self, app: App, kind: type[Activity], intent: Intent, source: Record | None, request: str
    ) -> tuple[Result, str]:
        """Choose the task for a new activity, or reuse an existing activity."""
        fresh = self.proc.start(app.package, app.uid) is not None
        if fresh:
            self._log_process(app, intent.component)
        self.packages[app.package].stopped = False
        state = "COLD" if fresh else "WARM"
        task = self._task_for(app, intent, source)
        moved = task is not self.tasks[-1] if self.tasks else True
        self._bring(task)
        if intent.flags & CLEAR_TASK:
            task.records.clear()
        if task.records and (reused := self._reuse(task, intent, source, moved=moved)):
            return reused, "HOT" if reused is Result.TO_FRONT else UNKNOWN
        with self.guard(app.package):
            if fresh:
                app.on_create()
            record = Record(self._number(), kind(app, intent), intent.component)
            if source and request:
                record.caller, record.request = source.number, request
            task.records.append(record)
            record.activity.on_create()
        return Result.STARTED, state

    def _task_for(self, app: App, intent: Intent, source: Record | None) -> Task:
        if source and not intent.flags & NEW_TASK:
            return self.task_of(source)
        existing = next((task for task in self.tasks if task.package == app.package), None)
        return existing or Task(self._number(), app.package)

    def _reuse(
        self, task: Task, intent: Intent, source: Record | None, *, moved: bool
    ) -> Result | None:
        """Reuse an existing activity by Android's rules for launch flags."""
        components = [record.component for record in task.records]
        if intent.flags & CLEAR_TOP and intent.component in components:
            del task.records[components.index(intent.component) + 1 :]
            return self._deliver(task.top, intent)
        if intent.flags & SINGLE_TOP and task.top.component == intent.component:
            return self._deliver(task.top, intent)
        root = task.root.activity.intent
        if (source is None or intent.flags & NEW_TASK) and intent.matches(root):
            if HOME in intent.categories:
                self._deliver(task.top, intent)
            return Result.TO_FRONT if moved else Result.TO_TOP
        return None

    def _deliver(self, record: Record, intent: Intent) -> Result:
        with self.guard(record.package):
            record.activity.on_intent(intent)
        return Result.TO_TOP

    def ask_permission(self, activity: Activity, names: Sequence[str], request: str) -> None:
        """Ask the user for permissions; if there is nothing to ask, answer immediately."""
        package = activity.app.package
        self.permissions.complete(package, names)
        groups = [group.name for group in self.permissions.to_ask(package, names)]
        if not groups:
            granted = {name: self.permissions.granted(package, name) for name in names}
            activity.on_permission(request, granted)
            return
        extras = {REQUESTED: list(names), "package": package, "groups": groups}
        self.start_from(activity, Intent(REQUEST, extras=extras), f"{ASKED}{request}")

    def _log_process(self, app: App, component: str) -> None:
        pid, user = self.proc.pid(app.package), name_of(app.uid).replace("_", "")
        line = f"Start proc {pid}:{app.package}/{user} for activity {{{component}}}"
        self.log.system("I", "ActivityManager", line)

    # Ending, and what is then on top

    def finish(self, activity: Activity, result: dict[str, Any]) -> None:
        """Remove an activity and pass its result to the activity that started it."""
        record = self.record_of(activity)
        if record is None:
            return
        caller = self._record(record.caller)
        self._remove(record)
        if caller and record.request.startswith(ASKED):
            with self.guard(caller.package):
                caller.activity.on_permission(record.request.removeprefix(ASKED), result)
        elif caller and result:
            with self.guard(caller.package):
                caller.activity.on_result(record.request, result)
        self._resume()

    def back(self) -> None:
        """Handle the back key once no keyboard or dialog is open."""
        record = self.top
        with self.guard(record.package):
            if record.activity.on_back() or record.package == self.launcher:
                return
        if record is not self.top:
            return
        entry = self.task.root is record and LAUNCHER in record.activity.intent.categories
        if not entry:
            self._remove(record)
        elif len(self.tasks) > 1:  # since Android 12 an app's root activity moves to the back
            self.tasks.insert(0, self.tasks.pop())
        else:
            self.home()
        self._resume()

    def force_stop(self, package: str) -> None:
        """End an app with all its tasks."""
        if package not in self.packages:
            return
        self.packages[package].stopped = True
        self._accessibility_services.force_stopped(package)
        if not self.proc.running(package):
            return
        uid = self.packages[package].uid
        line = f"Force stopping {package} appid={uid} user=0: from pid {self.proc.pid('')}"
        self.log.system("I", "ActivityManager", line)
        self.kill(package, f"stop {package} due to from pid {self.proc.pid('')}")

    def kill(self, package: str, reason: str) -> None:
        """End an app's process and its activities, and the questions for its permissions."""
        process = self.proc.stop(package)
        if process is None:
            return
        self.permissions.process_ended(package)
        line = f"Killing {process.pid}:{package}/{name_of(process.uid)} (adj 0): {reason}"
        self.log.system("I", "ActivityManager", line)
        ended = [each.number for each in self.records() if each.package == package]
        asking = [each for each in self.records() if each.request.startswith(ASKED)]
        ended += [each.number for each in asking if each.caller in ended]
        for task in self.tasks:
            task.records = [each for each in task.records if each.number not in ended]
        self.tasks = [task for task in self.tasks if task.records]
        self._resume()

    def remove_task(self, number: int) -> None:
        """Remove a task, as swiping it away in the overview does."""
        self.tasks = [task for task in self.tasks if task.number != number]
        self._resume()

    def to_front(self, number: int) -> None:
        """Bring a task to the front, as choosing it in the overview does."""
        self._bring(next(task for task in self.tasks if task.number == number))
        self._resume()

    @contextmanager
    def guard(self, package: str) -> Iterator[None]:
        """End the app, and nothing else, if its own code fails within the context."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever an app may raise
            pid = self.proc.pid(package)
            self.drop_box.add(package, pid, report(self.log, package, pid, error))
            for record in self.records():
                if record.package == package:
                    line = f"  Force finishing activity {short(record.component)}"
                    self.log.system("W", "ActivityTaskManager", line)
            self.kill(package, "crash")

    def _resume(self) -> None:
        """Resume the activity that is now on top, starting the launcher if there is none."""
        if not self.tasks:
            self.home()
            return
        top, left = self.top, self._record(self._resumed)
        self._resumed = top.number
        if left and left is not top:
            with self.guard(left.package):
                left.activity.on_pause()
        for record in self.records():
            if record is not top and record.activity.no_history:
                self._remove(record)
        self.ime.hide()
        self._shade.close()
        self.changes.note()
        with self.guard(top.package):
            top.activity.on_resume()


def report(log: Log, package: str, pid: int, error: Exception) -> str:
    """Log a crash to the phone's log and, for the app's author, the host's; return its trace."""
    logger.error("%s crashed", package, exc_info=error)
    trace = "".join(traceback.format_exception(type(error), error, _own(error)))
    lines = ["FATAL EXCEPTION: main", f"Process: {package}, PID: {pid}", *trace.splitlines()]
    for line in lines:
        log.write("E", "AndroidRuntime", line, pid=pid, buffer="crash")
    return trace


def _own(error: Exception) -> TracebackType | None:
    """Return the traceback from where the app's code was entered, or the whole traceback."""
    entered = error.__traceback__
    while entered and Path(entered.tb_frame.f_code.co_filename).is_relative_to(_PHONE):
        entered = entered.tb_next
    return entered or error.__traceback__
