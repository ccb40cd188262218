"""Tasks: the stacks of activities, and how snapshots save and restore them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import HOME, MAIN, Intent, from_plain
from pytest_mobileagent.virtual.system.interfaces import Record, Task
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import Activity
    from pytest_mobileagent.virtual.system.packages.packages import Packages


@dataclass(eq=False, kw_only=True)
class Tasks:
    """All tasks, the one in front last."""

    packages: Packages
    tasks: list[Task] = field(default_factory=list)
    _next: int = 1
    _resumed: int = 0  # the number of the activity that was last in front

    @property
    def top(self) -> Record:
        """The activity on the screen."""
        return self.tasks[-1].top

    @property
    def task(self) -> Task:
        """The task in front."""
        return self.tasks[-1]

    def records(self) -> list[Record]:
        """Return all activities, the topmost first."""
        return [record for task in reversed(self.tasks) for record in reversed(task.records)]

    def below(self, record: Record) -> Record | None:
        """Return the activity directly below another, visible if that one is translucent."""
        records = self.records()
        at = next((at for at, each in enumerate(records) if each is record), len(records))
        return next(iter(records[at + 1 :]), None)

    def record_of(self, activity: Activity) -> Record | None:
        """Return the record of an activity, or None once it is finished."""
        return next((each for each in self.records() if each.activity is activity), None)

    def task_of(self, record: Record) -> Task:
        """Return the task that contains a record."""
        return next(task for task in self.tasks if record in task.records)

    @property
    def launcher(self) -> str:
        """The package of the home screen."""
        return self.packages.resolve(Intent(MAIN, categories=(HOME,)))[0][0].package

    def recent(self) -> list[Task]:
        """Return the tasks that the overview shows, the latest first."""
        launcher = self.launcher
        tasks = [task for task in self.tasks if task.package != launcher]
        shown = [task for task in tasks if not task.root.activity.exclude_from_recents]
        return sorted(shown, key=lambda task: -task.used)

    def _record(self, number: int) -> Record | None:
        return next((each for each in self.records() if each.number == number), None)

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _bring(self, task: Task) -> None:
        if task in self.tasks:
            self.tasks.remove(task)
        self.tasks.append(task)
        task.used = self._number()

    def _remove(self, record: Record) -> None:
        self.task_of(record).records.remove(record)
        self.tasks = [task for task in self.tasks if task.records]

    def save(self) -> dict[str, Any]:
        """Return all tasks, with their activities."""
        tasks = [
            {
                "number": task.number,
                "package": task.package,
                "used": task.used,
                "records": [_plain(record) for record in task.records],
            }
            for task in self.tasks
        ]
        return {"next": self._next, "tasks": tasks}

    def load(self, saved: dict[str, Any]) -> None:
        """Recreate the activities and restore their state."""
        self._next = saved["next"]
        self.tasks = [
            Task(**{**task, "records": [self._restored(**each) for each in task["records"]]})
            for task in saved["tasks"]
        ]
        self._resumed = self.top.number if self.tasks else 0

    def _restored(
        self, component: str, intent: dict[str, Any], state: dict[str, Any], **record: Any
    ) -> Record:
        found = self.packages.find(component)
        if found is None:
            raise LookupError(f"snapshot needs {component}, which is not installed")
        app, kind = found
        activity = kind(app, from_plain(intent))
        activity.state = state
        ui, over = UiState(**record.pop("ui")), record.pop("over")
        over = over and UiState(**over)
        return Record(activity=activity, component=component, ui=ui, over=over, **record)


def _plain(record: Record) -> dict[str, Any]:
    return {
        "number": record.number,
        "component": record.component,
        "intent": record.activity.intent,
        "state": record.activity.state,
        "caller": record.caller,
        "request": record.request,
        "ui": record.ui,
        "over": record.over,
    }
