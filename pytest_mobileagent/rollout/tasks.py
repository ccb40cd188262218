"""Tasks of a project as rollouts play them: collected by pytest, then played without it."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest

from pytest_mobileagent.check.body import Held, evaluate
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import (
    arguments_of,
    case_of,
    draw_values,
    impurities,
    problem_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.environment import Environment

Judge = Callable[..., bool]  # of an episode and arguments of a question, as `judge` in a body
By = Literal["parameters", "task", "app"]
_FAILURES = (AssertionError, pytest.fail.Exception)
_MOST_DRAWS = 1000
AGENT = "rollout"  # the name of the agent in records


@dataclass(frozen=True, slots=True)
class Reward:
    """The weights of a rollout's reward, all of which may be 0.

    - `success`: given at the end if the task's own check holds.
    - `progress`: times the change of the credit for sub-goals (0 to 1), at each step. A check that
      holds from the start, such as "nothing was deleted", therefore gives nothing. To know the
      credit, the check is run after each step; one that asks a judge is run only at the end.
    - `false_finish`: given at the end, usually negative, if the agent reports success without it.
    - `side_effects`: given for each unexpected side effect at the end, usually negative.

    MobileGym rewards the same four; the weights of its training are not published.
    """

    success: float = 1.0
    progress: float = 0.0
    false_finish: float = 0.0
    side_effects: float = 0.0


@dataclass(frozen=True, slots=True)
class RolloutTask:
    """A task that an agent can be trained on.

    - `case`: the task with its parameters and environment; its `id` is the same in all draws.
    - `body`, `arguments`: the test function, and its arguments other than the episode.
    - `needs`: the fixtures that its body asks for besides; without any, it needs no pytest.
    - `step_limit`: the most steps of an episode.
    - `accepts`: whether drawn values belong to this side of a split.
    """

    case: Case
    body: Callable[..., Any]
    arguments: Mapping[str, Any]
    needs: frozenset[str]
    step_limit: int
    environment: Environment | None = None
    accepts: Callable[[Mapping[str, Any]], bool] = field(default=lambda _: True)

    @property
    def id(self) -> str:
        """The id of the task in reports."""
        return self.case.id

    @property
    def goal(self) -> str:
        """The goal, in which placeholders such as `{today:%A}` are filled only on a phone."""
        return self.case.task.goal

    @property
    def apps(self) -> tuple[str, ...]:
        """The packages of the task's apps."""
        return tuple(self.case.task.packages)

    def at(self, seed: int) -> RolloutTask:
        """Return the task with the values that a seed draws; itself if it draws none.

        Raises:
            TaskError: if drawing fails, or no drawn values belong to this side of a split.
        """
        if (draw := self.case.task.parameters) is None:
            return self
        for number in range(_MOST_DRAWS):
            try:
                values = draw_values(draw, self.id, seed, number)
            except TaskError as error:
                raise TaskError(f"{self.id}: {error}") from error
            if self.accepts(values):
                case = replace(self.case, parameters={**self.case.parameters, **values})
                arguments = {name: values.get(name, old) for name, old in self.arguments.items()}
                return replace(self, case=case, arguments=arguments)
        msg = f"{self.id}: none of {_MOST_DRAWS} draws of its parameters is on this side of a split"
        raise TaskError(msg)

    def decide(self, episode: Episode, judge: Judge | None = None) -> Held:
        """Return whether an episode meets the goal, by the task's own body.

        A body that asks for the fixture `judge` gets the one given here.

        Raises:
            UndecidedError: if that depends on an unclear answer.
            TaskError: if the body is broken, or asks for what is not given.
        """
        asked = {"judge": _AsFixture(judge)} if judge and "judge" in self.needs else {}
        given = {**self.arguments, **asked}
        after = self.case.task.success_after_error
        return evaluate(self.body, given, episode, failures=_FAILURES, after_error=after)


class _AsFixture:
    """A judge with what else the fixture `judge` offers bodies: nothing is judged beside them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def __call__(self, episode: Episode, **question: Any) -> bool:
        return self._judge(episode, **question)

    def beside(self, episode: Episode, **question: Any) -> None:
        """Ask nobody, as the body itself decides."""

    def official(self, episode: Episode, evaluation: object) -> None:
        """Return None, as without the user's copy of a release."""

    def same(self, answer: str, expected: str, goal: str) -> bool:
        raise TaskError("judge.same asks about an answer, which only pytest can provide")


