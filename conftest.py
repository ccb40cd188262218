"""The suite's agents, apps and environments are registered here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

pytest_plugins = ["pytester"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tasks that only look around, where nobody asks for them: `pytest tasks`."""
    is_exploring = collection_path == config.rootpath / "tasks" / "explore"
    return True if is_exploring and not any("explore" in arg for arg in config.args) else None


def pytest_mobileagent_agents(config: pytest.Config) -> Path:
    """Return the folder whose files `--agent` finds by name."""
    return config.rootpath / "agents"


def pytest_mobileagent_environments(config: pytest.Config) -> Path:
    """Return the folder of the environments that `--mobile-env` names."""
    return config.rootpath / "fixtures" / "environments"


def pytest_mobileagent_apps(config: pytest.Config) -> Path:
    """Return the folder of the apps that virtual devices have."""
    return config.rootpath / "fixtures" / "apps"
