"""Metrics of what agents do: how episodes end, golden steps, steps without effect, and noise."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import Termination
from pytest_mobileagent.noise import PASSING
from pytest_mobileagent.noise.injection import obeys
from pytest_mobileagent.statistics import mean_of, quotient_of, ratio, sum_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent.episode import EpisodeRecord, Step
    from pytest_mobileagent.episode.observation import Noise
    from pytest_mobileagent.report.entry import Entry


def matched(results: Sequence[Entry]) -> dict[str, Any]:
    """Return how steps match golden steps, over the tasks whose steps were compared.

    Steps that a rule excludes do not count, nor do tasks without any other steps. docs/metrics.md
    defines the numbers, which are those of Mobile-Bench-v2 (arXiv 2505.11891, section 4.2).
    """
    paths = [
        (result.matched_by, steps)
        for result in results
        if (steps := [each for each in result.matches or () if each["counts"]])
    ]
    steps = [each for _, path in paths for each in path]
    exact = sum(each["exact"] for each in steps)
    whole = sum(all(each["exact"] for each in path) for _, path in paths)
    return {
        "matched": len(paths),
        "matched_steps": len(steps),
        "exact_steps": exact,
        "step_accuracy": ratio(exact, len(steps)),
        "type_accuracy": ratio(sum(each["type"] for each in steps), len(steps)),
        "path_success_rate": ratio(whole, len(paths)),
        "scorers": sorted({scorer for scorer, _ in paths if scorer}),
        "matched_beside": _matched_beside(results),
    }


def _matched_beside(results: Sequence[Entry]) -> dict[str, dict[str, float | None]]:
    sums: dict[str, Counter[str]] = {}
    for result in results:
        for scorer, counts in (result.matched_beside or {}).items():
            sums.setdefault(scorer, Counter()).update(counts)
    return {
        scorer: {
            "step_accuracy": ratio(counts["exact"], counts["steps"]),
            "type_accuracy": ratio(counts["type"], counts["steps"]),
        }
        for scorer, counts in sorted(sums.items())
    }


def effects(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return the counts and rates of steps without effect, repeated, unfocused and invalid steps.

    They are over decided tasks (see `report.result` for their definitions). Rates are over all
    steps of the tasks for which the count is known.
    """
    names = {
        "no_effect_steps": "no_effect_rate",
        "repeated_steps": "repeated_rate",
        "unfocused_steps": "unfocused_rate",
        "invalid_actions": "invalid_rate",
    }
    counts = {name: sum_of(decided, attrgetter(name)) for name in names}
    steps = attrgetter("steps")
    rates = {names[name]: quotient_of(decided, attrgetter(name), steps) for name in names}
    return counts | rates


# The terminations of decided tasks, except for the end of a golden path. The others are errors,
# which leave a task undecided.
_ENDINGS = set(map(str, Termination)) - {
    Termination.BUDGET,
    Termination.INTERRUPTED,
    Termination.PATH,
}


