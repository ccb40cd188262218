"""Runs a test body as a predicate over its episode, and over prefixes of it.

The body is run once on the whole episode, which decides the test; failed look-ups are recorded to
explain a failure. It is also run on prefixes of the episode, in a forked process without side
effects on the test: after the episode, to find when the goal was first met, and for a task that
stops on success, after each step, while the agent waits.
"""

from __future__ import annotations

import inspect
import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.check import temporal
from pytest_mobileagent.check.body import SubGoal, SubGoals, collect_subgoals, decide
from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.check.events import NoListenerError
from pytest_mobileagent.check.golden import check_path, collect_matches
from pytest_mobileagent.check.temporal import OnTheWay, in_fork
from pytest_mobileagent.episode import AGENTS_FAULT
from pytest_mobileagent.episode.running import LiveEpisode
from pytest_mobileagent.errors import NoScreenshotError, TaskError, UndecidedError
from pytest_mobileagent.plugin.body_source import closest, code_of, declared
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of, impurities
from pytest_mobileagent.plugin.judges import Judge, Waiting, ask_beside
from pytest_mobileagent.plugin.state import BodyRun, Skipped, state_of
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.check.body import UnclearAnswer

_FAILURES = (AssertionError, pytest.fail.Exception)


class AgentFailedError(AssertionError):
    """The agent raised, crashed or ran out of time, so the goal does not count as met."""


def ask_body(item: pytest.Function) -> Generator[None, Any, Any]:
    """Run a test body as a predicate over its episode, as a wrapper around pytest's own call.

    An error of the agent, or its time limit, ends an episode but does not decide it: the body is
    run nevertheless. If it holds, that only counts if the task says so (`success_after_error`). A
    failure that no agent could have avoided does not count (see `plugin.walls`).

    Raises:
        WallError: if the episode ended at a wall that blocks the app for any user.
    """
    __tracebackhide__ = True
    try:
        return (yield from _decide(item))
    except _FAILURES:
        episode = item.funcargs.get("episode")
        if isinstance(episode, Episode) and not state_of(item).is_asked_of_prefix:
            from pytest_mobileagent.plugin.walls import check_walls  # rarely needed

            check_walls(item, episode)
        raise


def _decide(item: pytest.Function) -> Generator[None, Any, Any]:
    __tracebackhide__ = True
    case, episode, state = case_of(item), item.funcargs.get("episode"), state_of(item)
    state.body = BodyRun(item.funcargs)  # already needed if the test waits for judges beside it
    if isinstance(episode, Episode) and not state.is_asked_of_prefix:
        ask_beside(item, episode, item.config.stash[RUN].judges)
    own = item.obj
    with (
        collect_misses(code_of(own)) as misses,
        collect_subgoals() as subgoals,
        collect_matches() as compared,
    ):

        def begin() -> SubGoals:
            subgoals.reset()
            compared.reset()
            misses.clear()
            return subgoals

        item.obj = _decided(item, own, begin)
        state.body.subgoals, state.body.compared = subgoals, compared
        state.body.is_running = True
        try:
            result = yield
            subgoals.settle()
            if isinstance(episode, Episode) and episode.is_on_path and compared.steps is None:
                check_path(episode)
            _check_side_effects(item, episode)
        except (AssertionError, AttributeError) as error:
            # Of AttributeErrors, only those on a None that `find` returned. Explaining is slow.
            if not state.is_asked_of_prefix and getattr(error, "obj", None) is None:
                explained = (explain() for explain in closest(own, error, misses))
                state.body.misses = list(dict.fromkeys(explained))
            raise
        except NoListenerError as error:
            raise Skipped("listener", str(error)) from None
        finally:
            item.obj = own
            state.body.is_running = False
    if case and isinstance(episode, Episode) and episode.termination in AGENTS_FAULT:
        state.body.check_held = True
        if not case.task.success_after_error and not state.is_asked_of_prefix:
            raise AgentFailedError(episode.error)
    return result


