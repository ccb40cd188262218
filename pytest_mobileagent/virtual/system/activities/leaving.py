"""How activities end: by finishing, by Back, or with the process of their app."""

from __future__ import annotations

import logging
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import LAUNCHER, short
from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.system.activities.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from pytest_mobileagent.virtual.app.app import Activity
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import DropBox, Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.later import Disabling, Drawer
    from pytest_mobileagent.virtual.system.packages.defaults import Defaults
    from pytest_mobileagent.virtual.system.packages.permissions import Permissions

logger = logging.getLogger(__name__)
_PHONE = Path(__file__).parents[2]  # frames in this package are of no interest to an app's author
ASKED = "@android:requestPermissions:"  # prefix of permission requests


@dataclass(eq=False, kw_only=True)
class Leaving(Tasks):
    """Ends activities; the launcher starts if none is left."""

    log: Log
    drop_box: DropBox
    changes: Changes
    proc: ProcessTable
    permissions: Permissions
    defaults: Defaults
    ime: InputMethods

    def link(self, shade: Drawer, accessibility_services: Disabling) -> None:
        """Connect the services to close or stop when activities or apps end."""
        self._shade, self._accessibility_services = shade, accessibility_services

    def home(self) -> None:
        """Show the home screen."""
        raise NotImplementedError

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
        """End an app's process and its activities."""
        process = self.proc.stop(package)
        if process is None:
            return
        self.permissions.process_ended(package)
        line = f"Killing {process.pid}:{package}/{name_of(process.uid)} (adj 0): {reason}"
        self.log.system("I", "ActivityManager", line)
        for task in self.tasks:
            task.records = [record for record in task.records if record.package != package]
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
        top = self.top
        for record in self.records():
            if record is not top and record.activity.no_history:
                self._remove(record)
        self.ime.hide()
        self._shade.close()
        self.changes.note()
        with self.guard(top.package):
            top.activity.on_resume()


def report(log: Log, package: str, pid: int, error: Exception) -> str:
    """Log a crash to the phone's log and, for the app's author, to the host's.

    Returns the stack trace.
    """
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
