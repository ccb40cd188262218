"""The result of one case, and the metrics of its episode.

They include steps that had no effect, repeated another, typed without focus, or were not executed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.case import has_alternatives
from pytest_mobileagent._task.user import NO_USER, THRESHOLD, question_similarity, says
from pytest_mobileagent.action import Ask, Type, Wait, ends_episode
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.calls import totals
from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.report.entry import SPENT, Entry, Spent
from pytest_mobileagent.report.metrics.behaviour import measures as met_noise
from pytest_mobileagent.report.text.narration import cause
from pytest_mobileagent.screen import keyboard_is_shown
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.episode.calls import ModelCall, Totals
    from pytest_mobileagent.report.entry import Scored
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a case; `entry` returns it as an entry of report.json.

    - `outcome`: passed, failed, review, skipped, error, xfailed, xpassed, or "not run".
    - `fault`: why it failed, broke or was not run: agent, infrastructure, judge, budget or task.
    - `reason`: the reason in words.
    - `infrastructure`: the errors of lost attempts, even if a later attempt was decided.
    - `folder`: the folder of the episode, relative to the run's.
    - `beside`: the judges' verdict on a task that a check decides.
    - `official`: the verdict of the benchmark's own evaluation, which does not decide the task.
    - `judge_calls`: all judge calls, including failed ones; if empty, those of the verdicts count.
    - `compared`: how steps match golden actions, from the evidence of the check's verdict.
    - `skipped_for`: what a skipped task lacked, such as "app"; "test" if the test skipped itself.
    """

    case: Case
    outcome: str = "error"
    fault: str | None = None
    reason: str = ""
    infrastructure: tuple[str, ...] = ()
    episode: EpisodeRecord | None = None
    folder: str | None = None
    verdict: Verdict | None = None
    beside: Verdict | None = None
    official: Verdict | None = None
    judge_calls: tuple[ModelCall, ...] = ()
    compared: Mapping[str, Any] | None = None
    skipped_for: str | None = None

    @property
    def success(self) -> bool | None:
        """Whether the goal was met; None if the case is undecided."""
        return self.verdict.passed if self.verdict is not None else None

    def entry(self) -> Entry:
        """Return the result as an entry of a report, in which all free data are plain."""
        task, verdict = self.case.task, self.verdict
        beside, official = self.beside, self.official
        # If a task names alternative apps, the episode has the package that was on the phone.
        played = self.episode.case.task if self.episode and has_alternatives(task) else task
        return Entry(
            id=self.case.id,
            nodeid=self.case.nodeid,
            suite=self.case.suite,
            app=played.packages[0] if played.packages else None,
            kind=task.kind,
            level=task.level,
            language=task.language,
            twin=task.twin or None,
            tags=list(task.tags),
            parameters=to_wire(self.case.parameters),
            epoch=self.case.epoch,
            environment=self.case.environment,
            variant=task.variant or None,
            golden_steps=task.shortest,
            outcome=self.outcome,
            success=self.success,
            fault=self.fault,
            skipped_for=self.skipped_for,
            unclear=self.outcome == "review" and bool(self._evidence("unclear")),
            reason=self.reason,
            cause=cause(
                self.outcome,
                self.reason,
                fault=self.fault,
                infrastructure=self.infrastructure,
                verdict=verdict,
                episode=self.episode,
            ),
            infrastructure=list(self.infrastructure),
            episode=self.folder,
            verdict=None if verdict is None else verdict_fields(verdict),
            first_success_step=None if verdict is None else verdict.first_step,
            held_at_start=self._evidence("held_at_start"),
            reported=self._reported(),
            partial_credit=None if verdict is None else verdict.partial_credit,
            judged=None if beside is None else {"passed": beside.passed, "reason": beside.reason},
            official=None
            if official is None
            else {"scorer": official.scorer, "passed": official.passed, "reason": official.reason},
            progress=progress(self._evidence("subgoals")),
            subgoals=to_wire(self._evidence("subgoals")),
            step_efficiency=None if verdict is None else ratio(verdict.first_step, task.shortest),
            **measures(self.episode, self.success, task.shortest) | matched(self.compared),
            roles=self._roles(),
        )

    def _evidence(self, name: str) -> Any:
        return self.verdict and self.verdict.evidence.get(name)

    def _reported(self) -> bool | None:
        """Return whether the agent met the goal and reported its end, for a task with measures."""
        if self.episode is None or self.success is None or not self.episode.measured:
            return None
        return self.success and self.episode.report is not None

    def _roles(self) -> dict[str, Spent] | None:
        """Return the spending of each role's models, including judges and the simulated user."""
        if self.episode is None:
            return None
        scored = [verdict for verdict in (self.verdict, self.beside) if verdict is not None]
        judges = self.judge_calls or [call for verdict in scored for call in verdict.calls]
        return _by_role([*self.episode.calls, *self.episode.user_calls, *judges])


