"""The fixtures for test functions: `episode`, `agent`, `device`, `judge`.

pytest imports this module in every session, so what only tasks need is imported where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task import DEFAULT_SNAPSHOT
from pytest_mobileagent.errors import HostError, InfrastructureError, RecordError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.hookspecs import announce
from pytest_mobileagent.plugin.items import case_of, variant_of
from pytest_mobileagent.plugin.judges import Judge
from pytest_mobileagent.plugin.state import Skipped, broken, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.leases import LeasedDevice


@pytest.fixture(scope="session")
def mobile_lease(pytestconfig: pytest.Config) -> Iterator[LeasedDevice]:
    """The lease of this process's device, which is not connected yet."""
    run = pytestconfig.stash[RUN]
    if not run.earlier.makes_episodes:
        raise Skipped("device", "--mobile-rescore has no device")
    try:
        leased = run.devices.lease()
    except HostError as error:
        raise broken(error) from None
    yield leased
    leased.close()


@pytest.fixture
def device(mobile_lease: LeasedDevice, request: pytest.FixtureRequest) -> Device:
    """A device at the starting point of the test's task, for tests that drive it themselves.

    A device that breaks while it is prepared is replaced. If the test is a task, the device is
    reset again before the agent begins; use `prepare=` to set up what the agent should find.
    """
    failures = state_of(request.node).failures
    for _ in range(1 + request.config.stash[RUN].value("mobile-retries")):
        try:
            return _at_the_start(mobile_lease.get(), request)
        except HostError as error:
            failures.append(str(error))
            break
        except InfrastructureError as error:
            failures.append(f"{error}{mobile_lease.give_up()}")
    raise broken(*failures)


def _at_the_start(device: Device, request: pytest.FixtureRequest) -> Device:
    from pytest_mobileagent.device.device import system_of

    case = case_of(request.node)
    if case is None:
        system_of(device).reset(DEFAULT_SNAPSHOT, ())
        return device
    from pytest_mobileagent.run.attempt import reset_for

    reset_for(case.task, device, request.config.stash[RUN].environment_of(case))
    return device


@pytest.fixture(scope="session")
def agent(pytestconfig: pytest.Config) -> Callable[[], Any] | None:
    """Override this to give tests a different agent from `--agent`: a class, or a function.

    Such an agent runs in a thread of the worker, because it cannot be sent to another process. None
    stands for the agent that `--agent` names.
    """
    if pytestconfig.stash[RUN].agent is None:
        names = "--agent=NAME, the environment variable MOBILE_AGENT or the ini key mobile_agent"
        pytest.fail(f"no agent was chosen: name one by {names}", pytrace=False)
    return None


@pytest.fixture
def mobile_env(request: pytest.FixtureRequest) -> str | None:
    """The id of the environment in which the task runs, or None (see `--mobile-env`)."""
    return getattr(request, "param", None)


@pytest.fixture
def mobile_variant(request: pytest.FixtureRequest) -> str:
    """The task's variant, such as "full" or "vague"; "" if it has no variants."""
    return variant_of(request.node)


@pytest.fixture
def mobile_epoch(request: pytest.FixtureRequest) -> int:
    """The number of this repetition of the task, from 0 (see `--mobile-epochs`)."""
    return int(getattr(request, "param", 0))


@pytest.fixture
def episode(request: pytest.FixtureRequest) -> Episode:
    """The record of the agent's work on the test's task; using this fixture runs the agent.

    If the device breaks, the whole episode is repeated on another device.
    """
    from pytest_mobileagent.check.episode import load
    from pytest_mobileagent.episode import Termination

    state = state_of(request.node)
    case = None if state.collected is None else state.collected.case
    if case is None:
        msg = "the test requests `episode` but is not a task: add @task(…) to it"
        pytest.fail(msg, pytrace=False)
    run = request.config.stash[RUN]
    is_played = run.earlier.plan_for(case).is_played
    try:
        if is_played:
            from pytest_mobileagent.plugin.attempts import play  # not to score an episode again

            folder = play(case, request)
        else:
            folder = run.earlier.episode_of(case, run.folder, run.relay)
        episode = state.playing.episode = load(folder)
        if is_played:
            announce(request.node, "pytest_mobileagent_episode", episode=episode)
    except (RecordError, HostError) as error:
        state.failures.append(str(error))
        raise broken(error) from None
    if is_played and episode.termination is Termination.BUDGET:
        pytest.fail(printable(f"budget: {episode.error}"), pytrace=False)
    return episode


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """Asks models whether an episode met its goal, as set by `--llm-judge`: `judge(episode)`."""
    return Judge(request.node, request.config.stash[RUN].judges)
