"""How activities end: they finish, are left with Back, or go with the process of their app."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import LAUNCHER, short
from pytest_mobileagent.virtual.kernel.users import name_of
from pytest_mobileagent.virtual.system.activities.asking import ASKED
from pytest_mobileagent.virtual.system.activities.crash import report
from pytest_mobileagent.virtual.system.activities.tasks import Record, Tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.app.app import Activity


class Leaving(Tasks):
    """Ends activities; when none is left, the launcher's comes."""

    def home(self) -> None:
        """Show the home screen."""
        raise NotImplementedError

    def finish(self, activity: Activity, result: dict[str, Any]) -> None:
        """Remove an activity and hand its result to the one that asked for it."""
        record = self.record_of(activity)
        if record is None:
            return
        caller = self._record(record.caller)
        self._remove(record)
        if caller and record.request.startswith(ASKED):
            with self.guard(caller):
                caller.activity.on_permission(record.request.removeprefix(ASKED), result)
        elif caller and result:
            with self.guard(caller):
                caller.activity.on_result(record.request, result)
        self._resume()

    def back(self) -> None:
        """Do what the back key does once no keyboard or dialog is open."""
        record = self.top
        with self.guard(record):
            if record.activity.on_back() or record.package == self._phone.launcher:
                return
        if record is not self.top:
            return
        entry = self.task.root is record and LAUNCHER in record.activity.intent.categories
        if not entry:
            self._remove(record)
        elif len(self.tasks) > 1:  # since Android 12 the entry of an app is kept, in the back
            self.tasks.insert(0, self.tasks.pop())
        else:
            self.home()
        self._resume()

    def force_stop(self, package: str) -> None:
        """End an app with all its tasks."""
        if package not in self._phone.packages:
            return
        self._phone.packages[package].stopped = True
        self._phone.accessibility_services.force_stopped(package)
        if not self._phone.proc.running(package):
            return
        uid = self._phone.packages[package].uid
        line = f"Force stopping {package} appid={uid} user=0: from pid {self._phone.proc.pid('')}"
        self._phone.log.system("I", "ActivityManager", line)
        self.kill(package, f"stop {package} due to from pid {self._phone.proc.pid('')}")

    def kill(self, package: str, reason: str) -> None:
        """End an app's process and its activities."""
        process = self._phone.proc.stop(package)
        if process is None:
            return
        self._phone.permissions.process_ended(package)
        line = f"Killing {process.pid}:{package}/{name_of(process.uid)} (adj 0): {reason}"
        self._phone.log.system("I", "ActivityManager", line)
        for task in self.tasks:
            task.records = [record for record in task.records if record.package != package]
        self.tasks = [task for task in self.tasks if task.records]
        self._resume()

    def remove_task(self, number: int) -> None:
        """Swipe a task away from the overview."""
        self.tasks = [task for task in self.tasks if task.number != number]
        self._resume()

    def to_front(self, number: int) -> None:
        """Choose a task from the overview."""
        self._bring(next(task for task in self.tasks if task.number == number))
        self._resume()

    @contextmanager
    def guard(self, record: Record) -> Iterator[None]:
        """Let a failure of an activity's own code end its app, and nothing else."""
        with self.surviving(record.package):
            yield

    @contextmanager
    def surviving(self, package: str) -> Iterator[None]:
        """Let a failure of an app's own code end it, whatever part of it was running."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever an app may raise
            report(self._phone.log, package, self._phone.proc.pid(package), error)
            for record in self.records():
                if record.package == package:
                    line = f"  Force finishing activity {short(record.component)}"
                    self._phone.log.system("W", "ActivityTaskManager", line)
            self.kill(package, "crash")

    def _resume(self) -> None:
        """Let the activity that is now on top know, starting the launcher if there is none."""
        if not self.tasks:
            self.home()
            return
        top = self.top
        for record in self.records():
            if record is not top and record.activity.no_history:
                self._remove(record)
        self._phone.ime.hide()
        self._phone.shade.close()
        self._phone.changed()
        with self.guard(top):
            top.activity.on_resume()
