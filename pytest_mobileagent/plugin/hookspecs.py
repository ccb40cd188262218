"""The hooks that this plugin offers to conftest files and other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.hookspec
def pytest_mobileagent_agents(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, whose files are agents: `--agent=NAME` finds NAME.py there.

    In a conftest.py at the root of the project::

        def pytest_mobileagent_agents(config):
            return config.rootpath / "agents"
    """


@pytest.hookspec
def pytest_mobileagent_apps(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of the apps that virtual devices have.

    In a conftest.py at the root of the project::

        def pytest_mobileagent_apps(config):
            return config.rootpath / "fixtures" / "apps"
    """


@pytest.hookspec
def pytest_mobileagent_environments(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of files of environments, which `--mobile-env` names.

    In a conftest.py at the root of the project::

        def pytest_mobileagent_environments(config):
            return config.rootpath / "fixtures" / "environments"
    """