def _check_side_effects(item: pytest.Function, episode: object) -> None:
    """Fail if the agent changed what nobody had asked for, and the run does not permit that."""
    run = item.config.stash[RUN]
    if not isinstance(episode, Episode) or state_of(item).is_asked_of_prefix:
        return
    if run.value("mobile-side-effects") != "fail":
        return
    if (effects := episode.side_effects) is None:
        if not run.earlier.makes_episodes:
            raise UndecidedError("its side effects were not recorded: they can only be read live")
    elif effects.count:
        each = "; ".join(map(str, effects.found))
        raise AssertionError(f"{effects.count} unexpected side effects: {each}")


def _decided(item: pytest.Function, body: Any, begin: Callable[[], SubGoals]) -> Any:
    """Return a body that must not return anything, and whose unclear answers are decided.

    `begin` empties what the body collects, and returns its sub-goals (see `check.body.decide`).
    """

    @wraps(body)
    def decided(**arguments: Any) -> None:
        __tracebackhide__ = True

        def run() -> None:
            __tracebackhide__ = True
            if (got := body(**arguments)) is not None:
                raise TaskError(f"{item.name} returns {got!r}: the body of a task must use assert")

        decide(run, begin, lambda unclear: _judged(item, unclear), _FAILURES)

    return decided


def _judged(item: pytest.Function, unclear: list[UnclearAnswer]) -> dict[UnclearAnswer, bool]:
    """Return what the first judge thinks of unclear answers; it is asked about all at once."""
    state, judges = state_of(item), item.config.stash[RUN].judges
    if state.is_asked_of_prefix:
        raise AssertionError("not yet: the answer is unclear")
    state.body.unclear |= dict.fromkeys(unclear)
    if judges.mode == "off":
        raise UndecidedError("; ".join(each.reason for each in unclear))
    judge, waiting = Judge(item, judges), None
    for each in unclear:
        try:
            state.body.unclear[each] = judge.same(each.answer, each.expected, each.goal)
        except Waiting as put_off:
            waiting = put_off
    if waiting is not None:
        raise waiting
    return {each: bool(state.body.unclear[each]) for each in unclear}


_NOT_ASKED = "not asked: the body failed before"


def progress(item: pytest.Item, way: OnTheWay, episode: Episode) -> list[dict[str, Any]]:
    """Return the result of each sub-goal, as in a verdict's evidence.

    A sub-goal that holds for the whole episode but for no prefix first held at its end. Sub-goals
    that a body declares but did not reach, because it failed before, count as not held.
    """
    subgoals = state_of(item).body.subgoals
    if subgoals is None:
        return []
    asked = list(subgoals.asked)
    if not subgoals.complete:
        known = {each.name for each in asked}
        weights = declared(code_of(getattr(item, "obj", None)))
        weights |= {name: weight for name, (weight, _) in way.subgoals.items()}
        unasked = [(name, weight) for name, weight in weights.items() if name not in known]
        asked += [SubGoal(*each, False, _NOT_ASKED) for each in unasked]
    return [_evidence(each, way, episode.step_count) for each in asked]


def _evidence(subgoal: SubGoal, way: OnTheWay, steps: int) -> dict[str, Any]:
    _, first = way.subgoals.get(subgoal.name, (subgoal.weight, None))
    if first is None and subgoal.held and way.asked:
        first = steps
    return {
        "name": subgoal.name,
        "weight": subgoal.weight,
        "held": subgoal.held,
        "first_step": first,
        "reason": subgoal.reason,
    }


STRICT = "[XPASS(strict)]"  # how pytest reports a strict xfail that passed


