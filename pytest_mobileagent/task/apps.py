"""Resolves the apps of a task to the packages that are installed on a particular phone.

An app may have alternatives: `com.google.android.contacts|com.android.contacts`. The first package
that is installed on the phone replaces the alternatives wherever the task names the app in exactly
that form: among its apps, in its probes and solution, in parameters and columns. `{app}` stands for
the package of the task's first app in the goal, the solution and the probes.
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
        if not set(alternatives(app)) & set(installed)
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
    """Return a probe whose texts have placeholders and alternatives replaced by packages."""
    if not is_dataclass(probe) or isinstance(probe, type):
        return probe
    texts = {each.name: getattr(probe, each.name) for each in fields(probe) if each.init}
    changed = {n: new for n, text in texts.items() if (new := _filled(text, words)) != text}
    if APP not in words and any(APP in str(text) for text in texts.values()):
        msg = f"probes[{name!r}] uses {APP}, but the task names no app"
        raise TaskError(msg)
    return cast("Probe", replace(cast("Any", probe), **changed)) if changed else probe


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(each, words) for each in value)
    if isinstance(value, str):
        for written, package in words.items():
            value = value.replace(written, package)
    return value
