"""The hooks that this plugin offers to conftest files and other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.device.sources import Source
    from pytest_mobileagent.verdict import Verdict


@pytest.hookspec
def pytest_mobileagent_agents(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, whose files are agents: `--agent=NAME` finds NAME.py there.

    The same as the ini key `mobile_agent_paths`. In a conftest.py at the root of the project::

        def pytest_mobileagent_agents(config):
            return config.rootpath / "agents"
    """


@pytest.hookspec
def pytest_mobileagent_apps(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of the apps that virtual devices have.

    The same as the ini key `mobile_app_paths`. In a conftest.py at the root of the project::

        def pytest_mobileagent_apps(config):
            return config.rootpath / "fixtures" / "apps"
    """


@pytest.hookspec
def pytest_mobileagent_sources(config: pytest.Config) -> Mapping[str, type[Source]] | None:
    """Return sources of devices by their prefixes, which `--mobile-device=PREFIX:TEXT` names.

    In a conftest.py at the root of the project (docs/devices.md has a whole source)::

        def pytest_mobileagent_sources(config):
            return {"farm": FarmSource}
    """


@pytest.hookspec
def pytest_mobileagent_environments(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of files of environments, which `--mobile-env` names.

    The same as the ini key `mobile_env_paths`. In a conftest.py at the root of the project::

        def pytest_mobileagent_environments(config):
            return config.rootpath / "fixtures" / "environments"
    """


@pytest.hookspec
def pytest_mobileagent_noise(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of templates of noise, which `--mobile-noise` shows.

    The same as the ini key `mobile_noise_paths`. In a conftest.py at the root of the project::

        def pytest_mobileagent_noise(config):
            return config.rootpath / "fixtures" / "noise"
    """


@pytest.hookspec
def pytest_mobileagent_episode(episode: Episode, config: pytest.Config) -> None:
    """Receive an episode that was just recorded, before the test's body checks it.

    Called in the process that has run it: a worker under pytest-xdist. What the hook raises is an
    error of the test. A line for each episode, say::

        def pytest_mobileagent_episode(episode, config):
            tokens = episode.totals.input_tokens
            with open("episodes.log", "a") as log:
                print(episode.case.key, episode.step_count, tokens, file=log)
    """


@pytest.hookspec
def pytest_mobileagent_verdict(episode: Episode, verdict: Verdict, config: pytest.Config) -> None:
    """Receive a verdict that was just recorded, and the episode that it is about.

    Called where the body was asked: in a worker under pytest-xdist. What the hook raises is an
    error of the test. To look at failures only::

        def pytest_mobileagent_verdict(episode, verdict, config):
            if verdict.passed is False:
                with open("failures.log", "a") as log:
                    print(episode.case.key, episode.folder, file=log)
    """


def announce(item: pytest.Item, hook: str, **about: Any) -> None:
    """Call a hook of `hookspecs` for a test, with its configuration.

    Raises:
        HostError: an implementation raised; the text says what.
    """
    try:
        getattr(item.ihook, hook)(**about, config=item.config)
    except Exception as error:
        msg = f"the hook {hook} raised {in_one_line(error)}"
        raise HostError(msg) from error
