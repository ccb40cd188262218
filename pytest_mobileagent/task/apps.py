"""A task on one phone: which of its apps' packages it is about there.

An app may have alternatives: `com.google.android.contacts|com.android.contacts`. The first package
that a phone has is the task's app there. It takes the place of the alternatives wherever the task
names them as they are written: among its apps, in its probes and solution, in parameters and
columns. `{app}` stands for the package of the task's first app in goal, solution and probes.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.task.needs import alternatives, choose

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_mobileagent.task.case import Case
    from pytest_mobileagent.task.task import Probe, Task

APP = "{app}"


def has_alternatives(task: Task) -> bool:
    """Whether an app of the task has more than one package."""
    return any(len(alternatives(app)) > 1 for app in task.packages)


def all_packages(task: Task) -> tuple[str, ...]:
    """Return each package that an app of the task may have."""
    return tuple(dict.fromkeys(each for app in task.packages for each in alternatives(app)))


def missing(task: Task, installed: Collection[str]) -> list[str]:
    """Return the apps of a task of which no package is installed, in words."""
    return [
        " or ".join(alternatives(app))
        for app in task.packages
        if not set(alternatives(app)) & set(installed)
    ]


def on_phone(case: Case, installed: Collection[str]) -> Case:
    """Return a case as it is on a phone with these packages.

    Raises:
        TaskError: a probe asks for the task's app, and the task names none.
    """
    task = case.task
    chosen = {app: choose(app, installed) for app in task.packages}
    words = {app: package for app, package in chosen.items() if app != package}
    if task.packages:
        words[APP] = chosen[task.packages[0]]
    probes = {name: _probe(name, probe, words) for name, probe in task.probes.items()}
    here = replace(
        task,
        app=chosen.get(task.app or "", task.app),
        apps=tuple(chosen[app] for app in task.apps),
        probes=probes,
    )
    parameters = {name: _parameter(value, chosen) for name, value in case.parameters.items()}
    return replace(case, task=here, parameters=parameters)


def _parameter(value: Any, chosen: Mapping[str, str]) -> Any:
    return chosen.get(value, value) if isinstance(value, str) else value


def _probe(name: str, probe: Probe, words: Mapping[str, str]) -> Probe:
    """Return a probe with packages in its texts in place of what stands for them."""
    if not is_dataclass(probe) or isinstance(probe, type):
        return probe
    texts = {each.name: getattr(probe, each.name) for each in fields(probe) if each.init}
    changed = {n: new for n, text in texts.items() if (new := _filled(text, words)) != text}
    if APP not in words and any(APP in str(text) for text in texts.values()):
        msg = f"probes[{name!r}] asks for {APP}, and the task names no app"
        raise TaskError(msg)
    return cast("Probe", replace(cast("Any", probe), **changed)) if changed else probe


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(each, words) for each in value)
    if isinstance(value, str):
        for written, package in words.items():
            value = value.replace(written, package)
    return value
