"""The metadata in run.json: a run's command, its options, and a fingerprint of each part.

Also the versions that are recorded with each episode.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_mobileagent
from pytest_mobileagent._task import OWN
from pytest_mobileagent.agent.registry import ENTRY_POINTS
from pytest_mobileagent.episode.redaction import current
from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.reuse.code import imported_by, module_files
from pytest_mobileagent.plugin.reuse.digests import (
    content_of,
    digests,
    fingerprints,
    given_of,
    hash_of,
    noise_of,
    sources_of,
    tasks_of,
    wording_of,
)
from pytest_mobileagent.plugin.reuse.reusing import Rescoring, Reusing
from pytest_mobileagent.plugin.selection import WHOLE, selection
from pytest_mobileagent.plugin.settings import folders
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig

# Packages whose versions may make results differ between machines, as far as they are installed.
_PACKAGES = (
    "pytest-mobileagent", "pytest", "adbutils", "lxml", "pillow", "rapidfuzz", "rapidocr", "openai",
    "anthropic", "appium-python-client",
)  # fmt: skip
_LIMITS = ("mobile-step-factor", "mobile-max-steps", "mobile-time-limit")


def about_run(
    run: RunConfig, cases: Sequence[Case], items: Sequence[pytest.Item]
) -> dict[str, Any]:
    """Return the facts of a run that are known before its first episode, and digests of its tasks.

    All shards have the fingerprints of the whole run, so they can be told apart from other runs.
    """
    each = digests(run, items)
    if (whole := run.config.stash.get(WHOLE, None)) is not None:
        items = whole
        cases = [case for item in whole if (case := case_of(item)) is not None]
    wording = wording_of(cases)
    scored = {
        "tasks": tasks_of(cases),
        "checks": _checks(items),
        "plugin": pytest_mobileagent.__version__,
        "wording": wording if wording != [OWN] else None,
    }
    if isinstance(run.earlier, Rescoring):
        made, parts = run.earlier.made(fingerprints(scored))
        each = run.earlier.digests(each)
    else:
        made, parts = _episodes(run), fingerprints({**scored, **_parts_of_episodes(run)})
    return {
        "command": ["pytest", *map(redact_urls, map(str, run.config.invocation_params.args))],
        **made,
        "label": run.value("mobile-label"),
        "wording": wording,
        "judges": [str(judge) for judge in run.judges.references],
        "selection": selection(run.config, run.settings),
        "shard": run.settings["mobile-shard"].text,
        "suspects": run.value("mobile-suspects"),
        "redaction": rules.about() if (rules := current()) is not None else None,
        "options": {
            name: {"value": setting.text, "source": setting.source}
            for name, setting in run.settings.items()
        },
        "fingerprints": parts,
        "fingerprint": digest(parts),
        "digests": each,
        "reused_from": run.earlier.about.get("id") if isinstance(run.earlier, Reusing) else None,
        "versions": {"pytest-mobileagent": pytest_mobileagent.__version__},
    }


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python, the system and the packages on this machine, by name."""
    found = {
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _episodes(run: RunConfig) -> dict[str, Any]:
    return {
        "agent": run.agent_name,
        **run.models.about(),
        "device": run.settings["mobile-device"].text,
        "virtual": run.devices.source.is_virtual,
        **({} if run.devices.source.is_live else {"recorded_pages": True}),
        **({} if run.agents.published is None else {"published": run.agents.published}),
    }


def _parts_of_episodes(run: RunConfig) -> dict[str, Any]:
    has_apps = run.devices.source.is_virtual
    return {
        "apps": content_of(folders(run.config, "apps")) if has_apps else None,
        "agent": agent_of(run),
        "models": _models(run),
        "device": [
            *(run.settings[n].text for n in ("mobile-device", "mobile-driver")),
            *given_of(run, "mobile-device-time"),
        ],
        "environments": sorted(run.environments),
        "seeds": run.value("mobile-seed"),
        "limits": [
            *(run.settings[name].text for name in _LIMITS),
            *given_of(run, "mobile-pace", "mobile-path", "mobile-user"),
        ],
        "noise": noise_of(run) or None,
        "published": run.agents.published,
        "sees": given_of(run, "mobile-sees") or None,
    }


def _checks(items: Sequence[pytest.Item]) -> list[Any]:
    """Return a hash of the source of each test function, because its body is the check."""
    found = {}
    for item in items:
        function = getattr(item, "function", None)
        if function is not None and function not in found:
            try:
                source = inspect.getsource(function)
            except (OSError, TypeError):
                source = function.__code__.co_code.hex()
            found[function] = hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()
    return sorted(set(found.values()))


def _models(run: RunConfig) -> Any:
    """Return what identifies the models: their names, and the content of the scripted ones."""
    names = run.models.about()["models"]
    scripts = (each for each in run.models.choice.references if each.is_script)
    contents = [hash_of(Path(each.url or each.name)) for each in scripts]
    return [names, contents] if contents else names


def agent_of(run: RunConfig) -> Any:
    """Return what identifies the agent: its name, its options, and its source.

    The source includes the project's files that it imports, or that a program's command names.
    """
    name, project = str(run.agent), run.config.rootpath
    if (program := run.program) is not None:
        adapter = program.path.read_text("utf-8") if program.path else None
        named = _files_in(program.command, run.config.invocation_params.dir)
        own = sources_of(program.folder) if program.folder else _hashes(named, project)
        return [[redact_urls(word) for word in program.command], adapter, own]
    file = Path(name.rpartition(":")[0] or name)
    within = folders(run.config, "agents")
    near = [folder / f"{name}.py" for folder in within] + ([file] if file.suffix == ".py" else [])
    near = [path for path in near if path.is_file()] or list(_installed(name))
    packages = [folder / name for folder in within if (folder / name).is_dir()]
    mains = [*near, *(path / "__init__.py" for path in packages)]
    inside = [path.resolve() for path in packages]
    imported = imported_by(mains, project)
    others = [p for p in imported if not any(p.is_relative_to(folder) for folder in inside)]
    source = [hash_of(path) for path in (*near, *others)]
    return [name, list(run.value("mobile-agent-option") or ()), source, content_of(packages)]


def _installed(agent: str) -> Iterator[Path]:
    """Yield the files of the module of an agent that is named as module:Class or entry point."""
    module = agent.rpartition(":")[0]
    if not module:
        module = next((each.module for each in entry_points(group=ENTRY_POINTS, name=agent)), "")
    return module_files(module) if module else iter(())


def _files_in(command: Sequence[str], folder: Path) -> list[Path]:
    """Return the files that a program's command names: paths, and the module after `-m`."""
    found = [folder / word for word in command if "{" not in word]
    for option, module in pairwise(command):
        if option == "-m":
            found += module_files(f"{module}.__main__", [folder])
    return [path for path in dict.fromkeys(found) if path.is_file()]


def _hashes(files: Sequence[Path], project: Path) -> list[Any]:
    known = [path for path in files if path.resolve().is_relative_to(project.resolve())]
    imported = imported_by([path for path in files if path.suffix == ".py"], project)
    both = dict.fromkeys(path.resolve() for path in (*known, *imported))
    return [[path.name, hash_of(path)] for path in both]
