"""The fixtures for test functions: `episode`, `agent`, `device`, `judge`.

pytest imports this module in every session, so what only tasks need is imported where it is used.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import (
    AgentError,
    HostError,
    InfrastructureError,
    NoSolutionError,
    RecordError,
    TaskError,
    UnfitMoveError,
)
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.hookspecs import announce
from pytest_mobileagent.plugin.items import case_of, variant_of
from pytest_mobileagent.plugin.judges import Judge
from pytest_mobileagent.plugin.reuse.reporting import take_over
from pytest_mobileagent.plugin.state import Skipped, state_of
from pytest_mobileagent.task.task import DEFAULT_SNAPSHOT, MOST_STEPS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.slots import LeasedDevice
    from pytest_mobileagent.environment import Environment
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.state import Why
    from pytest_mobileagent.run.attempt import Plan
    from pytest_mobileagent.task.case import Case


@pytest.fixture(scope="session")
def mobile_lease(pytestconfig: pytest.Config) -> Iterator[LeasedDevice]:
    """The lease of this process's device, which is not connected yet."""
    run = pytestconfig.stash[RUN]
    if not run.earlier.makes_episodes:
        flag = run.settings["mobile-rescore"].option.flag
        raise Skipped("device", f"{flag} has no device")
    try:
        leased = run.devices.lease()
    except HostError as error:
        pytest.fail(_broke(error), pytrace=False)
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
    pytest.fail(_broke(*failures), pytrace=False)


def _at_the_start(device: Device, request: pytest.FixtureRequest) -> Device:
    from pytest_mobileagent.device.device import system_of

    case = case_of(request.node)
    if case is None:
        system_of(device).reset(DEFAULT_SNAPSHOT, ())
        return device
    from pytest_mobileagent.run.attempt import reset_for

    reset_for(case.task, system_of(device))
    if (environment := _environment(case, request.config)) is not None:
        from pytest_mobileagent.environment.apply import apply

        apply(environment, device)
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
    from pytest_mobileagent.episode.record import Termination

    case = case_of(request.node)
    if case is None:
        pytest.fail(
            "the test requests `episode` but is not a task: add @task(…) to it", pytrace=False
        )
    state = state_of(request.node)
    if state.was_put_off and state.episode is not None:
        return state.episode
    run = request.config.stash[RUN]
    fate = run.earlier.fate(case)
    is_played = fate.episode is None and fate.is_run
    if is_played:
        _check_needs(case, run)
        _check_path(case, run)
        _check_budget(request)
    try:
        folder = _play(case, request) if is_played else _recorded(run, case, fate.episode)
        episode = state.episode = load(folder)
        if is_played:
            announce(request.node, "pytest_mobileagent_episode", episode=episode)
    except (RecordError, HostError) as error:
        state.failures.append(str(error))
        pytest.fail(_broke(error), pytrace=False)
    if is_played and episode.termination is Termination.BUDGET:
        pytest.fail(printable(f"budget: {episode.error}"), pytrace=False)
    return episode


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """Asks models whether an episode met its goal, as set by `--llm-judge`: `judge(episode)`."""
    state_of(request.node).judged = []
    return Judge(request.node, request.config.stash[RUN].judges)


def _check_needs(case: Case, run: RunConfig) -> None:
    """Skip a test whose needs no device is said to meet, before a device is leased for it."""
    from pytest_mobileagent.task.needs import PAGES, unmet

    source = run.devices.source
    if source.is_live and PAGES in case.task.needs:
        why_not = (
            f"--mobile-device={source.shown} are phones: name graph:DIR (docs/recorded-pages.md)"
        )
        raise Skipped("pages", f"the task is done on recorded pages, and {why_not}")
    if not source.is_live and case.environment is not None:
        raise Skipped("pages", "--mobile-env sets up phones, which recorded pages are not")
    if why_not := source.refuses(case.task):
        raise Skipped("pages", f"{why_not} (--mobile-device={source.shown})")
    if lacks := unmet(case.task.needs, run.value("mobile-device-has") or ()):
        why: Any = lacks[0].partition(":")[0]
        flag = run.settings["mobile-device-has"].option.flag
        raise Skipped(why, f"the task needs {', '.join(lacks)}, which {flag} does not name")


def _check_path(case: Case, run: RunConfig) -> None:
    """Skip a test without a golden path, if the run follows golden paths."""
    if run.value("mobile-path") != "single":
        return
    from pytest_mobileagent.run.path import check_golden

    try:
        check_golden(case.task)
    except NoSolutionError as error:
        raise Skipped("golden", str(error)) from None


def _check_budget(request: pytest.FixtureRequest) -> None:
    """Skip the test if the run's budget is spent."""
    if why := request.config.stash[RUN].models.spent():
        state_of(request.node).is_over_budget = True
        pytest.skip(f"budget: {why}")


def _recorded(run: RunConfig, case: Case, episode: Path | None) -> Path:
    """Return the folder of a recorded episode, copied into this run if it is from another run."""
    if episode is not None and (source := run.earlier.source) is not None:
        episode = take_over(run, episode.relative_to(source).as_posix(), to_read=True)
    if episode is None:
        what = "no reply of a model to" if run.earlier.gives_replies else "no episode of"
        raise Skipped("record", f"{what} {case.key} is recorded")
    return episode