def load_tasks(
    *paths: str,
    root: str | Path = ".",
    options: Sequence[str] = (),
    fixtures: Collection[str] | None = None,
) -> list[RolloutTask]:
    """Return the tasks that pytest collects from paths, such as "tasks/clock", in its order.

    The paths are relative to `root`, the project's folder. `options` are further options of pytest,
    such as "--mobile-env=train" or "-k=alarm". Epochs are not repeated here: each task is one.
    With `fixtures`, tasks whose bodies ask for others are left out.

    Raises:
        TaskError: if pytest cannot collect the tasks, one of them is broken, or all are left out.
    """
    where = [str(Path(root, path)) for path in paths]
    if lost := [path for path in where if not Path(path.partition("::")[0]).exists()]:
        raise TaskError(f"there are no tasks at {', '.join(lost)}, which does not exist")
    words = [*where, "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    # pytest would warn that it cannot rewrite the asserts of this package, which is imported.
    words += [f"--rootdir={Path(root)}", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    collected, said = _Collected(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of plugins that are loaded once more in this process
        status = pytest.main([*words, *options], plugins=[collected])
    if status != pytest.ExitCode.OK or collected.problems:
        why = "; ".join(collected.problems) or said.getvalue().strip()[-2000:]
        raise TaskError(f"tasks cannot be collected from {', '.join(paths) or root}: {why}")
    if fixtures is None:
        return collected.tasks
    if not (tasks := [task for task in collected.tasks if task.needs <= {*fixtures}]):
        raise TaskError(f"{' '.join(paths)} has no task whose check needs only the episode")
    return tasks


class _Collected:
    """A plugin of pytest that keeps the tasks of collected items."""

    def __init__(self) -> None:
        self.tasks: list[RolloutTask] = []
        self.problems: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            if problem := problem_of(item):
                self.problems.append(f"{item.nodeid}: {problem}")
            elif isinstance(item, pytest.Function) and (case := case_of(item)) is not None:
                self.tasks.append(_task(item, case))


def _task(item: pytest.Function, case: Case) -> RolloutTask:
    run, given = item.config.stash[RUN], getattr(getattr(item, "callspec", None), "params", {})
    limit = case.task.limit(run.value("mobile-step-factor"))
    return RolloutTask(
        case,
        item.obj,
        {name: given[name] for name in arguments_of(item.obj) if name in given},
        frozenset(impurities(item)),
        min(limit, run.value("mobile-max-steps") or limit),
        run.environment_of(case),
    )


def split(
    tasks: Iterable[RolloutTask], by: By = "parameters", test: float = 0.2, seed: int = 0
) -> tuple[list[RolloutTask], list[RolloutTask]]:
    """Return tasks to train on and tasks to test on, which have nothing in common.

    - By "parameters", tasks that draw values are on both sides, but with different values; other
      tasks are on one side.
    - By "task", each task is on one side. By "app", each task's first app is.

    About the share `test` is for testing. What is on which side follows from a hash of its name and
    the `seed`, so it stays there when other tasks are added.

    Raises:
        ValueError: if `by` is unknown, or `test` is not between 0 and 1.
    """
    if by not in get_args(By) or not 0 < test < 1:
        msg = f"split(by={by!r}, test={test}): by is one of {get_args(By)}, test between 0 and 1"
        raise ValueError(msg)

    def is_test(name: str) -> bool:
        digest = hashlib.sha256(f"split {seed} {name}".encode()).digest()
        return int.from_bytes(digest[:8]) < test * 2**64

    def is_on(task: str, chosen: bool, values: Mapping[str, Any]) -> bool:
        return is_test(f"{task} {to_line(values)}") is chosen

    sides: tuple[list[RolloutTask], list[RolloutTask]] = ([], [])
    for task in tasks:
        if by == "parameters" and task.case.task.parameters is not None:
            for side, chosen in zip(sides, (False, True), strict=True):
                side.append(replace(task, accepts=partial(is_on, task.id, chosen)))
        else:
            name = (task.apps or ("",))[0] if by == "app" else task.id
            sides[is_test(name)].append(task)
    return sides
