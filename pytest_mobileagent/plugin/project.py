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
    """What a project registers: folders of apps, sources of devices, and where its runs are."""

    apps: list[Path] = field(default_factory=list)
    sources: Mapping[str, type[Source]] = field(default_factory=dict)
    runs: Path = Path("runs")


@dataclass(frozen=True)
class ProjectSettings:
    """The texts of options that stand in the environment or in pytest's configuration.

    `texts` has them by their ini keys, each with the folder that paths in it are of; `replies` is
    the folder in pytest's cache in which replies of models are kept.
    """

    texts: Mapping[str, tuple[str, Path]]
    replies: Path

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return the text of an option, by its ini key, and the folder that paths in it are of."""
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


class _Looker(Generic[T]):
    """Looks at pytest's configuration, and ends it before anything is collected."""

    seen: T

    def __init__(self, look: Callable[[pytest.Config], T]) -> None:
        self._look = look

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.seen = self._look(config)
        return 0


def _configured(look: Callable[[pytest.Config], T], hint: str = "") -> T:
    looker = _Looker(look)
    with contextlib.redirect_stdout(io.StringIO()):
        # This package is loaded already, so pytest cannot rewrite its asserts, and says so.
        status = pytest.main(["--quiet", "-W", "ignore"], plugins=[looker])
    if status != 0:
        msg = f"pytest cannot be configured in this folder: see above{hint}"
        raise SystemExit(msg)
    return looker.seen
