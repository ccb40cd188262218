"""Test functions that are tasks: the `task` decorator, and what pytest knows of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.episode.episode import Episode

MARKER = "mobile_task"
EPOCH = "mobile_epoch"
EPISODE: pytest.StashKey[Episode] = pytest.StashKey()


def task(goal: str, **fields: Any) -> pytest.MarkDecorator:
    """Make a test function a task: its body decides, of an episode, whether the goal was met.

    Takes the fields of `Task`. The same as the marker `mobile_task`, so `-m "mobile_task(level=1)"`
    selects by field.

    Raises:
        TaskError: a field makes no sense.
    """
    _make(goal, fields)  # so that an error is told where the task stands
    return getattr(pytest.mark, MARKER)(goal=goal, **fields)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class TaskItem:
    """A test item that is a task. `suite` is the folder of its file, `id` names it in reports."""

    task: Task
    id: str
    suite: str
    epoch: int
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, item: pytest.Item) -> TaskItem | None:
        """Return what is known of an item, or None if it is no task.

        Raises:
            TaskError: its marker makes no sense.
        """
        marker = item.get_closest_marker(MARKER)
        if marker is None:
            return None
        callspec = getattr(item, "callspec", None)
        parameters = dict(callspec.params) if callspec else {}
        epoch = parameters.pop(EPOCH, 0)
        folder = item.path.parent
        suite = "" if folder == item.config.rootpath else folder.name
        name = item.name.removeprefix("test_")
        file = item.path.stem.removeprefix("test_")
        goal = (marker.args or (marker.kwargs.get("goal"),))[0]
        fields = {name: value for name, value in marker.kwargs.items() if name != "goal"}
        task = _make(goal, fields)
        return cls(task, "/".join(filter(None, (suite, file, name))), suite, epoch, parameters)


def _make(goal: Any, fields: Mapping[str, Any]) -> Task:
    try:
        return Task(goal, **fields)
    except TypeError as error:
        msg = f"@task({goal!r}): {error}".replace("Task.__init__() got", "a task got")
        raise TaskError(msg) from None
