"""Rollouts recorded as a run like any other, and models that judge them.

The models stand where a pytest run has the fixture `judge`.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.episode import load
from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.runs import append as add_to_index
from pytest_mobileagent.errors import InfrastructureError, JudgeError, UndecidedError
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.judge.ask import judge_models
from pytest_mobileagent.judge.panel import decide
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.models import check_reference
from pytest_mobileagent.llm.prices import Prices
from pytest_mobileagent.llm.reference import parse_references
from pytest_mobileagent.plugin.metadata import versions
from pytest_mobileagent.report.merging import write_pages
from pytest_mobileagent.report.recorded_run import REPORT, document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.rollout.tasks import AGENT
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.screen.explain import missed
from pytest_mobileagent.verdict import CHECK, Verdict, append, of_judges, verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.errors import MobileAgentError
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.rollout.tasks import RolloutTask


# The outcome of an episode, and who is to blame, by whether the goal was met.
_OUTCOMES = {True: ("passed", None), False: ("failed", "agent"), None: ("review", None)}


class RecordedRollouts(contextlib.AbstractContextManager["RecordedRollouts"]):
    """A run in the folder `runs`, with an epoch for each episode of a task.

    Its report and pages are written when it is closed.

    Raises:
        HostError: if the folder cannot be written.
    """

    def __init__(self, runs: Path, tasks: Sequence[RolloutTask], device: str = "virtual") -> None:
        self.folder = RunFolder.plan(runs, AGENT)
        self._epochs = Counter[str]()
        self._results: dict[str, Entry] = {}
        self._cases: list[Case] = []
        self._guard = threading.Lock()
        about = {"agent": AGENT, "device": device, "virtual": device == "virtual"}
        about["versions"] = versions()
        self.folder.begin(lambda: about, [task.case for task in tasks])

    def next_epoch(self, task: RolloutTask) -> RolloutTask:
        """Return a task as its next epoch."""
        with self._guard:
            epoch = self._epochs[task.id]
            self._epochs[task.id] += 1
            case = replace(task.case, epoch=epoch, nodeid=f"{task.case.nodeid}@{epoch}")
            self._cases.append(case)
        return replace(task, case=case)

    def ended(
        self, case: Case, folder: Path, ending: Mapping[str, Any], broke: MobileAgentError | None
    ) -> None:
        """Add an episode to the run's index and report.

        `ending` is what the last info says; `broke` is the error if the episode is broken.
        """
        if effects := ending.get("side_effects"):
            effects.write(folder)
        episode, place = load(folder), self.folder.relative(folder)
        held, reason = ending.get("success"), ending.get("reason", ending.get("broken", ""))
        if broke is not None and not isinstance(broke, UndecidedError):
            lost = (reason,) if isinstance(broke, InfrastructureError) else ()
            result = Result(case, fault=broke.fault, reason=reason, infrastructure=lost)
        else:
            verdict = of_judges(verdicts(folder))
            if verdict is None or verdict.passed != held:  # the body may ask for more
                verdict = Verdict(held, CHECK, reason, partial_credit=ending.get("credit"))
                append(folder, verdict)
            result = Result(case, *_OUTCOMES[held], reason, verdict=verdict)
        entry = replace(result, episode=episode, folder=place).entry().redacted()
        with self._guard:
            self._results[case.nodeid] = entry
            add_to_index(self.folder.path, entry.index_line)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write the report and the pages of the run.

        Raises:
            HostError: if they cannot be written.
        """
        ended = datetime.now(UTC).isoformat(timespec="seconds")
        self.folder.go_on({"when": ended}, self._cases, {})
        whole = document(self.folder.about() | {"ended": ended}, self._results)
        write_json(self.folder.path / REPORT, whole)
        chain.close(self.folder.path)
        write_pages(self.folder.path, whole)


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
        given = EpisodeModels(prices=self._prices, budget=Budget(Limit(task=left)))
        models = judge_models(self._references, given, folder=folder, calls=calls)
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
