"""The user of one episode, who answers the agent's questions, volunteers answers, or is silent."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent._task.template import fill
from pytest_mobileagent._task.user import (
    NO_USER,
    SAME,
    ExpectedQuestion,
    Person,
    Questions,
    question_similarity,
)
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.fileio import append_line, writing
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.model import ModelUnavailable, ProviderError, RequestRefusedError
from pytest_mobileagent.run.simulated_user import MOST_SHOWN, SimulatedUser, model_of_user

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent._task.user import User
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.run.plan import AttemptPlan
    from pytest_mobileagent.screen.screen import Screen


class _Answers(Protocol):
    """The user's answers, in one of their forms."""

    def reply(self, question: str, screen: Screen, step: int) -> str | None:
        """Return the answer to a question; None without an answer."""

    def volunteered(self, screen: Screen | None, step: int) -> Sequence[str]:
        """Return all answers for this screen and step; without a screen, all for the episode."""


class EpisodeUser:
    """The user of one episode, in a mode of `_task.user.MODES`.

    - `values`: the values of placeholders in the user's answers and questions.
    - `folder`: the episode's folder, beside whose calls those of a model that plays a person are
      recorded.
    - `answers`: the answers to the agent's questions since `begin`, which took `seconds`.
    - `told`: what the user has said unasked on the last screen.
    - `budget`: the budget that the model has exhausted; otherwise empty.
    """

    def __init__(self, plan: AttemptPlan, values: Mapping[str, Any], folder: Path) -> None:
        self._case, self._settings, self._episode = plan.case, plan.user, folder.name
        user = plan.case.task.answering if plan.user.mode != "silent" else None
        self.tells = user is not None and plan.user.mode == "told"
        self.mode = plan.user.mode if plan.case.task.answering is not None else ""
        self.answers: list[str | None] = []
        self.seconds = 0.0
        self.told = self.budget = ""
        self._calls: list[ModelCall] = []
        self._recorded: set[str] = set()  # the questions in the file so far
        self._source: _Answers | None = None
        if user is not None:
            model = partial(model_of_user, plan.user.models, folder, self._calls)
            self._source = _answers_of(user, plan.case, values, model)

    def begin(self) -> None:
        """Clear the answers of the previous step."""
        self.answers, self.seconds = [], 0.0

    def ask(self, question: str, screen: Screen, step: int, number: int) -> None:
        """Ask the user in a step, from 1; `number` is that of the agent's screen, from 0.

        Raises:
            ProviderError: if the model that plays the user does not answer.
        """
        asked, answer = time.monotonic(), None
        is_all_told = self.tells and isinstance(self._source, SimulatedUser)
        if self._source is not None and not self.budget and not is_all_told:
            try:
                answer = self._source.reply(question, screen, step)
                if answer is None:
                    self._record_unanswered(question, screen, step, number)
            except BudgetSpent as error:
                self.budget = str(error)
            except (ModelUnavailable, RequestRefusedError, AgentError) as error:
                raise ProviderError(f"the user cannot be asked: {error}") from error
        self.answers.append(answer)
        self.seconds += time.monotonic() - asked

    @property
    def reply(self) -> str | None:
        """The reply to the agent, with all answers to its questions; None if it did not ask."""
        given = [answer for answer in self.answers if answer is not None]
        return "\n".join(given) or NO_USER if self.answers else None

    def take_calls(self) -> tuple[ModelCall, ...]:
        """Return the calls of the model that plays the user since the last time."""
        calls = tuple(self._calls)
        self._calls.clear()
        return calls

    def listen(self, screen: Screen, step: int) -> None:
        """Set `told` to what the user says unasked on a screen."""
        self.told = self.volunteered(screen, step)

    def volunteered(self, screen: Screen | None, step: int = 0) -> str:
        """Return what the user says unasked in a step; empty for nothing.

        Without a screen, return what the user would say in all steps together, for agents that
        only receive it once.
        """
        if not self.tells or self._source is None:
            return ""
        answers = self._source.volunteered(screen, step)
        is_chinese = self._case.task.language.partition("-")[0] == "zh"
        intro = "用户补充：" if is_chinese else "The user adds: "
        return f"{intro}{' '.join(answers)}" if answers else ""

    def _record_unanswered(self, question: str, screen: Screen, step: int, number: int) -> None:
        """Add a question without an answer to the run's file, once in an episode."""
        file = self._settings.unanswered
        if file is None or question in self._recorded:
            return
        self._recorded.add(question)
        line = {
            "task": self._case.id,
            "question": question[:MOST_SHOWN],
            "page": getattr(screen, "page", ""),
            "package": screen.package,
            "activity": screen.activity,
            "step": step,
            "episode": self._episode,
            "screen": number,
        }
        with writing(file):
            append_line(file, to_line(redacted(line)))


def _answers_of(
    user: User, case: Case, values: Mapping[str, Any], model: Callable[[], Model]
) -> _Answers:
    match user:
        case Questions(pairs, threshold):
            return _Prepared([pair.filled(values) for pair in pairs], threshold, case.id)
        case Person(full, may_say):
            facts = tuple(fill(fact, values) for fact in may_say)
            return SimulatedUser(fill(full, values), facts, fill(case.task.goal, values), model)
    return _Texts({"": user} if isinstance(user, str) else user)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Answers that are chosen by a word in the question."""

    answers: Mapping[str, str]

    def reply(self, question: str, screen: Screen, step: int) -> str | None:
        asked = question.casefold()
        return next((text for word, text in self.answers.items() if word.casefold() in asked), None)

    def volunteered(self, screen: Screen | None, step: int) -> Sequence[str]:
        return list(self.answers.values())


@dataclass(slots=True)
class _Prepared:
    """Answers of prepared pairs; an answer is not repeated unless the question is, too."""

    pairs: Sequence[ExpectedQuestion]
    threshold: float
    task: str
    given: dict[str, list[str]] = field(default_factory=dict)  # the questions by their answers

    def reply(self, question: str, screen: Screen, step: int) -> str | None:
        fitting = [pair for pair in self.pairs if pair.fits(screen, step, self.task)]
        scored = [(question_similarity(question, pair.question), pair) for pair in fitting]
        for score, pair in sorted(scored, key=lambda each: -each[0]):
            if score < self.threshold:
                break
            before = self.given.setdefault(pair.answer, [])
            if not before or any(question_similarity(question, asked) >= SAME for asked in before):
                before.append(question)
                return pair.answer
        return None

    def volunteered(self, screen: Screen | None, step: int) -> Sequence[str]:
        fitting = [
            pair
            for pair in self.pairs
            if (screen is None and pair.task in {"", self.task})
            or (screen is not None and pair.fits(screen, step, self.task))
        ]
        return [f"{pair.question} {pair.answer}" for pair in fitting]
