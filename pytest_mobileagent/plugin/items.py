"""Test functions that are tasks: the `task` decorator, and what pytest knows of each."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.episode.episode import Episode

MARKER = "mobile_task"
EPOCH = "mobile_epoch"
ENVIRONMENT = "mobile_env"
RESULT = "mobile_result"  # the attribute of a report that carries a result through pytest-xdist
EPISODE: pytest.StashKey[Episode] = pytest.StashKey()
BROKE: pytest.StashKey[list[str]] = pytest.StashKey()  # what infrastructure failed, by attempt


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
    """A test item that is a task.

    `suite` is the folder of its file, below the first folder of the project ("coursera" for
    tasks/coursera). `id` names the task in reports and is the same for all its epochs and
    environments; `key` is another for each. `environment` is the id of one, or None.
    """

    task: Task
    id: str
    suite: str
    epoch: int
    parameters: Mapping[str, Any]
    environment: str | None = None

    @property
    def key(self) -> str:
        """The id, with the environment if there is one, and the epoch unless that is the first."""
        place = f"{self.id}@{environment_id(self.environment)}" if self.environment else self.id
        return f"{place}@{self.epoch}" if self.epoch else place

    @classmethod
    def of(cls, item: pytest.Item) -> TaskItem | None:
        """Return what is known of an item, or None if it is no task."""
        if _ITEM not in item.stash:
            task = task_of(item)
            item.stash[_ITEM] = None if task is None else cls._of(item, task)
        return item.stash[_ITEM]

    @classmethod
    def _of(cls, item: pytest.Item, task: Task) -> TaskItem:
        callspec = getattr(item, "callspec", None)
        parameters = dict(callspec.params) if callspec else {}
        epoch = parameters.pop(EPOCH, None)
        environment = parameters.pop(ENVIRONMENT, None)
        *folders, file = item.nodeid.split("::")[0].split("/")
        # Not from the node id: that of a parameter may hold "::", and it may end with a group.
        classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
        name = item.name
        if epoch is not None:
            name = _without(name, epoch_id(epoch))
        if environment is not None:
            name = _without(name, environment_id(environment))
        suite = "/".join(folders[1:] or folders)
        names = [*folders, file.removesuffix(".py"), *classes, name]
        identity = "/".join(name.removeprefix("test_") for name in names)
        return cls(task, identity, suite, epoch or 0, parameters, environment)


_ITEM: pytest.StashKey[TaskItem | None] = pytest.StashKey()


def epoch_id(epoch: int) -> str:
    """Return how an epoch is named in the id of a test."""
    return f"epoch{epoch}"


def environment_id(environment: str) -> str:
    """Return how an environment is named in the id of a test."""
    return f"env{environment}"


def _without(name: str, last: str) -> str:
    """Take the last part of the id in brackets off the name of a test."""
    return re.sub(rf"[\[-]{re.escape(last)}\]$", lambda m: "]" if m[0][0] == "-" else "", name)


def task_of(node: pytest.Item) -> Task | None:
    """Return the task that a node's marker describes, or None if it has no such marker.

    Raises:
        TaskError: the marker makes no sense.
    """
    marker = node.get_closest_marker(MARKER)
    if marker is None:
        return None
    fields = dict(marker.kwargs)
    goal, *others = marker.args or (fields.pop("goal", None),)
    if others:
        msg = f"{MARKER}({goal!r}, …): fields are given by name, not {others[0]!r}"
        raise TaskError(msg)
    return _make(goal, fields)


def check_function(metafunc: pytest.Metafunc) -> bool:
    """Whether a test function is a task.

    Raises:
        TaskError: it is one that cannot be decided.
    """
    if task_of(metafunc.definition) is None:
        return False
    if "episode" not in metafunc.fixturenames:
        msg = f"{metafunc.function.__name__} is a task but does not ask for `episode`"
        raise TaskError(msg)
    if inspect.iscoroutinefunction(metafunc.function):
        msg = (
            f"{metafunc.function.__name__} is asynchronous; the body of a task is a plain function"
        )
        raise TaskError(msg)
    return True


def _make(goal: Any, fields: Mapping[str, Any]) -> Task:
    try:
        return Task(goal, **fields)
    except TypeError as error:
        msg = f"@task({goal!r}): {error}".replace("Task.__init__() got", "a task got")
        raise TaskError(msg) from None