def _play(case: Case, request: pytest.FixtureRequest) -> Path:
    """Run the agent on a case, again if infrastructure breaks; return the episode's folder."""
    from pytest_mobileagent.llm.model import ProviderError
    from pytest_mobileagent.plugin.attempts import Attempts
    from pytest_mobileagent.run.attempt import MissingAppError, UnfitDeviceError

    run = request.config.stash[RUN]
    plan = _plan(case, request)
    lease: LeasedDevice = request.getfixturevalue("mobile_lease")
    state = state_of(request.node)
    failures = state.failures
    attempts = Attempts(run, lease)
    state.open_anew = partial(attempts.open_anew, plan)
    while attempts.left > 0:
        try:
            return attempts.make(plan)
        except MissingAppError as error:
            install = run.devices.source.how_to_install
            raise Skipped("app", f"{error}; {install}") from None
        except (UnfitDeviceError, NoSolutionError) as error:
            lacks: Why = "listener" if isinstance(error, UnfitDeviceError) else "solution"
            raise Skipped(lacks, str(error)) from None
        except TaskError as error:
            if isinstance(error, UnfitMoveError) and (reason := _other_language(plan)):
                raise Skipped("language", f"{reason}: {error}") from None
            msg = printable(f"the task is broken: {error}")
            raise pytest.fail.Exception(msg, pytrace=False) from None
        except AgentError as error:
            raise pytest.fail.Exception(printable(str(error)), pytrace=False) from None
        except HostError as error:
            failures.append(str(error))
            raise pytest.fail.Exception(_broke(error), pytrace=False) from None
        except InfrastructureError as error:
            is_device = not isinstance(error, ProviderError)  # another device would not help
            failures.append(f"{error}{lease.give_up() if is_device else ''}")
    pytest.fail(_broke(*failures), pytrace=False)


def _broke(*failures: object) -> str:
    """Return the message about infrastructure failures; equal ones are counted."""
    times = Counter(map(str, failures))
    texts = [text if n == 1 else f"{text} ({n} times)" for text, n in times.items()]
    return printable("infrastructure: " + "; then ".join(texts))


def _plan(case: Case, request: pytest.FixtureRequest) -> Plan:
    from pytest_mobileagent.episode.runs import QUESTIONS
    from pytest_mobileagent.plugin.attempts import chosen_agent
    from pytest_mobileagent.plugin.bodies import stops
    from pytest_mobileagent.plugin.metadata import versions
    from pytest_mobileagent.run.attempt import Plan
    from pytest_mobileagent.run.session import Limits

    run = request.config.stash[RUN]
    given = request.getfixturevalue("agent")
    if given is not None and not callable(given):
        pytest.fail(
            "the fixture `agent` must return a class or a function that makes an agent",
            pytrace=False,
        )
    try:
        chosen = chosen_agent(run, given)
    except AgentError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    single = run.value("mobile-path") == "single"
    steps = MOST_STEPS if single else case.task.limit(run.value("mobile-step-factor"))
    return Plan(
        case=case,
        agent=chosen.name,
        make_runner=chosen.make_runner,
        limits=Limits(
            min(steps, run.value("mobile-max-steps") or steps),
            run.value("mobile-time-limit"),
            run.value("mobile-pace") or 0.0,
        ),
        seed=case.seed(run.value("mobile-seed")),
        options=chosen.options,
        program=chosen.program,
        environment=_environment(case, request.config),
        clock=run.value("mobile-device-time"),
        models=run.models.settings(case),
        ocr=run.value("mobile-ocr"),
        noise=run.noise,
        path=run.value("mobile-path"),
        spares_screenshots=_spares_screenshots(run, chosen.sees, request.node),
        user=run.value("mobile-user"),
        user_models=run.models.settings_for_user(case),
        unanswered=run.folder.path / QUESTIONS,
        node=run.node,
        versions=versions(),
        is_done=stops(request) if case.task.stop_on_success and not single else None,
    )


def _spares_screenshots(run: RunConfig, sees: Sequence[str], item: pytest.Item) -> bool:
    """Return whether no screenshots are needed: by the agent, by a judge, or for noise.

    Checks that read pictures cannot be recognised beforehand; they raise ScreenError.
    """
    return (
        run.value("mobile-screenshots") == "needed"
        and list(sees) == ["hierarchy"]
        and run.noise is None
        and not run.judges.judges_all
        and "judge" not in getattr(item, "fixturenames", ())
    )


def _other_language(plan: Plan) -> str:
    """Return why the solution may not fit: it is in another language than the device; else ""."""
    language = plan.case.task.language
    if plan.environment is None or plan.environment.locale.partition("-")[0] == language:
        return ""
    return (
        f"the solution is written for a device that speaks {language}, and environment"
        f" {plan.environment.id} speaks {plan.environment.locale}"
    )


def _environment(case: Case, config: pytest.Config) -> Environment | None:
    if case.environment is None:
        return None
    return config.stash[RUN].environments[case.environment]
