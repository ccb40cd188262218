"""The folders that a project registers: agents, apps of virtual devices, environments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.sources.source import Source

_KEYS = {
    "agents": ("mobile_agent_paths", "agents, which --agent finds by name"),
    "apps": ("mobile_app_paths", "apps for virtual phones"),
    "environments": ("mobile_env_paths", "environments, which --mobile-env names"),
}


def add_path_keys(parser: pytest.Parser) -> None:
    """Register the ini keys that name folders."""
    for what, (key, holds) in _KEYS.items():
        text = f"folders of {holds}, relative to this file (see also pytest_mobileagent_{what})"
        parser.addini(key, text, type="paths", default=[])


def check_folders(config: pytest.Config) -> None:
    """Check that all registered folders exist.

    Raises:
        pytest.UsageError: one is missing; the text says where it is named.
    """
    for what in _KEYS:
        _folders(config, what)


def agent_folders(config: pytest.Config) -> list[Path]:
    """Return the project's folders of agents; of two agents with the same name, the last counts."""
    return _folders(config, "agents")


def app_folders(config: pytest.Config) -> list[Path]:
    """Return the project's folders of apps for virtual devices."""
    return _folders(config, "apps")


def environment_folders(config: pytest.Config) -> list[Path]:
    """Return the project's folders of environments."""
    return _folders(config, "environments")


def project_sources(config: pytest.Config) -> Mapping[str, type[Source]]:
    """Return the sources of devices that the project's hooks add, by their prefixes.

    Raises:
        pytest.UsageError: two have the same prefix, or one is no source.
    """
    from pytest_mobileagent.device.sources.source import Source, built_in

    found: dict[str, type[Source]] = {}
    for answer in config.hook.pytest_mobileagent_sources(config=config):
        for prefix, source in (answer or {}).items():
            if Source not in getattr(source, "__mro__", ()):
                made = "has to be a class made of `Source`"
                msg = f"hook pytest_mobileagent_sources: what it names {prefix!r} {made}"
                raise pytest.UsageError(printable(msg))
            if prefix in found or prefix in built_in() or not prefix.isidentifier():
                taken = "is no word" if not prefix.isidentifier() else "has a source already"
                msg = f"hook pytest_mobileagent_sources names the prefix {prefix!r}, which {taken}"
                raise pytest.UsageError(printable(msg))
            found[prefix] = source
    return found


def near(config: pytest.Config, path: Path) -> Path:
    """Return a path relative to where pytest was started; absolute if it lies elsewhere."""
    here = config.invocation_params.dir
    return path.relative_to(here) if path.is_relative_to(here) else path


def _folders(config: pytest.Config, what: str) -> list[Path]:
    """Return the folders that ini keys name, then those that hooks return."""
    key, _ = _KEYS[what]
    found = [(f"ini key {key}", path) for path in config.getini(key)]
    hook = getattr(config.hook, f"pytest_mobileagent_{what}")
    for answer in hook(config=config):
        paths = answer if isinstance(answer, list | tuple) else [answer]
        found += [(f"hook {hook.name}", Path(path)) for path in paths if path is not None]
    for source, path in found:
        if not path.is_dir():
            msg = f"{source} names {path}, which is not a folder: make it, or take it out"
            raise pytest.UsageError(printable(msg))
    return [path for _, path in found]
