"""A case: one task with its parameters, environment and epoch, which identify an episode.

`on_phone` resolves the apps of its task to the packages that are installed on a particular phone.
An app may have alternatives: `com.google.android.contacts|com.android.contacts`. The first package
that is installed on the phone replaces the alternatives wherever the task names the app in exactly
that form: among its apps, in its probes and solution, in parameters and columns. `{app}` stands for
the package of the task's first app in the goal, the solution and the probes.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_mobileagent._task import Task
from pytest_mobileagent._task.needs import alternatives, choose
from pytest_mobileagent.errors import InfrastructureError, TaskError, in_one_line
from pytest_mobileagent.jsonable import expect, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_mobileagent._task import Probe


# The fields of a task that are recorded; functions, probes and solutions stay in the source.
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
    """A task as one test item runs it. It is created at collection and never changes.

    - `id` identifies the task in reports; it is the same for all epochs and environments.
    - `suite` is the folder of its file, below the first folder of the project ("coursera" for
      tasks/coursera), unless the task names a suite.
    - `nodeid` is pytest's node id.
    - `parameters` fill the goal's placeholders: fixed values, and values drawn for this epoch.
    - `environment` is the id of an environment, or None; `epoch` counts repetitions from 0.
    - `extra` keeps fields recorded by a newer version that this version does not know.
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
        """The id, followed by the environment, if any, and by the epoch, unless it is 0."""
        return key_of(self.id, self.environment, self.epoch)

    def arguments_of(self, function: Callable[..., Any], **more: Any) -> dict[str, Any]:
        """Return the parameters that a function of the device takes after the device itself.

        The name `app` stands for the package of the task's first app; it may also name `more`.
        """
        try:
            names = list(inspect.signature(function).parameters)[1:]
        except ValueError:  # some built-in functions have no signature
            return {}
        app = {"app": self.task.packages[0]} if self.task.packages else {}
        given = {**app, **self.parameters, **more}
        return {name: given[name] for name in names if name in given}

    def call(self, what: Literal["prepare", "clean_up"], device: object) -> None:
        """Call this function of the task, if it has one, with the device and parameters it names.

        Raises:
            InfrastructureError: if the function raises it.
            TaskError: if the function raises any other exception.
        """
        if (function := getattr(self.task, what)) is not None:
            self._call(what, function, device)

    def measure(self, device: object, answer: str) -> dict[str, Any]:
        """Return the values of the task's measures, as plain data, by name.

        Raises:
            InfrastructureError, TaskError: as `call`.
        """
        found = {
            name: self._call(f"measure {name!r}", function, device, answer=answer)
            for name, function in self.task.measures.items()
        }
        return dict(to_wire(found))

    def _call(self, what: str, function: Callable[..., Any], device: object, **more: Any) -> Any:
        try:
            return function(device, **self.arguments_of(function, **more))
        except (InfrastructureError, TaskError):
            raise
        except Exception as error:
            raise TaskError(f"its {what} raised {in_one_line(error)}") from error

    def seed(self, run_seed: int) -> int:
        """Return the seed of this case. It differs between cases but not between workers."""
        return seed_of(run_seed, self.key)

    def to_json(self) -> dict[str, Any]:
        """Return the case as plain data, with the recorded fields of its task."""
        task = {name: getattr(self.task, name) for name in _RECORDED}
        task |= {"apps": self.task.packages, "golden_steps": self.task.shortest}
        for name in ("twin", "variant"):
            if not task[name]:  # absent from records written before these fields existed
                del task[name]
        own = {name: getattr(self, name) for name in ("id", "key", *_OWN)}
        unknown_task = self.extra.get("task", {})
        unknown = {name: value for name, value in self.extra.items() if name != "task"}
        return dict(to_wire({**unknown, **own, "task": {**unknown_task, **task}}))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """Return the case that `to_json` serialised as `data`.

        Raises:
            LookupError, TypeError: if the data does not describe a case.
        """
        task = expect(expect(data, dict, "case")["task"], dict, "task")
        known = {*_OWN, "key", "task"}
        extra = {name: value for name, value in data.items() if name not in known}
        if beyond := {name: value for name, value in task.items() if name not in _RECORDED}:
            extra["task"] = beyond
        own = {n: expect(data[n], kind, f"case.{n}") for n, kind in _OWN.items() if n in data}
        return cls(task=_recorded_task(task), extra=extra, **own)


