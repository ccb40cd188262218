"""Digests of what a task's result depends on, and fingerprints that make runs comparable.

Each part has its own hash, so a change or a difference can be named.
"""

from __future__ import annotations

import hashlib
import os
import string
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.plugin.items import EPOCH, case_of
from pytest_mobileagent.plugin.pytest_private import fixture_functions
from pytest_mobileagent.plugin.reuse import CHECK
from pytest_mobileagent.plugin.reuse.code import Sources, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest

    from pytest_mobileagent._task import Task
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig


_LARGEST_SOURCE = 1_000_000  # bytes
_LEFT_OUT = {"nodeid", "extra"}  # fields of a case
PARTS = (
    "tasks", "checks", "apps", "agent", "models", "prompts", "device", "environments", "seeds",
    "limits", "plugin", "wording", "noise", "published", "sees",
)  # fmt: skip


def fingerprints(parts: Mapping[str, Any]) -> dict[str, str | None]:
    """Return a hash for each of `PARTS`; None for parts that the run does not have."""
    given = {name: parts.get(name) for name in PARTS}
    return {name: None if part is None else digest(part) for name, part in given.items()}


def tasks_of(cases: Iterable[Case]) -> list[Any]:
    """Return what identifies the cases of a run: ids, goals and all other recorded fields."""
    each = [{n: v for n, v in case.to_json().items() if n not in _LEFT_OUT} for case in cases]
    return sorted(each, key=lambda case: str(case["key"]))


def wording_of(cases: Iterable[Case]) -> list[str]:
    """Return which wordings the goals of a run use: "own", "official", or both."""
    return sorted({case.task.wording for case in cases})


def content_of(folders: Iterable[Path]) -> list[Any]:
    """Return what identifies the files below folders: their relative paths and content hashes."""
    found: list[Any] = []
    for folder in folders:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        own = (path for path in paths if "__pycache__" not in path.parts)
        found += ([path.relative_to(folder).as_posix(), hash_of(path)] for path in own)
    return found


def sources_of(folder: Path) -> list[Any]:
    """Return what identifies a program's own files: their relative paths and content hashes.

    Very large files, hidden folders and folders of installed packages are left out.
    """
    found: list[Any] = []
    for where, folders, names in os.walk(folder):
        here = Path(where)
        folders[:] = sorted(name for name in folders if _is_own(here / name))
        paths = (here / name for name in sorted(names))
        own = (p for p in paths if p.is_file() and p.stat().st_size <= _LARGEST_SOURCE)
        found += ([path.relative_to(folder).as_posix(), hash_of(path)] for path in own)
    return found


def _is_own(folder: Path) -> bool:
    is_hidden = folder.name.startswith(".") or (folder / "pyvenv.cfg").exists()
    return not is_hidden and folder.name not in {"node_modules", "__pycache__", "runs"}


