"""The suite's agents, apps and environments are registered here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

pytest_plugins = ["pytester"]


def pytest_mobileagent_agents(config: pytest.Config) -> Path:
    """Return the folder whose files `--agent` finds by name."""
    return config.rootpath / "agents"


def pytest_mobileagent_environments(config: pytest.Config) -> Path:
    """Return the folder of the environments that `--mobile-env` names."""
    return config.rootpath / "fixtures" / "environments"


def pytest_mobileagent_apps(config: pytest.Config) -> Path:
    """Return the folder of the apps that virtual devices have."""
    return config.rootpath / "fixtures" / "apps"
