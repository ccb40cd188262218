"""The folders that a project registers: agents, apps of virtual devices, environments."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def agent_folders(config: pytest.Config) -> list[Path]:
    """Return the folders of agents that conftest files and plugins register."""
    return _folders(config.hook.pytest_mobileagent_agents(config=config), "agents")


def app_folders(config: pytest.Config) -> list[Path]:
    """Return the folders of apps that conftest files and plugins register."""
    return _folders(config.hook.pytest_mobileagent_apps(config=config), "apps")


def environment_folders(config: pytest.Config) -> list[Path]:
    """Return the folders of environments that conftest files and plugins register."""
    return _folders(config.hook.pytest_mobileagent_environments(config=config), "environments")


def apps_of_project() -> list[Path]:
    """Return the folders of apps that the project in the current folder registers."""
    probe = _Probe()
    with contextlib.redirect_stdout(io.StringIO()):
        # This package is loaded already, so pytest cannot rewrite its asserts, and says so.
        status = pytest.main(["--quiet", "-p", "no:cacheprovider", "-W", "ignore"], plugins=[probe])
    if status != 0:
        msg = "pytest cannot be configured in this folder; mend that, or name apps with --apps"
        raise SystemExit(msg)
    return probe.folders


class _Probe:
    """A plugin that asks pytest's configuration and ends it before anything is collected."""

    def __init__(self) -> None:
        self.folders: list[Path] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.folders = app_folders(config)
        return 0


def _folders(answers: Iterable[Any], what: str) -> list[Path]:
    paths = [
        Path(path)
        for answer in answers
        if answer is not None
        for path in (answer if isinstance(answer, list | tuple) else [answer])
    ]
    for path in paths:
        if not path.is_dir():
            msg = f"pytest_mobileagent_{what} registers {path}, which is not a folder"
            raise pytest.UsageError(msg)
    return paths
