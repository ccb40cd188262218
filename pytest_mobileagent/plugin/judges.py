"""The judges of a run, and how their verdicts are used.

Their options are checked before a device starts. A test asks judges by the fixture `judge`; with
`--mobile-judge-all`, they are also asked about tasks that have a check.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import (
    HostError,
    JudgeError,
    MobileAgentError,
    TaskError,
    UndecidedError,
)
from pytest_mobileagent.plugin.pytest_private import Skipped
from pytest_mobileagent.plugin.settings import usage_error
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import pytest

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.official import Evaluation
    from pytest_mobileagent.judge.question import Question
    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.plugin.context import RunContext
    from pytest_mobileagent.plugin.models import RunModels
    from pytest_mobileagent.verdict import Verdict


_NEEDED = {"off": 0, "single": 1, "cross": 2}
_MOST = 3


class RunJudges:
    """The judges that the tests of one pytest process may ask."""

    def __init__(self, context: RunContext, models: RunModels) -> None:
        self._settings = context.settings
        self._models = models

    @property
    def mode(self) -> str:
        """How tasks are judged: off, single, cross."""
        return str(self._settings["llm-judge"].value)

    @property
    def references(self) -> tuple[ModelReference, ...]:
        """The models that judge; empty if tasks are not judged."""
        setting = self._settings["mobile-judges"]
        given = (setting.value or ())[: {"off": 0, "single": 1, "cross": _MOST}[self.mode]]
        return tuple(self._models.placed(each, setting) for each in given)

    @property
    def official(self) -> str:
        """The role of official evaluations: off, beside, decides."""
        return str(self._settings["mobile-official"].value)

    @property
    def judges_all(self) -> bool:
        """Whether tasks that have a check are judged as well."""
        return bool(self._settings["mobile-judge-all"].value) and self.mode != "off"

    def check(self) -> None:
        """Check the judges, as far as possible before any of them is asked.

        Raises:
            pytest.UsageError: if there are too few or too many, or one cannot be used.
        """
        setting, mode = self._settings["mobile-judge-all"], self._settings["llm-judge"]
        # A project that judges all tasks by default may still be run with --llm-judge=off.
        is_meant = setting.is_typed or not mode.is_given
        if setting.value and self.mode == "off" and is_meant:
            raise usage_error(setting, ": there is no judge: add --llm-judge=single or cross")
        if self.mode == "off":
            return
        given, setting = self._settings["mobile-judges"], mode
        count, needed = len(given.value or ()), _NEEDED[self.mode]
        if count < needed:
            models = "a model" if needed == 1 else "two models, and a third to settle disputes"
            raise usage_error(setting, f" asks {models}: --mobile-judges=PROVIDER:NAME,…")
        if count > _MOST:
            what = f" names {count} models; two judge, and a third settles disputes"
            raise usage_error(given, what)
        self._models.check_judges(given, self.references)

    def deciding(
        self, episode: EpisodeRecord, question: Question, calls: list[ModelCall]
    ) -> Callable[[], Verdict]:
        """Return a function that asks the judges about an episode, and adds its calls to `calls`.

        All modules are imported here, in the calling thread, because pytest rewrites the asserts in
        plugins' modules, and Python 3.11 cannot parse in two threads at once (cpython#106905).

        Raises:
            JudgeError: if a judge cannot be asked. The returned function raises it if a judge is
                down, or repeatedly gives unreadable replies.
            BudgetSpent: from the returned function, if the run's budget is spent.
        """
        from pytest_mobileagent.judge.panel import decide, reader, with_own_models

        models = self.models(episode, calls)
        read = reader(self._settings["mobile-ocr"].value)
        runs, retries = (self._settings[f"mobile-{n}"].value for n in ("judge-runs", "retries"))

        def work() -> Verdict:
            verdict = decide(models, question, episode, runs=runs, retries=retries, read=read)
            return with_own_models(verdict, self.references, episode)

        return work

    def models(self, episode: EpisodeRecord, calls: list[ModelCall]) -> list[Model]:
        """Return the judges of an episode, which add their calls to `calls`.

        Raises:
            JudgeError: if a judge cannot be asked.
        """
        from pytest_mobileagent.judge.ask import judge_models

        models = self._models.of_judges(episode)
        try:
            return [*judge_models(self.references, models, folder=episode.folder, calls=calls)]
        except (ValueError, HostError) as error:
            raise JudgeError(f"a judge cannot be asked: {error}") from error


_MOST_AT_ONCE = 8  # episodes that are judged in parallel by this process
_places = threading.BoundedSemaphore(_MOST_AT_ONCE)
_OF_JUDGES = {"judges", "question", "coarse", "own_models"}  # in the evidence of a verdict
_NO_JUDGE = "no judge is set: --llm-judge=single or cross"


class Waiting(Skipped):
    """Raised in a body that waits for its judges; the test is run again when they are done."""


class NoBudgetError(MobileAgentError):
    """The run's budget is spent, so no judge can be asked."""

    fault = "budget"