def seed_of(run_seed: int, key: str) -> int:
    """Return the seed that belongs to a key, derived from the run's seed."""
    # Keys may contain lone surrogates.
    content = f"{run_seed} {key}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(content).digest()[:4])


def _recorded_task(recorded: Mapping[str, Any]) -> Task:
    """Return a recorded task without checking it: newer versions may have other kinds of task."""
    task = object.__new__(Task)
    for each in fields(Task):
        value = None if each.default is MISSING else each.default
        if each.default_factory is not MISSING:
            value = each.default_factory()
        if each.name in _RECORDED and each.name in recorded:
            kind = _RECORDED[each.name]
            value = expect(recorded[each.name], kind, f"task.{each.name}")
            if kind is list:
                value = tuple(expect(word, str, f"task.{each.name}") for word in value)
        object.__setattr__(task, each.name, value)
    return task


def without_variant(id: str, variant: str) -> str:
    """Return a task's id without its variant's name: "a/mug[full]" becomes "a/mug"."""
    if not variant:
        return id
    cut = re.sub(rf"([\[-]){re.escape(variant)}(?=[\]-])", r"\1", id, count=1)
    return cut.replace("[]", "").replace("[-", "[").replace("-]", "]").replace("--", "-")


def key_of(id: str, environment: str | None, epoch: int) -> str:
    """Return the key that identifies a case across runs (see `Case.key`)."""
    place = f"{id}@env{environment}" if environment else id
    return f"{place}@{epoch}" if epoch else place


APP = "{app}"


def has_alternatives(task: Task) -> bool:
    """Return whether any app of the task has alternative packages."""
    return any(len(alternatives(app)) > 1 for app in task.packages)


def all_packages(task: Task) -> tuple[str, ...]:
    """Return every package that the task's apps may resolve to."""
    return tuple(dict.fromkeys(each for app in task.packages for each in alternatives(app)))


def missing(task: Task, installed: Collection[str]) -> list[str]:
    """Return the apps of a task for which no package is installed, as text for a message."""
    return [
        " or ".join(alternatives(app))
        for app in task.packages
        if not any(package in installed for package in alternatives(app))
    ]


def on_phone(case: Case, installed: Collection[str]) -> Case:
    """Return the case with its apps resolved to the installed packages.

    Raises:
        TaskError: if a probe refers to the task's app, but the task names no app.
    """
    task = case.task
    chosen = {app: choose(app, installed) for app in task.packages}
    words = {app: package for app, package in chosen.items() if app != package}
    if task.packages:
        words[APP] = chosen[task.packages[0]]
    here = replace(
        task,
        app=chosen.get(task.app or "", task.app),
        apps=tuple(chosen[app] for app in task.apps),
        probes={name: _probe(name, probe, words) for name, probe in task.probes.items()},
    )
    parameters = {
        name: chosen.get(value, value) if isinstance(value, str) else value
        for name, value in case.parameters.items()
    }
    return replace(case, task=here, parameters=parameters)


def _probe(name: str, probe: Probe, words: Mapping[str, str]) -> Probe:
    """Return a probe whose strings have placeholders and alternatives replaced by packages."""
    if not is_dataclass(probe) or isinstance(probe, type):
        return probe
    texts = {each.name: getattr(probe, each.name) for each in fields(probe) if each.init}
    changed = {n: new for n, text in texts.items() if (new := _filled(text, words)) != text}
    if APP not in words and any(APP in str(text) for text in texts.values()):
        raise TaskError(f"probes[{name!r}] uses {APP}, but the task names no app")
    return cast("Probe", replace(cast("Any", probe), **changed)) if changed else probe


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(each, words) for each in value)
    if isinstance(value, str):
        for written, package in words.items():
            value = value.replace(written, package)
    return value