def measures(
    episode: EpisodeRecord | None, success: bool | None, golden: int | None
) -> dict[str, Any]:
    """Return the fields of an entry that an episode and its verdict give; none without an episode.

    docs/episodes.md explains each. On golden paths, effects, repetitions and focus are unknown.
    """
    if episode is None:
        return {}
    # The effects of golden actions say nothing about the agent.
    kinds = (no_effect, repeated, unfocused)
    effects = None if episode.is_on_path else [sum(kind(episode)) for kind in kinds]
    steps, side = episode.step_count, episode.side_effects
    return {
        "termination": str(episode.termination),
        "attempt": episode.attempt,
        "answer": episode.answer,
        "steps": steps,
        "actions": len(episode.actions),
        "step_ratio": steps / golden if success and golden else None,
        "premature": _decided(success, not success, episode, Termination.SELF_REPORTED),
        "overdue": _decided(success, bool(success), episode, Termination.STEP_LIMIT),
        "seconds": round(episode.seconds, 3),
        "seconds_per_step": _per(episode.seconds, steps),
        "thinking_seconds": round(episode.seconds_thinking, 3),
        "acting_seconds": round(episode.seconds_acting, 3),
        "latency": _per(episode.seconds_thinking + episode.seconds_acting, len(episode.actions)),
        "no_effect_steps": effects and effects[0],
        "repeated_steps": effects and effects[1],
        "unfocused_steps": effects and effects[2],
        "invalid_actions": invalid(episode),
        "crashes": None if episode.crashes is None else len(episode.crashes),
        **met_noise(episode),
        "side_effects": side and side.count,
        "changed_unasked": side and side.listed,
        "user": episode.user or None,
        "sees": episode.sees if episode.sees != "both" else None,
        **question_counts(episode),
        **_spent(episode.totals).to_json(),
        "metered": episode.is_metered,
        "estimated": episode.totals.estimated,
        "reset": episode.reset and episode.reset.to_json(),
        "node": episode.node or None,
        "versions": dict(episode.versions) or None,
    }


def _per(seconds: float, count: int) -> float | None:
    return round(seconds / count, 3) if count else None


