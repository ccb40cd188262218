"""A project's registrations: folders of agents, apps and environments, and device sources.

Commands other than test runs read these, and the project's settings, by configuring pytest in the
current folder.
"""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.options import FOLDERS, OPTIONS
from pytest_mobileagent.plugin.sources import path_of, read_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.device.sources import Source

T = TypeVar("T")
_REPLIES = "mobileagent-replies"  # the name given to `config.cache.mkdir`


def folders(config: pytest.Config, what: str) -> list[Path]:
    """Return the project's folders of "agents", "apps", "environments" or "noise".

    Folders from the ini key come first, then folders from hooks. Of two agents with the same name,
    the last one counts.

    Raises:
        pytest.UsageError: if a folder is missing; the message says where it is named.
    """
    key, _ = FOLDERS[what]
    found = [(f"ini key {key}", path) for path in config.getini(key)]
    hook = getattr(config.hook, f"pytest_mobileagent_{what}")
    for answer in hook(config=config):
        paths = answer if isinstance(answer, list | tuple) else [answer]
        found += [(f"hook {hook.name}", Path(path)) for path in paths if path is not None]
    for source, path in found:
        if not path.is_dir():
            msg = f"{source} names {path}, which is not a folder: create it, or remove the entry"
            raise pytest.UsageError(printable(msg))
    return [path for _, path in found]


def project_sources(config: pytest.Config) -> Mapping[str, type[Source]]:
    """Return the device sources that the project's hooks add, by their prefixes.

    Raises:
        pytest.UsageError: if two have the same prefix, or one is not a source.
    """
    from pytest_mobileagent.device.sources import Source, built_in

    found: dict[str, type[Source]] = {}
    for answer in config.hook.pytest_mobileagent_sources(config=config):
        for prefix, source in (answer or {}).items():
            if Source not in getattr(source, "__mro__", ()):
                made = "must be a subclass of `Source`"
                msg = f"hook pytest_mobileagent_sources: the value for {prefix!r} {made}"
                raise pytest.UsageError(printable(msg))
            if prefix in found or prefix in built_in() or not prefix.isidentifier():
                taken = "is not a word" if not prefix.isidentifier() else "has a source already"
                msg = f"hook pytest_mobileagent_sources names the prefix {prefix!r}, which {taken}"
                raise pytest.UsageError(printable(msg))
            found[prefix] = source
    return found


def near(config: pytest.Config, path: Path) -> Path:
    """Return a path relative to pytest's working folder, or unchanged if it is outside of it."""
    here = config.invocation_params.dir
    return path.relative_to(here) if path.is_relative_to(here) else path


@dataclass
class Project:
    """A project's registrations: its app folders, device sources, and the folder of its runs.

    `device` is the default value of `--mobile-device` in the project.
    """

    apps: list[Path] = field(default_factory=list)
    sources: Mapping[str, type[Source]] = field(default_factory=dict)
    runs: Path = Path("runs")
    device: str = "virtual"


@dataclass(frozen=True)
class ProjectSettings:
    """Options that are set in the environment or in pytest's configuration.

    - `texts`: the options' texts by their ini keys, each with the folder that its paths are
      relative to.
    - `replies`: the folder in pytest's cache for the models' replies.
    """

    texts: Mapping[str, tuple[str, Path]]
    replies: Path

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return an option's text, by its ini key, and the folder that its paths are relative to.

        None if it is not set.
        """
        return self.texts.get(name)


def this_project() -> Project:
    """Return the registrations of the project in the current folder.

    Raises:
        SystemExit: if pytest cannot be configured there.
    """
    return _configured(_registered, ", or name apps with --apps")


def project_settings() -> ProjectSettings:
    """Return the options set by the environment and by the project in the current folder.

    Raises:
        SystemExit: if pytest cannot be configured there.
    """
    return _configured(_set)


def _registered(config: pytest.Config) -> Project:
    options = read_options(config)
    runs, device = path_of(config, options["mobile-runs"]), options["mobile-device"].value
    return Project(folders(config, "apps"), project_sources(config), runs, device)


def _set(config: pytest.Config) -> ProjectSettings:
    texts = {}
    for option in OPTIONS:
        if text := os.environ.get(option.variable):
            texts[option.name] = text, Path.cwd()
        elif text := config.getini(option.name):
            texts[option.name] = text, config.rootpath
    try:
        cache = os.path.expandvars(str(config.getini("cache_dir")))
    except (KeyError, ValueError):  # -p no:cacheprovider
        cache = ".pytest_cache"
    return ProjectSettings(texts, config.rootpath / cache / "d" / _REPLIES)


class _Reader(Generic[T]):
    """A plugin that reads pytest's configuration, and ends pytest before it collects anything."""

    found: T

    def __init__(self, read: Callable[[pytest.Config], T]) -> None:
        self._read = read

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.found = self._read(config)
        return 0


def _configured(read: Callable[[pytest.Config], T], hint: str = "") -> T:
    reader = _Reader(read)
    with contextlib.redirect_stdout(io.StringIO()):
        # Warnings are off, as pytest would warn that it cannot rewrite this package's asserts.
        status = pytest.main(["--quiet", "-W", "ignore"], plugins=[reader])
    if status != 0:
        raise SystemExit(f"pytest cannot be configured in this folder: see above{hint}")
    return reader.found
