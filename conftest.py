"""Register the agents, apps and environments of this repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

pytest_plugins = ["pytester"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the exploration tasks (tasks/explore) unless they are named explicitly."""
    is_exploring = collection_path == config.rootpath / "tasks" / "explore"
    return True if is_exploring and not any("explore" in arg for arg in config.args) else None


def pytest_mobileagent_agents(config: pytest.Config) -> Path:
    """Return the folder in which `--agent` finds agents by name."""
    return config.rootpath / "agents"


def pytest_mobileagent_environments(config: pytest.Config) -> Path:
    """Return the folder of the environments that `--mobile-env` selects."""
    return config.rootpath / "fixtures" / "environments"


def pytest_mobileagent_apps(config: pytest.Config) -> Path:
    """Return the folder of the apps that virtual devices install."""
    return config.rootpath / "fixtures" / "apps"
