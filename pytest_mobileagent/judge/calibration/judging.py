"""Asks judges about labelled episodes, several at a time, and collects their answers."""

from __future__ import annotations

import threading
from concurrent.futures import wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import JudgeError, RecordError, ScreenError, TaskError
from pytest_mobileagent.judge.ask import ask, judge_models
from pytest_mobileagent.judge.panel import coarse, in_background, majority
from pytest_mobileagent.judge.subtasks import ask_subtasks
from pytest_mobileagent.llm.budget import BudgetSpent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.calibration.labels import Label
    from pytest_mobileagent.judge.question import Actions, Evidence, Question
    from pytest_mobileagent.llm.metered import EpisodeModels
    from pytest_mobileagent.llm.model import Client, Model, ModelReply
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.screen import Screen


@dataclass(frozen=True, slots=True)
class Mode:
    """Settings that override those of the labels, unless they are None or "".

    - `actions`, `evidence`, `reason`: see `Question`.
    - `language`: the language of the prompts.
    """

    actions: Actions | None = None
    evidence: Evidence | None = None
    reason: bool | None = None
    language: str = ""

    @property
    def name(self) -> str:
        """The mode's name in reports; empty if it changes nothing."""
        reason = {True: "reason and result", False: "result only", None: ""}[self.reason]
        actions = {"none": "no actions", "text": "text actions", "image": "image actions"}
        evidence = {"xml": "view hierarchies"}.get(self.evidence or "", "")
        words = (actions.get(self.actions or "", ""), evidence, reason, self.language)
        return ", ".join(word for word in words if word)

    def question(self, label: Label) -> Question:
        """Return the question about a labelled episode in this mode."""
        asked = label.question
        return replace(
            asked,
            actions=self.actions or asked.actions,
            evidence=self.evidence or asked.evidence,
            reason=asked.reason if self.reason is None else self.reason,
        )

    def episode(self, label: Label, episode: EpisodeRecord) -> EpisodeRecord:
        """Return the episode with the language in which judges are asked about it in this mode."""
        language = self.language or label.language
        if not language or language == episode.case.task.language:
            return episode
        case = replace(episode.case, task=replace(episode.case.task, language=language))
        return replace(episode, case=case)


def six(base: Mode) -> tuple[Mode, ...]:
    """Return SPA-Bench's six modes, in the order of the columns of its Table 9."""
    actions: tuple[Actions, ...] = ("none", "text", "image")
    return tuple(
        replace(base, actions=each, reason=reason) for each in actions for reason in (False, True)
    )


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """The answer of one judge about one labelled episode in one mode.

    - `label`: the index of the label; `done`: people's decision; `language`: the task's language.
    - `judge`: the judge's name, PROVIDER:NAME; `mode`: the mode's name.
    - `passed`: the judge's decision; None if its votes are tied, if it was not asked (`skipped`),
      or if it could not answer (`error` says why).
    - `components`: whether the label has key components; `lacks`: whether no screenshot shows all
      of them, in which case the label is skipped, unless key components are not used.
    - `calls`: the calls made for the answer.
    """

    label: int
    done: bool
    language: str = ""
    judge: str = ""
    mode: str = ""
    passed: bool | None = None
    components: bool = False
    lacks: bool = False
    skipped: bool = False
    calls: tuple[ModelCall, ...] = ()
    error: str = ""

    @property
    def verdict(self) -> bool | None:
        """The verdict as in a run, where an episode without its key components fails."""
        return False if self.skipped else self.passed

    @property
    def verdict_by_components(self) -> bool | None:
        """The verdict as if key components were used, whether or not they are."""
        return False if self.lacks else self.passed


INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class CalibrationPlan:
    """The plan of a calibration.

    - `judges` are asked about each label in each of the `modes`, `runs` times; the majority counts.
    - `uses_components`: whether labels that lack their key components are skipped. `read`
      returns a screenshot's text.
    - `threads`: the number of labels that are judged at the same time.
    """

    labels: Sequence[Label]
    judges: Sequence[ModelReference]
    models: EpisodeModels
    read: Callable[[Screen], str]
    modes: Sequence[Mode]
    runs: int = 1
    uses_components: bool = True
    threads: int = 8
    clients: Mapping[ModelReference, Client] = field(default_factory=dict)


