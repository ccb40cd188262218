"""What the project in the current folder registers and sets, for commands that are no test runs."""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import pytest

from pytest_mobileagent.plugin.options import OPTIONS, path_of, read_options
from pytest_mobileagent.plugin.paths import app_folders, project_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.device.sources.source import Source

T = TypeVar("T")
_REPLIES = "mobileagent-replies"  # as in `config.cache.mkdir`


@dataclass
class Project:
    """What a project registers: folders of apps, sources of devices, the folder of its runs."""

    apps: list[Path] = field(default_factory=list)
    sources: Mapping[str, type[Source]] = field(default_factory=dict)
    runs: Path = Path("runs")


@dataclass(frozen=True)
class ProjectSettings:
    """Options that are set in the environment or in pytest's configuration.

    `texts` has them by their ini keys, each with the folder to which its paths are relative;
    `replies` is the folder of pytest's cache for replies of models.
    """

    texts: Mapping[str, tuple[str, Path]]
    replies: Path

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return an option's text, by its ini key, and the folder that its paths start from."""
        return self.texts.get(name)


def this_project() -> Project:
    """Return what the project in the current folder registers.

    Raises:
        SystemExit: pytest cannot be configured in it.
    """
    return _configured(_registered, ", or name apps with --apps")


def project_settings() -> ProjectSettings:
    """Return what the environment and the project in the current folder set.

    Raises:
        SystemExit: pytest cannot be configured in it.
    """
    return _configured(_set)


def _registered(config: pytest.Config) -> Project:
    runs = path_of(config, read_options(config)["mobile-runs"])
    return Project(app_folders(config), project_sources(config), runs)


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
        # Without the warning that asserts of this package, which is loaded, cannot be rewritten.
        status = pytest.main(["--quiet", "-W", "ignore"], plugins=[reader])
    if status != 0:
        msg = f"pytest cannot be configured in this folder: see above{hint}"
        raise SystemExit(msg)
    return reader.found