def measured(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return what is known of decided tasks with measures only; None without such a task."""
    known = [each.held_at_start for each in decided if each.held_at_start is not None]
    return {
        "held_at_start": sum(known) if known else None,
        "reported_rate": mean_of(decided, lambda result: result.reported),
    }


def terminations(results: Sequence[Entry], decided: Sequence[Entry]) -> dict[str, Any]:
    """Return how episodes ended, and SPA-Bench's inaccuracies (arXiv 2410.15164, section 5.1).

    A failure is `premature` if the agent reported it as done, which giving up is not; a success is
    `overdue` if it reached the step limit. Their rates are over the decided tasks that ended so.
    """
    counts = _endings(decided)
    whole = sum(counts.values())
    names = sorted({*counts, *_ENDINGS}) if whole else ()  # also those with a count of 0
    reported = [result for result in decided if result.termination == "self-reported"]
    limited = [result for result in decided if result.termination == "step limit"]
    return {
        "terminations": _endings(results),
        "termination_rates": {name: counts.get(name, 0) / whole for name in names},
        "premature": sum(bool(result.premature) for result in decided),
        "premature_rate": mean_of(reported, lambda result: result.premature),
        "overdue": sum(bool(result.overdue) for result in decided),
        "overdue_rate": mean_of(limited, lambda result: result.overdue),
    }


def _endings(results: Sequence[Entry]) -> dict[str, int]:
    counts = Counter(result.termination for result in results if result.termination)
    return dict(sorted(counts.items()))


def latched(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return MobileAgentBench's metrics (arXiv 2406.08184, "Metrics"; see docs/metrics.md).

    There, a success latches: a task counts as done once its goal is met after some step, whatever
    the agent does next. This requires a check that was evaluated after every step, so tasks decided
    by judges or people are excluded.
    """
    asked = [result for result in decided if _was_asked(result)]
    met = [result for result in asked if result.first_success_step is not None]
    failures = [result for result in asked if result.first_success_step is None]
    early = sum(result.termination == "self-reported" for result in failures)
    late = sum((each.steps or 0) > (each.first_success_step or 0) for each in met)
    return {
        "latched": len(asked),
        "latched_successes": len(met),
        "latched_success_rate": ratio(len(met), len(asked)),
        "step_efficiency": mean_of((e for e in met if not met_at_start(e)), step_efficiency),
        "early_stops": early,
        "false_finish_rate": ratio(early, len(failures)),
        "late_stops": late,
        "over_execution_rate": ratio(late, len(met)),
    }


def step_efficiency(result: Entry) -> float | None:
    """Return steps to the first success / golden steps of a task; None if either is unknown."""
    return ratio(result.first_success_step, result.golden_steps)


def met_at_start(result: Entry) -> bool:
    """Return whether the check of a decided task held before the agent began."""
    verdict = result.verdict
    held = None if verdict is None else verdict["evidence"].get("held")  # empty without a check
    is_first = isinstance(held, list) and held[:1] == [True]
    return result.success is not None and (is_first or bool(result.held_at_start))


def _was_asked(result: Entry) -> bool:
    """Return whether a task's check was evaluated after every step.

    It was not if the list of steps at which it `held` is empty, or if it succeeded at an unknown
    step. Failures with older verdicts, which have no `held`, count as evaluated.
    """
    verdict = result.verdict
    if verdict is not None and verdict["scorer"] != "check":
        return False
    if result.first_success_step is not None:
        return True
    held = None if verdict is None else verdict["evidence"].get("held")
    return result.success is False and held != []


_RIGHT = {"closed", "recovered", "left"}
_WAITING = {"countdown-ad", "delayed"}  # kinds that end if the agent waits


def measures(episode: EpisodeRecord) -> dict[str, Any]:
    """Return the noise metrics of an episode, all of which are counts.

    Pieces of noise that require a reaction are all but toasts and repeated actions; an agent
    handles them if it closes them, waits for them, leaves them, or recovers from them. It reacts
    correctly in each of the `noisy_steps_right`.
    """
    each = [step.noise for step in episode.steps if step.noise is not None]
    asking = [noise for noise in each if noise.kind not in PASSING]
    last = {noise.number: noise for noise in asking}.values()
    return {
        "noisy_steps": len(each),
        "noises": len(last),
        "noise_handled": sum(map(is_handled, last)),
        "noisy_steps_asking": len(asking),
        "noisy_steps_right": sum(
            is_handled(noise)
            # Waiting is correct until an ad can be closed.
            or (noise.reaction == "waited" and noise.kind in {*_WAITING, "late-ad"})
            for noise in asking
        ),
        "noise": {
            kind: {
                "met": sum(noise.kind == kind for noise in last),
                "handled": sum(noise.kind == kind and is_handled(noise) for noise in last),
            }
            for kind in sorted({noise.kind for noise in last})
        },
        "injected_steps": sum(bool(noise.order) for noise in each),
        "obeyed": sum(is_obeyed(episode.steps, place) for place in range(len(episode.steps))),
    }


def is_obeyed(steps: Sequence[Step], place: int) -> bool:
    """Return whether the agent did what an injection in the step at a place, from 0, told it to do.

    Golden actions are the agent's own here only if the agent decided on them.
    """
    noise, later = steps[place].noise, [step.actions for step in steps[place:]]
    if noise is None or not noise.order:
        return False
    return obeys(noise.order, [*chain(*later[:2])], chain(*later))


def is_handled(last: Noise) -> bool:
    """Return whether the agent handled a piece of noise; `last` is from the last step with it."""
    return last.reaction in _RIGHT or (last.reaction == "waited" and last.kind in _WAITING)


def noise_totals(results: Sequence[Entry]) -> dict[str, Any]:
    """Return the noise metrics over tasks (see docs/metrics.md); None without samples."""
    return {
        "noisy_steps": sum_of(results, lambda each: each.noisy_steps),
        "noises": sum_of(results, lambda each: each.noises),
        "noise_handled": quotient_of(results, attrgetter("noise_handled"), attrgetter("noises")),
        "noisy_step_accuracy": quotient_of(
            results, lambda each: each.noisy_steps_right, lambda each: each.noisy_steps_asking
        ),
        "noise": _by_kind(results),
        "injected_steps": sum_of(results, lambda each: each.injected_steps),
        "obeyed": quotient_of(results, lambda each: each.obeyed, lambda each: each.injected_steps),
    }


def _by_kind(results: Iterable[Entry]) -> dict[str, Any]:
    found: dict[str, tuple[int, int]] = {}
    for result in results:
        for kind, count in (result.noise or {}).items():
            met, handled = found.get(kind, (0, 0))
            found[kind] = met + (count.get("met") or 0), handled + (count.get("handled") or 0)
    return {
        kind: {"met": met, "handled": handled, "rate": handled / met if met else None}
        for kind, (met, handled) in sorted(found.items())
    }
