"""What a task's result depends on, in parts: a hash of each, by which a change is named."""

from __future__ import annotations

import string
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import digest
from pytest_mobileagent.plugin.items import EPOCH, case_of
from pytest_mobileagent.plugin.reuse.deciding import CHECK
from pytest_mobileagent.plugin.reuse.sources import Sources, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.task.case import Case

_SETTINGS = ("mobile-time-limit", "mobile-settle", "mobile-ocr", "mobile-capabilities")
_JUDGES = ("llm-judge", "mobile-judges", "mobile-judge-runs")
_OWN = {"request", EPOCH, "episode", "judge", "agent", "device", "mobile_lease", "mobile_env"}


def digests(run: RunConfig, items: Iterable[pytest.Item]) -> dict[str, dict[str, str]]:
    """Return the parts of each task, by the keys of their cases."""
    sources = Sources(run.config.rootpath)
    found = {}
    for item in items:
        if (case := case_of(item)) is not None:
            parts = {**_parts(run, item, case, sources), CHECK: _check(run, item, case, sources)}
            found[case.key] = {name: digest(part) for name, part in parts.items()}
    return found


def _parts(run: RunConfig, item: pytest.Item, case: Case, sources: Sources) -> dict[str, Any]:
    """Return what the episode depends on beside that of the whole run."""
    task, environment = case.task, run.environments.get(str(case.environment))
    steps = task.limit(run.value("mobile-step-factor"))
    functions = [each for each in (task.prepare, task.clean_up) if each is not None]
    scripted = [shown(task.solution), shown(case.parameters)] if task.solution else None
    answers = [shown(task.user), shown(case.parameters)] if task.user else None
    body = sources.of(_function(item)) if task.stop_on_success else None
    return {
        "goal": [task.goal, _named_in(task.goal, case), task.instructions, task.language],
        "snapshot": [task.snapshot, task.packages, task.needs, sources.of(*functions)],
        "environment": asdict(environment) if environment is not None else None,
        "probes": [[name, _probe(probe, sources)] for name, probe in sorted(task.probes.items())],
        "user": answers,
        "solution": scripted,
        "agent fixture": sources.of(*_fixtures(item, {"agent"})),
        "step limit": min(steps, run.value("mobile-max-steps") or steps),
        "seed": case.seed(run.value("mobile-seed")),
        "settings": [run.settings[name].text for name in _SETTINGS],
        "end": body,
    }


def _check(run: RunConfig, item: pytest.Item, case: Case, sources: Sources) -> Any:
    """Return what the verdict depends on beside the episode.

    That is the test function and what it uses of the project: functions, constants, modules and
    fixtures; its parameters; whether what comes after an error counts; and, where it asks judges,
    who they are.
    """
    asked = set(getattr(item, "fixturenames", ())) - _OWN
    judges = "judge" in getattr(item, "fixturenames", ()) or run.value("mobile-judge-all")
    return [
        sources.of(_function(item), *_fixtures(item, asked)),
        {name: shown(value) for name, value in sorted(case.parameters.items())},
        case.task.success_after_error,
        [shown(mark) for mark in item.iter_markers("xfail")],
        [run.settings[name].text for name in _JUDGES] if judges else None,
    ]


def _function(item: pytest.Item) -> Any:
    return getattr(item, "function", None)


def _fixtures(item: pytest.Item, names: set[str]) -> list[Any]:
    """Return the functions of the fixtures of some names that the project defines."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    defined = [each.func for name in sorted(names) for each in known.get(name, ())]
    return [each for each in defined if not str(each.__module__).startswith("pytest_mobileagent.")]


def _named_in(goal: str, case: Case) -> dict[str, str]:
    """Return the parameters that a goal names; others are the check's."""
    names: set[str] = set()
    with suppress(ValueError):  # malformed: that is said when it is filled
        names = {str(name) for _, name, _, _ in string.Formatter().parse(goal) if name}
    return {name: shown(case.parameters[name]) for name in sorted(names & set(case.parameters))}


def _probe(probe: Any, sources: Sources) -> list[Any]:
    return [shown(probe), sources.of(type(probe)) if sources.holds(type(probe)) else []]