def hash_of(path: Path) -> str | None:
    """Return a hash of a file's content; None if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


_SETTINGS = ("mobile-time-limit", "mobile-settle", "mobile-ocr", "mobile-capabilities")
_JUDGES = ("llm-judge", "mobile-judges", "mobile-judge-runs")
_OWN = {"request", EPOCH, "episode", "judge", "agent", "device", "mobile_lease", "mobile_env"}


def digests(run: RunConfig, items: Iterable[pytest.Item]) -> dict[str, dict[str, str]]:
    """Return a digest of each part of each task, by the keys of their cases."""
    sources = Sources(run.config.rootpath)
    found = {}
    for item in items:
        if (case := case_of(item)) is not None:
            parts = {**_parts(run, item, case, sources), CHECK: _check(run, item, case, sources)}
            found[case.key] = {name: digest(part) for name, part in parts.items()}
    return found


def _parts(run: RunConfig, item: pytest.Item, case: Case, sources: Sources) -> dict[str, Any]:
    """Return what the episode depends on, apart from what the whole run has in common."""
    task, environment = case.task, run.environments.get(str(case.environment))
    steps = task.limit(run.value("mobile-step-factor"))
    given = (task.prepare, task.clean_up, *task.measures.values())
    functions = [each for each in given if each is not None]
    prepared = [text_of(case.arguments_of(each)) for each in functions]
    values = text_of(case.parameters)
    answers = [text_of(task.user), values, *given_of(run, "mobile-user")] if task.user else None
    return {
        "goal": [task.goal, _named_in(task.goal, case), task.instructions, task.language],
        "snapshot": [
            *(task.snapshot, task.packages, task.needs, sources.of(*functions)),
            *(each for each in prepared if each != "{}"),  # omitted if empty, as in older versions
        ],
        "environment": asdict(environment) if environment is not None else None,
        "probes": [[name, _probe(probe, sources)] for name, probe in sorted(task.probes.items())],
        "user": answers,
        "solution": [_solution(task, sources), values] if task.solution else None,
        "agent fixture": sources.of(*_fixtures(item, {"agent"})),
        "step limit": min(steps, run.value("mobile-max-steps") or steps),
        "seed": case.seed(run.value("mobile-seed")),
        "settings": [
            *(run.settings[name].text for name in _SETTINGS),
            *given_of(run, "mobile-device-time", "mobile-pace", "mobile-screenshots"),
            *noise_of(run),
            *given_of(run, "mobile-path", "mobile-sees", "mobile-side-effects"),
            *(task.may_change if run.effects is not None else ()),
        ],
        "end": sources.of(_function(item)) if task.stop_on_success else None,
        **({"golden": _golden(task, sources)} if run.value("mobile-path") != "multi" else {}),
    }


# How options are named that older versions did not have, so their defaults leave no trace.
_ADDED = {
    "mobile-device-time": "{}", "mobile-pace": "pace {}", "mobile-screenshots": "screenshots {}",
    "mobile-path": "{} path", "mobile-user": "user {}",
    "mobile-sees": "sees {}", "mobile-side-effects": "side effects {}",
}  # fmt: skip


def given_of(run: RunConfig, *names: str) -> list[str]:
    """Return what identifies the values of options, apart from the defaults."""
    given = {name: run.settings[name] for name in names}
    changed = {n: each for n, each in given.items() if each.text not in {None, each.option.default}}
    return [_ADDED[name].format(each.text) for name, each in changed.items()]


def noise_of(run: RunConfig) -> list[str | None]:
    """Return what identifies the noise; empty without noise, as in runs of older versions."""
    if run.noise is None:
        return []
    templates = [replace(each, file="") for each in run.noise.templates]
    return [f"noise {run.settings['mobile-noise'].text}", digest(list(map(repr, templates)))]


def _golden(task: Task, sources: Sources) -> list[Any]:
    """Return what identifies a task's golden actions; functions are identified by their code."""
    if not isinstance(task.golden, tuple | list):  # recorded pages, whose actions are not read here
        return [repr(task.golden), sources.of(), _solution(task, sources)]
    functions = [each for each in task.golden if callable(each)]
    return [
        ["a function" if callable(each) else text_of(each) for each in task.golden],
        sources.of(*functions),
        _solution(task, sources),
    ]


def _solution(task: Task, sources: Sources) -> Any:
    return sources.of(task.solution) if callable(task.solution) else text_of(task.solution)


def _check(run: RunConfig, item: pytest.Item, case: Case, sources: Sources) -> Any:
    """Return what the verdict depends on, apart from the episode.

    This includes the test function, and what functions, constants, modules and fixtures it uses.
    """
    asked = set(getattr(item, "fixturenames", ())) - _OWN
    judges = "judge" in getattr(item, "fixturenames", ()) or run.value("mobile-judge-all")
    official = ["official decides"] if run.value("mobile-official") == "decides" else []
    return [
        sources.of(_function(item), *_fixtures(item, asked)),
        {name: text_of(value) for name, value in sorted(case.parameters.items())},
        case.task.success_after_error,
        [text_of(mark) for mark in item.iter_markers("xfail")],
        [*(run.settings[name].text for name in _JUDGES), *official] if judges else None,
    ]


def _function(item: pytest.Item) -> Any:
    return getattr(item, "function", None)


def _fixtures(item: pytest.Item, names: set[str]) -> list[Any]:
    """Return the functions of the named fixtures, as far as the project defines them."""
    asked = sorted(names & set(getattr(item, "fixturenames", ())))
    defined = [each for name in asked for each in fixture_functions(item, name)]
    return [each for each in defined if not str(each.__module__).startswith("pytest_mobileagent.")]


def _named_in(goal: str, case: Case) -> dict[str, str]:
    """Return the parameters that occur in a goal; all others only concern the check."""
    names: set[str] = set()
    with suppress(ValueError):  # a malformed goal is reported when it is filled in
        names = {str(name) for _, name, _, _ in string.Formatter().parse(goal) if name}
    return {name: text_of(case.parameters[name]) for name in sorted(names & set(case.parameters))}


def _probe(probe: Any, sources: Sources) -> list[Any]:
    return [text_of(probe), sources.of(type(probe)) if sources.holds(type(probe)) else []]