class Judge:
    """Asks models whether an episode met its goal, as set by `--llm-judge` (fixture `judge`)."""

    def __init__(self, item: pytest.Item, judges: RunJudges) -> None:
        self._item = item
        self._state = state_of(item)
        self._judges = judges

    def __call__(self, episode: Episode, **question: Any) -> bool:
        """Return whether the goal was met; the arguments are those of `judge.question.Question`.

        Raises:
            UndecidedError: if judges disagree, or no judge is set.
            JudgeError: if a judge is down, or repeatedly gives unreadable replies.
            TaskError: if an argument is invalid.
        """
        verdict = self._effective(episode, self.verdict(episode, **question))
        if verdict not in self._state.judging.judged:  # judges are asked once; a body may ask again
            self._state.judging.judged.append(verdict)
        if verdict.passed is None:
            raise UndecidedError(verdict.reason)
        if not verdict.passed:
            from pytest_mobileagent.screen.explain import missed  # not for --help

            missed(lambda: verdict.reason)
        return verdict.passed

    def verdict(self, episode: Episode, **question: Any) -> Verdict:
        """Return the judges' verdict without deciding the task by it (unlike `__call__`)."""
        from pytest_mobileagent.check.episode import Episode as Recorded
        from pytest_mobileagent.judge.question import Question
        from pytest_mobileagent.judge.subtasks import check_subtasks

        if not isinstance(episode, Recorded):
            raise TaskError(f"judge({episode!r}): the first argument must be the episode")
        asked = Question.of(question)
        if asked.subtasks:
            check_subtasks(asked.subtasks)
        if self._judges.mode != "off" and self._may_be_wall(episode):
            asked = replace(asked, wall=True)
        verdict: Verdict = self._answer(
            (episode.folder, len(episode.steps), asked),
            lambda: self._judges.deciding(episode, asked, self._state.judging.calls),
        )
        return verdict

    def _may_be_wall(self, episode: Episode) -> bool:
        """Return whether the suite describes walls (see `check.walls`), but none in this episode.

        If so, judges may report that it ends at another wall.
        """
        from pytest_mobileagent.check.walls import look, walls_near

        walls = walls_near(self._item.path.parent, self._item.config.rootpath)
        return bool(walls) and look(walls, episode.screens) is None

    def beside(self, episode: Episode, **question: Any) -> None:
        """Ask the judges, if there are any, about an episode that the body itself decides.

        Their verdict is recorded beside the body's, and the run lists where the two differ.

        Raises:
            TaskError: if an argument is invalid.
        """
        if self._judges.mode == "off":
            return
        try:
            self._state.judging.beside = self.verdict(episode, **question)
        except (JudgeError, NoBudgetError) as error:
            from pytest_mobileagent.verdict import Verdict as Kept

            self._state.judging.beside = Kept(None, "judge", str(error))

    def official(self, episode: Episode, evaluation: Evaluation | None) -> bool | None:
        """Run a benchmark's own evaluation, from the user's copy of its release, on an episode.

        Its verdict is recorded beside the others, and the run lists where it differs. With
        `--mobile-official=decides`, it decides, and its decision is returned. Otherwise, or if the
        user has no copy (`evaluation` is None), return None.

        Raises:
            JudgeError: if the evaluation should decide, but failed.
        """
        mode = self._judges.official
        if evaluation is None or mode == "off":
            return None
        self._state.body.official = verdict = partial(self._evaluated, episode, evaluation)
        if mode == "beside":
            return None
        from pytest_mobileagent.screen.explain import missed
        from pytest_mobileagent.verdict import deciding

        self._state.body.official, found = None, verdict()
        if found.passed is None:
            raise JudgeError(found.reason)
        self._state.judging.judged.append(deciding(found))
        if not found.passed:
            missed(lambda: found.reason)
        return found.passed

    def _evaluated(self, episode: Episode, evaluation: Evaluation) -> Verdict:
        from pytest_mobileagent.judge.official import asking, evaluate
        from pytest_mobileagent.llm.budget import BudgetSpent
        from pytest_mobileagent.verdict import Verdict as Kept
        from pytest_mobileagent.verdict import beside

        def ask(text: str) -> str:
            return asking(self._judges.models(episode, self._state.judging.calls)[0])(text)

        try:
            return evaluate(evaluation, None if self._judges.mode == "off" else ask)
        except BudgetSpent as error:
            return beside(Kept(None, evaluation.scorer, f"budget: {error}"))

    def _effective(self, episode: Episode, verdict: Verdict) -> Verdict:
        """Return the effective verdict: an earlier one by several judges may outrank the new one.

        The new verdict is recorded beside the episode in either case.
        """
        from pytest_mobileagent.verdict import CHECK, PERSON, counting, of_judges, verdicts

        known = () if episode.folder is None else counting(verdicts(episode.folder))
        judges = [each for each in known if each.scorer not in {CHECK, PERSON}]
        effective = of_judges([*judges, verdict])
        if effective is None or effective is verdict:
            return verdict
        if verdict not in self._state.judging.outranked:
            self._state.judging.outranked.append(verdict)
        evidence = {n: value for n, value in effective.evidence.items() if n in _OF_JUDGES}
        evidence["outranks"] = {"passed": verdict.passed, "reason": verdict.reason}
        return replace(effective, calls=(), evidence=evidence)

    def same(self, answer: str, expected: str, goal: str) -> bool:
        """Return whether the first judge considers an answer a paraphrase of the expected one.

        For `episode.answers(expected, paraphrase=judge.same)`.

        Raises:
            UndecidedError, JudgeError: as `__call__`.
        """
        episode = self._item.funcargs["episode"]  # type: ignore[attr-defined]

        def prepare() -> Callable[[], bool]:
            from pytest_mobileagent.judge.ask import is_paraphrase

            first = self._judges.models(episode, self._state.judging.calls)[0]
            return lambda: is_paraphrase(first, goal, answer, expected)

        return bool(self._answer((episode.folder, answer, expected, goal), prepare))

    def _answer(self, key: Hashable, prepare: Callable[[], Callable[[], Any]]) -> Any:
        """Return the answer to a question, which is asked once, in the background.

        `prepare` returns the function that asks; it is called in this thread.
        """
        if self._judges.mode == "off":
            raise UndecidedError(_NO_JUDGE)
        asked = self._state.judging.answers
        if key not in asked:
            from pytest_mobileagent.judge.panel import in_background

            asked[key] = in_background(partial(_in_turn, prepare()))
        if not asked[key].done() and self._state.may_wait:
            self._state.judging.is_awaited = True
            raise Waiting("the judges have not decided yet")
        from pytest_mobileagent.llm.budget import BudgetSpent

        try:
            return asked[key].result()
        except BudgetSpent as error:
            raise NoBudgetError(f"budget: {error}") from None


