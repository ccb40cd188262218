"""One task with one set of parameters in one environment and epoch: the identity of an episode."""

from __future__ import annotations

import hashlib
import inspect
import re
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import expect, to_wire
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# What a record keeps of a task; functions, probes and solutions stay in the source.
_RECORDED: dict[str, Any] = {
    "goal": str,
    "apps": list,
    "kind": str,
    "level": int | None,
    "language": str,
    "golden_steps": int | None,
    "step_limit": int | None,
    "tags": list,
    "source": str,
    "needs": list,
    "snapshot": str,
    "wording": str,
    "task_set": str,
    "twin": str,
    "variant": str,
}
_OWN: dict[str, Any] = {
    "id": str,
    "suite": str,
    "nodeid": str,
    "parameters": dict,
    "environment": str | None,
    "epoch": int,
}


@dataclass(frozen=True, slots=True)
class Case:
    """A task as one test item asks it; made at collection, held by all that follows from it.

    - `id` names the task in reports, the same for all its epochs and environments.
    - `suite` is the folder of its file, below the first folder of the project ("coursera" for
      tasks/coursera), unless the task names one.
    - `nodeid` is pytest's.
    - `parameters` fill the goal's placeholders: fixed ones, and those drawn for this epoch.
    - `environment` is the id of one, or None; `epoch` counts repetitions from 0.
    - `extra` keeps what a record of a newer version says and this one does not know.
    """

    task: Task
    id: str
    suite: str = ""
    nodeid: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: str | None = None
    epoch: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The id, with the environment if there is one, and the epoch unless that is the first."""
        return key_of(self.id, self.environment, self.epoch)

    def arguments_of(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the parameters that a function of the device names after the device.

        One of them may be `app`, the package of the task's first app.
        """
        try:
            names = list(inspect.signature(function).parameters)[1:]
        except ValueError:  # one that is built in says nothing of itself
            return {}
        app = {"app": self.task.packages[0]} if self.task.packages else {}
        given = {**app, **self.parameters}
        return {name: given[name] for name in names if name in given}

    def seed(self, run_seed: int) -> int:
        """Return the seed of this case: another for each, the same whichever worker runs it."""
        return seed_of(run_seed, self.key)

    def to_json(self) -> dict[str, Any]:
        """Return the case as plain data, the task by what a record keeps of it."""
        task = {name: getattr(self.task, name) for name in _RECORDED}
        task |= {"apps": self.task.packages, "golden_steps": self.task.shortest}
        for name in ("twin", "variant"):
            if not task[name]:  # as before there were any
                del task[name]
        own = {
            "id": self.id,
            "key": self.key,
            "suite": self.suite,
            "nodeid": self.nodeid,
            "parameters": self.parameters,
            "environment": self.environment,
            "epoch": self.epoch,
        }
        unknown_task = self.extra.get("task", {})
        unknown = {name: value for name, value in self.extra.items() if name != "task"}
        return dict(to_wire({**unknown, **own, "task": {**unknown_task, **task}}))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """Return the case that `to_json` made `data` of.

        Raises:
            LookupError, TypeError: the data is not a case.
        """
        task = expect(expect(data, dict, "case")["task"], dict, "task")
        known = {*_OWN, "key", "task"}
        extra = {name: value for name, value in data.items() if name not in known}
        if beyond := {name: value for name, value in task.items() if name not in _RECORDED}:
            extra["task"] = beyond
        own = {n: expect(data[n], kind, f"case.{n}") for n, kind in _OWN.items() if n in data}
        return cls(task=_recorded_task(task), extra=extra, **own)


def seed_of(run_seed: int, key: str) -> int:
    """Return the seed of what a key names, derived from the run's."""
    content = f"{run_seed} {key}".encode("utf-8", "surrogatepass")  # keys may hold half of a pair
    return int.from_bytes(hashlib.sha256(content).digest()[:4])


def _recorded_task(recorded: Mapping[str, Any]) -> Task:
    """Return a task as it was recorded, unchecked: a newer version may know other kinds."""
    task = object.__new__(Task)
    for each in fields(Task):
        default = None if each.default is MISSING else each.default
        if each.default_factory is not MISSING:
            default = each.default_factory()
        value = default
        if each.name in _RECORDED and each.name in recorded:
            kind = _RECORDED[each.name]
            value = expect(recorded[each.name], kind, f"task.{each.name}")
            if kind is list:
                value = tuple(expect(word, str, f"task.{each.name}") for word in value)
        object.__setattr__(task, each.name, value)
    return task


def without_variant(id: str, variant: str) -> str:
    """Return the id of a task without the name of its variant: "a/mug[full]" becomes "a/mug"."""
    if not variant:
        return id
    cut = re.sub(rf"([\[-]){re.escape(variant)}(?=[\]-])", r"\1", id, count=1)
    return cut.replace("[]", "").replace("[-", "[").replace("-]", "]").replace("--", "-")


def key_of(id: str, environment: str | None, epoch: int) -> str:
    """Return what identifies a case in every run: see `Case.key`."""
    place = f"{id}@env{environment}" if environment else id
    return f"{place}@{epoch}" if epoch else place
