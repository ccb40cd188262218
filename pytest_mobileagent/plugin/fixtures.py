"""What a test function may ask for: `episode`, `agent`, `device`.

pytest loads this module in every session, so what only a task needs is imported where it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError, InfrastructureError, TaskError, UnfitMoveError
from pytest_mobileagent.plugin.config import SESSION
from pytest_mobileagent.plugin.items import BROKE, EPISODE, TaskItem
from pytest_mobileagent.plugin.paths import agent_folders
from pytest_mobileagent.run.folder import seed_of
from pytest_mobileagent.task.task import DEFAULT_SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.agent.agent import Agent
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.leased import LeasedDevice
    from pytest_mobileagent.environment.environment import Environment
    from pytest_mobileagent.episode.episode import Episode
    from pytest_mobileagent.run.attempt import Plan


@pytest.fixture(scope="session")
def mobile_lease(pytestconfig: pytest.Config) -> Iterator[LeasedDevice]:
    """The device that this process has leased, not yet connected."""
    try:
        leased = pytestconfig.stash[SESSION].lease_device()
    except HostError as error:
        pytest.fail(f"infrastructure: {error}", pytrace=False)
    yield leased
    leased.close()


@pytest.fixture
def device(mobile_lease: LeasedDevice, request: pytest.FixtureRequest) -> Device:
    """A device at the starting point of the test's task, for tests that drive it themselves.

    One that breaks on its way there is replaced.
    """
    failures = request.node.stash.setdefault(BROKE, [])
    for _ in range(1 + request.config.stash[SESSION].value("mobile-retries")):
        try:
            return _at_the_start(mobile_lease.get(), request)
        except HostError as error:
            failures.append(str(error))
            break
        except InfrastructureError as error:
            failures.append(str(error))
            mobile_lease.give_up()
    pytest.fail("infrastructure: " + "; then ".join(failures), pytrace=False)


def _at_the_start(device: Device, request: pytest.FixtureRequest) -> Device:
    from pytest_mobileagent.device.device import system_of  # noqa: PLC0415

    item = TaskItem.of(request.node)
    if item is None:
        system_of(device).reset(DEFAULT_SNAPSHOT, ())
        return device
    system_of(device).reset(item.task.snapshot, item.task.packages)
    if (environment := _environment(item, request.config)) is not None:
        from pytest_mobileagent.environment import apply  # noqa: PLC0415

        apply(environment, device)
    return device


@pytest.fixture(scope="session")
def agent(pytestconfig: pytest.Config) -> Callable[[], Agent]:
    """The class of the agent that `--agent` names; override it to give another to some tests."""
    from pytest_mobileagent.agent.registry import UnknownAgentError, find_agent  # noqa: PLC0415

    name = pytestconfig.stash[SESSION].agent
    if name is None:
        names = "--agent=NAME, the environment variable MOBILE_AGENT or the ini key mobile_agent"
        pytest.fail(f"no agent was chosen: give one by {names}", pytrace=False)
    try:
        return find_agent(name, agent_folders(pytestconfig)).load()
    except UnknownAgentError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def mobile_env(request: pytest.FixtureRequest) -> str | None:
    """The id of the environment that the task runs in, if there is one (see `--mobile-env`)."""
    return getattr(request, "param", None)


@pytest.fixture
def mobile_epoch(request: pytest.FixtureRequest) -> int:
    """Which repetition of the task this is, from 0 (see `--mobile-epochs`)."""
    return int(getattr(request, "param", 0))


@pytest.fixture
def episode(
    request: pytest.FixtureRequest, agent: Callable[[], Agent], mobile_lease: LeasedDevice
) -> Episode:
    """The record of the agent's work on the test's task. Asking for it is what runs the agent.

    When the device breaks, the whole episode is repeated on another.
    """
    from pytest_mobileagent.plugin.scoring import undecided  # noqa: PLC0415
    from pytest_mobileagent.report.document import begun  # noqa: PLC0415
    from pytest_mobileagent.run.attempt import AppMissingError, attempt  # noqa: PLC0415

    item = TaskItem.of(request.node)
    if item is None:
        pytest.fail("the test asks for an episode but is no task: give it @task(…)", pytrace=False)
    session = request.config.stash[SESSION]
    plan = _plan(item, request.node.nodeid, agent, request.config)
    known = undecided(request.node, item)
    failures = request.node.stash.setdefault(BROKE, [])
    for _ in range(1 + session.value("mobile-retries")):
        try:
            folder, number = session.folder.episode(item.key)
            with begun(folder, known):
                result = attempt(plan, mobile_lease.get(), folder, number)
            request.node.stash[EPISODE] = result
        except AppMissingError as error:
            pytest.skip(str(error))
        except TaskError as error:
            if isinstance(error, UnfitMoveError) and (reason := _other_language(plan)):
                pytest.skip(f"{reason}: {error}")
            msg = f"the task is broken: {error}"
            raise pytest.fail.Exception(msg, pytrace=False) from None
        except HostError as error:
            failures.append(str(error))
            raise pytest.fail.Exception(f"infrastructure: {error}", pytrace=False) from None
        except InfrastructureError as error:
            failures.append(str(error))
            mobile_lease.give_up()
        else:
            return result
    pytest.fail("infrastructure: " + "; then ".join(failures), pytrace=False)


def _plan(item: TaskItem, nodeid: str, agent: Callable[[], Agent], config: pytest.Config) -> Plan:
    from pytest_mobileagent.run.attempt import Plan  # noqa: PLC0415

    value: Callable[[str], Any] = config.stash[SESSION].value
    if not callable(agent):
        pytest.fail(
            "the fixture `agent` has to give a class, or what makes an agent", pytrace=False
        )
    step_limit = item.task.limit(value("mobile-step-factor"))
    return Plan(
        task=item.task,
        id=item.id,
        suite=item.suite,
        parameters=item.parameters,
        agent=config.stash[SESSION].agent or Path(getattr(agent, "__module__", "agent")).stem,
        make_agent=agent,
        step_limit=min(step_limit, value("mobile-max-steps") or step_limit),
        time_limit=value("mobile-time-limit"),
        nodeid=nodeid,
        seed=seed_of(value("mobile-seed"), item.key),
        epoch=item.epoch,
        environment=_environment(item, config),
    )


def _other_language(plan: Plan) -> str:
    """Say why a scripted solution need not fit; empty if the device speaks the task's language."""
    language = plan.task.language
    if plan.environment is None or plan.environment.locale.partition("-")[0] == language:
        return ""
    return (
        f"the solution is written for a device that speaks {language}, and environment"
        f" {plan.environment.id} speaks {plan.environment.locale}"
    )


def _environment(item: TaskItem, config: pytest.Config) -> Environment | None:
    if item.environment is None:
        return None
    return config.stash[SESSION].environments[item.environment]