def _in_turn(work: Callable[[], Any]) -> Any:
    with _places:
        return work()


def ask_beside(item: pytest.Function, episode: Episode, judges: RunJudges) -> None:
    """Ask the judges about an episode that a check decides, if `--mobile-judge-all` is given."""
    if judges.judges_all and "judge" not in item.fixturenames:
        Judge(item, judges).beside(episode)


def with_judges(item: pytest.Item, verdict: Verdict) -> Verdict:
    """Return a body's verdict, combined with the verdicts of the judges that it asked.

    The judges' verdicts decide, unless the body came to a different result.
    """
    judged = state_of(item).judging.judged
    if not judged:
        return verdict
    evidence = dict(verdict.evidence)
    for each in judged:
        for name, value in each.evidence.items():
            evidence[name] = [*evidence.get(name, []), *value] if name == "judges" else value
    calls = tuple(call for each in judged for call in each.calls)
    decided = [each for each in judged if each.passed is verdict.passed]
    if not decided:
        return replace(verdict, evidence=evidence, calls=calls)
    reason = "; ".join(dict.fromkeys(each.reason for each in decided if each.reason))
    credit = decided[-1].partial_credit
    return replace(
        verdict,
        scorer=decided[-1].scorer,
        reason=reason or verdict.reason,
        evidence=evidence,
        partial_credit=verdict.partial_credit if credit is None else credit,
        calls=calls,
    )