@dataclass(slots=True)
class JudgingOutcome:
    """The answers, the number of labels judged, and why judging ended early, if it did."""

    answers: list[JudgeAnswer] = field(default_factory=list)
    labels: int = 0
    stopped: str = ""


class _StoppedError(Exception):
    """The judging was stopped in the meantime."""


def judge_all(plan: CalibrationPlan, report: Callable[[int, int], None]) -> JudgingOutcome:
    """Ask judges about all labels; `report` receives the numbers of judged labels and all labels.

    Ctrl-C or a spent budget ends this after the calls in progress, whose answers count.
    """
    work = _Work(plan, report)
    workers = [in_background(work.run) for _ in range(min(plan.threads, len(plan.labels)))]
    try:
        wait(workers)
    except KeyboardInterrupt:  # a second one ends the process, with these threads
        work.stop(INTERRUPTED)
    for worker in workers:
        worker.result()
    return work.outcome


class _Work:
    """The labels that are left, and the answers so far."""

    def __init__(self, plan: CalibrationPlan, report: Callable[[int, int], None]) -> None:
        self.plan = plan
        self.outcome = JudgingOutcome()
        self._report = report
        self._left = iter(enumerate(plan.labels))
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def stop(self, why: str) -> None:
        """Start no further calls."""
        self.outcome.stopped = self.outcome.stopped or why
        self._ended.set()

    def run(self) -> None:
        """Ask about one label after another, until none is left or the work is stopped."""
        try:
            for number, label in self._labels():
                answers = list(self._answers(number, label))
                with self._lock:
                    self.outcome.answers += answers
                    self.outcome.labels += 1
                    self._report(self.outcome.labels, len(self.plan.labels))
        except BudgetSpent as error:
            self.stop(str(error).replace("--mobile-", "--"))
        except _StoppedError:
            pass
        except BaseException:
            self.stop("error")
            raise

    def _labels(self) -> Iterator[tuple[int, Label]]:
        while not self._ended.is_set():
            with self._lock:
                label = next(self._left, None)
            if label is None:
                return
            yield label

    def _answers(self, number: int, label: Label) -> Iterator[JudgeAnswer]:
        plan, about, broken = self.plan, JudgeAnswer(number, label.done), ""
        try:
            episode = label.load()
            about = self._coarse(about, label, episode)
        except (RecordError, ScreenError, TaskError) as error:  # for example a damaged record
            broken = f"{label.name}: {error}"
        models = judge_models(plan.judges, plan.models, clients=plan.clients)
        for mode in plan.modes:
            for model in models:
                about = replace(about, judge=model.name, mode=mode.name)
                if broken:
                    yield replace(about, error=broken)
                elif about.lacks and plan.uses_components:
                    yield replace(about, skipped=True)
                else:
                    seen = mode.episode(label, episode)
                    yield self._answer(about, model, mode.question(label), seen)

    def _coarse(self, about: JudgeAnswer, label: Label, episode: EpisodeRecord) -> JudgeAnswer:
        """Return an answer with the result of the coarse stage, and the task's language."""
        about = replace(about, language=label.language or episode.case.task.language)
        components = label.question.key_components
        if not components:
            return about
        found = coarse(episode, components, self.plan.read)
        return replace(about, components=True, lacks=not found.passed)

    def _answer(
        self, about: JudgeAnswer, model: Model, question: Question, episode: EpisodeRecord
    ) -> JudgeAnswer:
        """Ask a judge as many times as planned; unreadable replies do not count as votes."""
        counted, votes, error = _Counted(model), [], ""
        asked = replace(question, key_components=())
        for _ in range(self.plan.runs):
            if self._ended.is_set():
                raise _StoppedError
            try:
                one = ask_subtasks if asked.subtasks else ask
                votes.append(one(counted, asked, episode).passed)
            except (JudgeError, TaskError) as failed:
                error = str(failed)
        calls = tuple(counted.calls)
        return replace(about, passed=majority(votes), calls=calls, error="" if votes else error)


class _Counted:
    """A model that records its calls, including those with unreadable replies."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self.calls: list[ModelCall] = []

    def complete(self, *args: Any, **kwargs: Any) -> ModelReply:
        """Ask the model."""
        reply = self._model.complete(*args, **kwargs)
        self.calls.append(reply.call)
        return reply