def matched(compared: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of an entry on how golden steps were matched; none without a comparison.

    `compared` contains the scorer and its matches. Accuracies are shares of the steps that count.
    Golden actions that close noise are the right reactions to it.
    """
    if compared is None:
        return {}
    noisy = [each["exact"] for each in compared["steps"] if each["counts"] and each.get("noisy")]
    counts = _counts_of(compared["steps"])
    beside = {name: _counts_of(steps) for name, steps in compared.get("beside", {}).items()}
    return {
        **({"noisy_steps_asking": len(noisy), "noisy_steps_right": sum(noisy)} if noisy else {}),
        "matches": to_wire(compared["steps"]),
        "matched_by": compared["scorer"],
        "matched_beside": beside or None,
        "step_accuracy": ratio(counts["exact"], counts["steps"]),
        "type_accuracy": ratio(counts["type"], counts["steps"]),
    }


def _counts_of(steps: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    counted = [each for each in steps if each["counts"]]
    right = {name: sum(each[name] for each in counted) for name in ("exact", "type")}
    return {"steps": len(counted), **right}


def progress(subgoals: Sequence[Mapping[str, Any]] | None) -> float | None:
    """Return the weighted share of a verdict's sub-goals that ever held; None without any."""
    held = [each for each in subgoals or () if each["held"] or each["first_step"] is not None]
    weights = sum(each["weight"] for each in subgoals or ())
    return ratio(sum(each["weight"] for each in held), weights)


def _decided(
    success: bool | None, fits: bool, episode: EpisodeRecord, termination: Termination
) -> bool | None:
    return None if success is None else fits and episode.termination is termination


def _by_role(calls: Sequence[ModelCall]) -> dict[str, Spent]:
    role = attrgetter("role")
    return {name: _spent(totals(each)) for name, each in groupby(sorted(calls, key=role), role)}


def _spent(spent: Totals) -> Spent:
    known = {name: getattr(spent, name) for name in SPENT if name != "cost_usd"}
    return Spent(**known, cost_usd=spent.price_usd)


def verdict_fields(verdict: Verdict) -> Scored:
    """Return the fields of a verdict that a report contains, as plain data."""
    return {
        "passed": verdict.passed,
        "scorer": verdict.scorer,
        "reason": verdict.reason,
        "evidence": to_wire(verdict.evidence),
        "first_step": verdict.first_step,
    }


def question_counts(episode: EpisodeRecord) -> dict[str, int]:
    """Return how many questions the agent asked the user, and how many were useful.

    - `questions`: all questions; `answered`: those with an answer.
    - `useful`: answered questions with new information; `needless`: the other answered ones. An
      answer is not new if the goal or the user's unprompted statements already contain it, or if
      the user has given it before to a similar question (see `says` and `question_similarity`).
    """
    known, before, useful, count = [episode.goal], list[tuple[str, str]](), 0, 0
    for step in episode.steps:
        known += [step.told] if step.told else []
        # On a golden path only the first question of a decision is asked.
        decided = step.actions[:1] if step.golden is not None else step.done
        questions = [action.question for action in decided if isinstance(action, Ask)]
        count += len(questions)
        for question, answer in zip(questions, _answers(step), strict=False):
            if answer is not None:
                useful += _is_new(question, answer, known, before)
                before.append((question, answer))
    needless = len(before) - useful
    return {"questions": count, "answered": len(before), "useful": useful, "needless": needless}


def _answers(step: Step) -> Sequence[str | None]:
    """Return the answers to the questions of a step; an older record has at most one."""
    return step.answers or (None if step.reply in {None, NO_USER} else step.reply,)


def _is_new(
    question: str, answer: str, known: Sequence[str], before: Sequence[tuple[str, str]]
) -> bool:
    return not says("\n".join(known), answer) and not any(
        answer == given and question_similarity(question, other) >= THRESHOLD
        for other, given in before
    )


ScreenIdentity = tuple[str, str, str, str]


def no_effect(episode: EpisodeRecord) -> list[bool]:
    """Return for each step whether it acted without changing the screen.

    A screen is unchanged if its app, activity, view hierarchy and screenshot are; a screen whose
    clock has advanced has changed. The agent's view counts, so closing noise is an effect. Waiting,
    asking and reporting are not actions in this sense. After a report nothing is observed, so the
    effect of actions in the same step is unknown.
    """
    screens = list(map(_identity, episode.seen))
    return [
        bool(_acts(step.done)) and not any(map(ends_episode, step.done)) and before == after
        for step, (before, after) in zip(episode.steps, pairwise(screens), strict=True)
    ]


def repeated(episode: EpisodeRecord) -> list[bool]:
    """Return for each step whether it repeated an earlier one on an identical screen."""
    found = []
    known: set[tuple[ScreenIdentity, str]] = set()
    for step in episode.steps:
        acts = _acts(step.done)
        what = (_identity(step.screen), repr(acts))  # coordinates from agents may be unhashable
        found.append(bool(acts) and what in known)
        known.add(what)
    return found


def unfocused(episode: EpisodeRecord) -> list[bool]:
    """Return for each step whether it typed before anything had the focus.

    This is an error case of A3 (arXiv 2501.01149, section 4.3). It applies if the first action of a
    step types without tapping a field itself, and neither the screen before nor the one after it
    has a focused field or a keyboard; the latter covers fields that the phone focused when keys
    arrived. A screen without elements counts as focused, as nothing is known about it.
    """
    found = []
    for step, around in zip(episode.steps, pairwise(episode.seen), strict=True):
        first = next(iter(_acts(step.done)), None)
        types = isinstance(first, Type) and first.at is None
        found.append(types and not any(keyboard_is_shown(s) or not s.elements for s in around))
    return found


def invalid(episode: EpisodeRecord) -> int:
    """Return how many decisions could not be executed completely, or contained no action."""
    return sum(bool(step.notice) for step in episode.steps)


def _acts(actions: tuple[Action, ...]) -> list[Action]:
    return [act for act in actions if not isinstance(act, Wait | Ask) and not ends_episode(act)]


def _identity(screen: Screen) -> ScreenIdentity:
    return screen.package, screen.activity, screen.xml, screen.key
