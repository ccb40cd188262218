"""The fixture `judge`, and what becomes of what judges say."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.outcomes import Skipped  # what pytest.skip raises

from pytest_mobileagent.errors import JudgeError, MobileAgentError, TaskError, UndecidedError
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.plugin.judging import RunJudges
    from pytest_mobileagent.verdict import Verdict

_MOST_AT_ONCE = 8  # episodes that this process has judged at once
_places = threading.BoundedSemaphore(_MOST_AT_ONCE)
_OF_JUDGES = {"judges", "question", "coarse", "own_models"}  # in the evidence of a verdict
_NO_JUDGE = "no judge is set: --llm-judge=single or cross"


class Waiting(Skipped):
    """A body waits for its judges: its test is run again when they are done."""


class NoBudgetError(MobileAgentError):
    """The run's budget is spent, so that no judge can be asked."""


class Judge:
    """Asks models whether an episode met its goal, as `--llm-judge` says (the fixture `judge`)."""

    def __init__(self, item: pytest.Item, judges: RunJudges) -> None:
        self._item = item
        self._state = state_of(item)
        self._judges = judges

    def __call__(self, episode: Episode, **question: Any) -> bool:
        """Return whether the goal was met; arguments are those of `judge.question.Question`.

        Raises:
            UndecidedError: judges differ, or none is set.
            JudgeError: a judge is down, or what it says stays unreadable.
            TaskError: an argument makes no sense.
        """
        verdict = self._standing(episode, self.verdict(episode, **question))
        if verdict not in self._state.judged:  # asked once, however often it is looked at
            self._state.judged.append(verdict)
        if verdict.passed is None:
            raise UndecidedError(verdict.reason)
        if not verdict.passed:
            from pytest_mobileagent.screen.explain import missed  # not for --help

            missed(lambda: verdict.reason)
        return verdict.passed

    def verdict(self, episode: Episode, **question: Any) -> Verdict:
        """Return what the judges say, without deciding the task by it (see `__call__`)."""
        from pytest_mobileagent.check.episode import Episode as Recorded
        from pytest_mobileagent.judge.cross_app import check_subtasks
        from pytest_mobileagent.judge.question import Question

        if not isinstance(episode, Recorded):
            msg = f"judge({episode!r}): the first argument has to be the episode"
            raise TaskError(msg)
        asked = Question.of(question)
        if asked.subtasks:
            check_subtasks(asked.subtasks)
        verdict: Verdict = self._answer(
            (episode.folder, len(episode.steps), asked),
            lambda: self._judges.deciding(episode, asked, self._state.calls),
        )
        return verdict

    def _standing(self, episode: Episode, verdict: Verdict) -> Verdict:
        """Return the verdict that stands: an earlier one may outrank what was said just now.

        That is kept beside the episode all the same.
        """
        from pytest_mobileagent.verdict import CHECK, PERSON, of_judges, verdicts

        known = () if episode.folder is None else verdicts(episode.folder)
        judges = [each for each in known if each.scorer not in {CHECK, PERSON}]
        stands = of_judges([*judges, verdict])
        if stands is None or stands is verdict:
            return verdict
        if verdict not in self._state.outranked:
            self._state.outranked.append(verdict)
        evidence = {n: value for n, value in stands.evidence.items() if n in _OF_JUDGES}
        evidence["outranks"] = {"passed": verdict.passed, "reason": verdict.reason}
        return replace(stands, calls=(), evidence=evidence)

    def same(self, said: str, expected: str, goal: str) -> bool:
        """Return whether the first judge takes an answer for a paraphrase of the expected one.

        For `episode.answers(expected, paraphrase=judge.same)`.

        Raises:
            UndecidedError, JudgeError: as for `__call__`.
        """
        episode = self._item.funcargs["episode"]  # type: ignore[attr-defined]
        return bool(
            self._answer(
                (episode.folder, said, expected, goal),
                lambda: self._judges.comparing(episode, said, expected, goal, self._state.calls),
            )
        )

    def _answer(self, key: Hashable, prepare: Callable[[], Callable[[], Any]]) -> Any:
        """Return what some work comes to, which is prepared here and done in the background."""
        if self._judges.mode == "off":
            raise UndecidedError(_NO_JUDGE)
        asked = self._state.answers
        if key not in asked:
            from pytest_mobileagent.judge.background import in_background

            asked[key] = in_background(partial(_in_turn, prepare()))
        if not asked[key].done() and self._state.may_wait:
            self._state.is_put_off = True
            msg = "the judges have not decided yet"
            raise Waiting(msg)
        from pytest_mobileagent.llm.budget import BudgetSpent

        try:
            return asked[key].result()
        except BudgetSpent as error:
            msg = f"budget: {error}"
            raise NoBudgetError(msg) from None


def _in_turn(work: Callable[[], Any]) -> Any:
    with _places:
        return work()


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """Asks models, as `--llm-judge` says, whether an episode met its goal: `judge(episode)`."""
    state_of(request.node).judged = []
    return Judge(request.node, request.config.stash[RUN].judges)


def ask_beside(item: pytest.Function, episode: Episode) -> None:
    """Have an episode judged whose test has a check, if all are to be judged."""
    judges = item.config.stash[RUN].judges
    if not judges.judges_all or "judge" in item.fixturenames:
        return
    try:
        state_of(item).beside = Judge(item, judges).verdict(episode)
    except (JudgeError, NoBudgetError) as error:
        from pytest_mobileagent.verdict import Verdict as Kept

        state_of(item).beside = Kept(None, "judge", str(error))


def with_judges(item: pytest.Item, verdict: Verdict) -> Verdict:
    """Return the verdict on a body, decided by the judges that it has asked unless it overruled."""
    told = state_of(item).judged
    if not told:
        return verdict
    evidence = dict(verdict.evidence)
    for each in told:
        for name, value in each.evidence.items():
            evidence[name] = [*evidence.get(name, []), *value] if name == "judges" else value
    calls = tuple(call for each in told for call in each.calls)
    decided = [each for each in told if each.passed is verdict.passed]
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
