"""Models that judge rollouts, where a pytest run has the fixture `judge`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import JudgeError, UndecidedError
from pytest_mobileagent.judge.ask import judge_models
from pytest_mobileagent.judge.panel import decide
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit
from pytest_mobileagent.llm.models import ModelSettings, check_reference
from pytest_mobileagent.llm.prices import Prices
from pytest_mobileagent.llm.reference import parse_references
from pytest_mobileagent.screen.explain import missed
from pytest_mobileagent.verdict import append

if TYPE_CHECKING:
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode.calls import ModelCall

_MOST = 3


class ModelJudge:
    """Asks models whether episodes met their goals, for `MobileEnv(…, judge=…)`.

    One model decides; two have to agree, and a third settles their disputes. They are named as for
    `--mobile-judges`. Prompts, replies and prices are recorded with each episode.

    - `max_cost`: once all calls have cost this much, in US dollars, no model is asked any more, and
      episodes are `broken`. None is no limit, and allows models whose price is not known.
    - `prices`: the user's own (see `llm.prices.load_prices`), beside those that are known.
    - `cost`: what the calls have cost so far, in US dollars, as far as prices are known.

    Raises:
        ValueError: if it is not one to three models, or one of them cannot be asked from here.
    """

    def __init__(
        self, *models: str, max_cost: float | None = None, prices: Prices | None = None
    ) -> None:
        self._references = parse_references(",".join(models))
        if len(self._references) > _MOST:
            raise ValueError(f"{', '.join(models)}: at most {_MOST} models judge")
        self._prices, self.max_cost, self.cost = prices or Prices(), max_cost, 0.0
        self._guard = threading.Lock()
        for each in self._references:
            if max_cost is not None and not self._prices.knows(each):
                raise ValueError(f"{each}: no price is known, as max_cost={max_cost} needs one")
            check_reference(each, self._prices, unpriced=True)

    def __call__(self, episode: Episode, **question: Any) -> bool:
        """Return whether the goal was met; the arguments are those of `judge.question.Question`.

        Raises:
            JudgeError: if a judge is down or unreadable, or `max_cost` is reached.
            UndecidedError: if judges disagree.
            TaskError: if an argument is invalid.
        """
        folder = episode.folder
        assert folder is not None  # rollouts are recorded while they go on
        calls: list[ModelCall] = []
        left = None if self.max_cost is None else self.max_cost - self.cost
        settings = ModelSettings(prices=self._prices, budget=Budget(Limit(task=left)))
        models = judge_models(self._references, settings, folder=folder, calls=calls)
        try:
            verdict = decide(models, Question.of(question), episode)
        except BudgetSpent:
            raise JudgeError(f"max_cost={self.max_cost} is spent: no judge is asked") from None
        finally:
            with self._guard:
                self.cost += sum(call.price_usd or 0.0 for call in calls)
        append(folder, verdict)
        if verdict.passed is None:
            raise UndecidedError(verdict.reason)
        if not verdict.passed:
            missed(lambda: verdict.reason)
        return verdict.passed