def on_the_way(item: pytest.Function, episode: Episode, *, whole: bool | None) -> OnTheWay:
    """Return when a body first held; `whole` is whether it holds for the whole episode.

    Only a pure body is run (see `is_pure`), in a forked process, so it cannot affect this one.
    """
    if whole is None or not is_asked_on_the_way(item, episode):
        return OnTheWay()

    def holds(prefix: Episode) -> tuple[bool, Sequence[SubGoal]]:
        state = state_of(item)
        state.is_asked_of_prefix, state.body.subgoals = True, SubGoals()
        holds = _holds(item, prefix)
        subgoals = state.body.subgoals  # of the run that has just ended
        return holds, () if subgoals is None else subgoals.asked

    return temporal.on_the_way(holds, episode, whole=whole)


def held_at_start(item: pytest.Function, episode: Episode) -> bool | None:
    """Return whether the body of a task with measures holds at the start; None if not known."""
    if not (episode.measured and episode.steps and is_pure(item)):
        return None

    def holds() -> bool:
        state_of(item).is_asked_of_prefix = True
        return _holds(item, episode.prefix(0))

    held = in_fork(holds)
    return None if held is None else bool(held)


def holds_now(item: pytest.Function, episode: Episode, others: Mapping[str, Any]) -> bool:
    """Return whether a body holds for an episode; it is run in a forked process, as for prefixes.

    `others` are the body's arguments other than the episode.
    """

    def ask() -> bool:
        state_of(item).is_asked_of_prefix = True
        item.funcargs.update(others)
        # No report is made, as the test is still being set up, and other plugins expect none.
        return _call(item, episode).excinfo is None

    return bool(in_fork(ask))


def is_pure(item: pytest.Function, *others: str) -> bool:
    """Return whether a body uses nothing but the episode, parameters, and `others`."""
    return not impurities(item) - set(others)


def is_asked_on_the_way(item: pytest.Function, episode: Episode) -> bool:
    """Return whether a body is run on every prefix.

    It is not on golden paths, which ignore the agent, nor if the task has measures, whose values
    are known for the whole episode only.
    """
    return is_pure(item) and not episode.is_on_path and not episode.measured


def _holds(item: pytest.Function, prefix: Episode) -> bool:
    """Return whether pytest, with all its plugins, would report the body as passed for a prefix."""
    call = _call(item, prefix)
    if call.excinfo is not None:
        if isinstance(call.excinfo.value, NoScreenshotError):
            raise call.excinfo.value
        return False
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return not report.failed or str(report.longrepr).startswith(STRICT)


def _call(item: pytest.Function, prefix: Episode) -> pytest.CallInfo[Any]:
    item.funcargs["episode"] = prefix
    with warnings.catch_warnings(action="ignore"):
        return _called(item)


def _called(item: pytest.Function) -> pytest.CallInfo[Any]:
    return pytest.CallInfo.from_call(
        lambda: item.ihook.pytest_pyfunc_call(pyfuncitem=item),
        "call",
        reraise=(pytest.exit.Exception, KeyboardInterrupt),
    )


def call_body(item: pytest.Function) -> pytest.CallInfo[Any]:
    """Run the body of a test again that has been torn down; it must be pure."""
    state = state_of(item)
    state.judging.is_awaited = False
    item.funcargs = state.body.arguments
    return _called(item)


def stops(request: pytest.FixtureRequest) -> Callable[[Path], bool]:
    """Return a function that runs a test's body on the episode being recorded in a folder."""
    item: pytest.Function = request.node
    names = inspect.signature(item.obj).parameters.keys() & set(request.fixturenames)
    others = {name: request.getfixturevalue(name) for name in names - {"episode"}}
    live: dict[Path, LiveEpisode[Episode]] = {}

    def is_done(folder: Path) -> bool:
        if folder not in live:
            live.clear()
            live[folder] = LiveEpisode(folder, Episode)
        episode = live[folder].read()
        for screen in episode.screens:
            _ = screen.root  # parsed once here, instead of in each forked process
        return holds_now(item, episode, others)

    return is_done
