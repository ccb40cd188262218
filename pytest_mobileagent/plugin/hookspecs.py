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
    """Return the folder, or folders, of agents, in which `--agent=NAME` finds NAME.py.

    Equivalent to the ini key `mobile_agent_paths`. In a conftest.py at the project's root::

        def pytest_mobileagent_agents(config):
            return config.rootpath / "agents"
    """


@pytest.hookspec
def pytest_mobileagent_apps(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of apps for virtual devices.

    Equivalent to the ini key `mobile_app_paths`. In a conftest.py at the project's root::

        def pytest_mobileagent_apps(config):
            return config.rootpath / "fixtures" / "apps"
    """


@pytest.hookspec
def pytest_mobileagent_sources(config: pytest.Config) -> Mapping[str, type[Source]] | None:
    """Return device sources by their prefixes, as used in `--mobile-device=PREFIX:TEXT`.

    In a conftest.py at the project's root (docs/devices.md has a complete source)::

        def pytest_mobileagent_sources(config):
            return {"farm": FarmSource}
    """


@pytest.hookspec
def pytest_mobileagent_environments(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of environment files, from which `--mobile-env` selects.

    Equivalent to the ini key `mobile_env_paths`. In a conftest.py at the project's root::

        def pytest_mobileagent_environments(config):
            return config.rootpath / "fixtures" / "environments"
    """


@pytest.hookspec
def pytest_mobileagent_noise(config: pytest.Config) -> Path | list[Path] | None:
    """Return the folder, or folders, of noise templates, which `--mobile-noise` uses.

    Equivalent to the ini key `mobile_noise_paths`. In a conftest.py at the project's root::

        def pytest_mobileagent_noise(config):
            return config.rootpath / "fixtures" / "noise"
    """


@pytest.hookspec
def pytest_mobileagent_episode(episode: Episode, config: pytest.Config) -> None:
    """Receive each episode after it was recorded, before the test's body checks it.

    The hook is called in the process that ran the episode, which is a worker under pytest-xdist. If
    it raises, the test has an error. For example, to log a line for each episode::

        def pytest_mobileagent_episode(episode, config):
            tokens = episode.totals.input_tokens
            with open("episodes.log", "a") as log:
                print(episode.case.key, episode.step_count, tokens, file=log)
    """


@pytest.hookspec
def pytest_mobileagent_verdict(episode: Episode, verdict: Verdict, config: pytest.Config) -> None:
    """Receive each verdict after it was recorded, with the episode that it is about.

    The hook is called in the process that ran the test's body, which is a worker under
    pytest-xdist. If it raises, the test has an error. For example, to log failures::

        def pytest_mobileagent_verdict(episode, verdict, config):
            if verdict.passed is False:
                with open("failures.log", "a") as log:
                    print(episode.case.key, episode.folder, file=log)
    """


def announce(item: pytest.Item, hook: str, **about: Any) -> None:
    """Call a hook of `hookspecs` for a test, with pytest's configuration.

    Raises:
        HostError: if an implementation raises; the message says what it raised.
    """
    try:
        getattr(item.ihook, hook)(**about, config=item.config)
    except pytest.exit.Exception:
        raise
    except Exception as error:
        raise HostError(f"the hook {hook} raised {in_one_line(error)}") from error
