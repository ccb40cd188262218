"""The summary of a run: metrics over the results of its tasks, and how the episodes ended."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.report.metrics.doubtful import with_doubtful
from pytest_mobileagent.report.metrics.epochs import (
    epochs_of,
    over_epochs,
    rate_and_interval,
    repeated,
)
from pytest_mobileagent.report.metrics.noise import noise_totals
from pytest_mobileagent.report.metrics.spending import spending
from pytest_mobileagent.statistics import mean_of, quotient_of, ratio, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry


# The groups in a summary, each with the field of a result that it groups by.
GROUPS = {
    "suites": "suite",
    "environments": "environment",
    "variants": "variant",
    "apps": "app",
    "levels": "level",
    "kinds": "kind",
    "languages": "language",
    "tags": "tags",
}


def summarise(results: Sequence[Entry]) -> dict[str, Any]:
    """Return the metrics of a run over all tasks, and by the fields in `GROUPS`.

    A task without a level, for example, is in no group of levels; one with two tags is in both.
    `repeated` lists the tasks with several epochs (see `epochs.repeated`).
    """
    epochs = epochs_of(results)
    known: dict[tuple[int, ...], dict[str, Any]] = {}  # many groups contain the same results

    def of(group: Sequence[Entry]) -> dict[str, Any]:
        which = tuple(map(id, group))
        if which not in known:
            known[which] = totals(group, epochs)
        return known[which]

    groups = {name: _by(field, results, of) for name, field in GROUPS.items()}
    return {**of(results), **groups, "repeated": repeated(results)}


def _by(field: str, results: Sequence[Entry], of: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[Entry]] = {}
    for result in results:
        value = getattr(result, field)
        for name in dict.fromkeys(value if isinstance(value, list) else [value]):
            if name is not None:
                groups.setdefault(str(name), []).append(result)
    return {name: of(groups[name]) for name in sorted(groups)}


def totals(results: Sequence[Entry], epochs: int | None = None) -> dict[str, Any]:
    """Return the metrics over some results; a metric without samples is None, never 0.

    `epochs` is the run's number of epochs, by default that of these results. See docs/metrics.md
    for all fields, and `matched`, `latched`, `spending`, `over_epochs` and `noise_totals`.

    Counts:

    - `tasks` counts tasks, whose epochs and environments are `episodes`; `decided` are the episodes
      with a verdict, and `_undecided` counts the others.
    - `estimated`: tasks with estimated token counts, because a provider did not report them.
    - `programs`: tasks run by external programs; `unmetered`: those of them in which no model call
      was observed, so their cost is unknown.
    - `sees`: what agents were given of each screen, if not all of it ("screenshot").
    - `crashes`: app crashes in all episodes whose log was read; None if none was read.
    - `questions`: questions to the user; `answered`: those with an answer, which was either
      `useful` (new) or `needless` (see `result.question_counts`).

    Rates and means:

    - `success_rate` = successes / decided; `success_rate_of_all` = successes / episodes;
      `success_rate_with_suspects` counts the `suspects` as failures, and `success_rate_lower` the
      `unclear` answers (see `with_doubtful`).
    - `mean_step_ratio`: mean of steps / golden steps over successes, not clamped (SPA-Bench,
      arXiv 2410.15164, section 5.1). Tasks whose goal was `met_at_start` are left out, because no
      step was needed.
    - `partial_credit`: mean weighted share of the sub-goals that held at the end, over decided
      tasks with sub-goals; `progress`: of those that held at some step.
    """
    decided = [result for result in results if result.success is not None]
    begun = [result for result in decided if not met_at_start(result)]
    successes = sum(bool(result.success) for result in decided)
    affected, interval = rate_and_interval(results, _has_side_effects)
    return {
        "tasks": len({result.id for result in results}),
        "episodes": len(results),
        "decided": len(decided),
        "successes": successes,
        **_undecided(results),
        "success_rate": ratio(successes, len(decided)),
        "success_rate_of_all": ratio(successes, len(results)),
        **with_doubtful(results),
        **over_epochs(results, epochs_of(results) if epochs is None else epochs),
        "mean_step_ratio": mean_of(begun, lambda each: each.step_ratio),
        "met_at_start": len(decided) - len(begun),
        **measured(decided),
        **terminations(results, decided),
        **latched(decided),
        "partial_credit": mean_of(decided, lambda each: each.partial_credit),
        "progress": mean_of(decided, lambda each: each.progress),
        **matched(results),
        **_pace(decided),
        **_effects(decided),
        "crashes": sum_of(results, lambda each: each.crashes),
        **noise_totals(results),
        "side_effects": sum_of(results, lambda each: each.side_effects),
        "side_effect_rate": affected,
        "side_effect_interval": interval,
        **{name: sum_of(results, attrgetter(name)) for name in _ASKED},
        **spending(results, decided),
        "estimated": sum(bool(result.estimated) for result in results),
        "programs": sum(result.metered is not None for result in results),
        "unmetered": sum(result.metered is False for result in results),
        "sees": "/".join(sorted({result.sees for result in results if result.sees})) or None,
    }


def _has_side_effects(result: Entry) -> bool | None:
    """Return whether the agent changed what nobody had asked for; None if that is not known."""
    return None if result.side_effects is None else result.side_effects > 0


_ASKED = ("questions", "answered", "useful", "needless")
_UNDECIDED = {"errors": "error", "skipped": "skipped", "review": "review", "not_run": "not run"}


def _undecided(results: Sequence[Entry]) -> dict[str, int]:
    """Return why tasks have no verdict.

    - `errors`, `skipped`, `review` (a person must decide), `not_run` (the run ended before).
    - `check_errors`: tasks that were run, but whose check raised an error.
    - `infrastructure`: attempts lost because a device, a worker or the network broke, including
      those of tasks that another attempt decided.
    - `without_snapshot`: tasks whose device was not restored from a snapshot.
    """
    outcomes = Counter(result.outcome for result in results)
    return {
        **{name: outcomes[outcome] for name, outcome in _UNDECIDED.items()},
        "check_errors": sum(map(check_raised, results)),
        "infrastructure": sum(len(result.infrastructure) for result in results),
        "without_snapshot": sum(without_snapshot(result) is not None for result in results),
    }


def check_raised(result: Entry) -> bool:
    """Return whether a task was run, but its check raised an error, so it is undecided."""
    broke = (result.outcome, result.fault) == ("error", "task")
    return broke and result.steps is not None


def without_snapshot(result: Entry) -> dict[str, Any] | None:
    """Return the reset of a task whose device was not restored from a snapshot; else None."""
    reset = result.reset
    return reset if reset is not None and reset["kind"] != "snapshot" else None


def _pace(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return steps and seconds of decided tasks: sums, and means per task, step and action.

    `latency` is MobileAgentBench's: the seconds from one action to the next, spent by the agent and
    until the screen has settled. Our own work, such as reading probes and recording, is included
    only in `seconds`.
    """
    return {
        "mean_steps": mean_of(decided, lambda each: each.steps),
        "mean_actions": mean_of(decided, lambda each: each.actions),
        "mean_calls": mean_of(decided, lambda each: each.calls),
        "seconds": sum_of(decided, lambda each: each.seconds),
        "mean_seconds": mean_of(decided, lambda each: each.seconds),
        "seconds_per_step": quotient_of(
            decided, lambda each: each.seconds, lambda each: each.steps
        ),
        "thinking_seconds": sum_of(decided, lambda each: each.thinking_seconds),
        "acting_seconds": sum_of(decided, lambda each: each.acting_seconds),
        "latency": quotient_of(decided, _busy_seconds, lambda each: each.actions),
    }


def matched(results: Sequence[Entry]) -> dict[str, Any]:
    """Return how steps match golden steps, over the tasks whose steps were compared.

    Steps that a rule excludes do not count, nor do tasks without any other steps.

    - `matched`: the number of tasks; `matched_steps`: that of their golden steps; `exact_steps`:
      that of the golden steps that the agent matched exactly.
    - `step_accuracy` = exact steps / steps (Step.Acc), `type_accuracy` = steps with the right type
      of action / steps (TYPE): Mobile-Bench-v2 (arXiv 2505.11891, section 4.2).
    - `path_success_rate`: the share of tasks whose steps are all exact (its SR on a single path).
    - `scorers`: the rules that were applied; numbers of different rules are not comparable.
    - `matched_beside`: step and type accuracy by the scorers that are only reported.
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


def _busy_seconds(result: Entry) -> float | None:
    thinking, acting = result.thinking_seconds, result.acting_seconds
    return None if thinking is None or acting is None else thinking + acting


def _effects(decided: Sequence[Entry]) -> dict[str, Any]:
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
    rates = {
        names[name]: quotient_of(decided, attrgetter(name), lambda each: each.steps)
        for name in names
    }
    return counts | rates


_CHECK = "check"
# The terminations of decided tasks, except for the end of a golden path. The others are errors,
# which leave a task undecided.
_ENDINGS = set(map(str, Termination)) - {
    Termination.BUDGET,
    Termination.INTERRUPTED,
    Termination.PATH,
}


def measured(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return what is known of decided tasks with measures only; None without such a task.

    - `held_at_start`: the tasks whose body held before the agent began.
    - `reported_rate`: the success rate if a success counts only where the agent reported its end,
      as in AndroidWorld's own harness.
    """
    known = [each.held_at_start for each in decided if each.held_at_start is not None]
    return {
        "held_at_start": sum(known) if known else None,
        "reported_rate": mean_of(decided, lambda result: result.reported),
    }


def terminations(results: Sequence[Entry], decided: Sequence[Entry]) -> dict[str, Any]:
    """Return how episodes ended, and SPA-Bench's inaccuracies (arXiv 2410.15164, section 5.1).

    - `terminations`: the count of each termination over all episodes; `termination_rates`: the
      share of each among the decided tasks.
    - `premature`: failures that the agent reported as done, which giving up is not.
      `premature_rate` = premature / decided tasks that it reported as done.
    - `overdue`: successes that reached the step limit; `overdue_rate` = overdue / decided tasks
      that reached it.
    """
    reported = [result for result in decided if result.termination == "self-reported"]
    limited = [result for result in decided if result.termination == "step limit"]
    return {
        "terminations": _endings(results),
        "termination_rates": _shares(_endings(decided)),
        "premature": sum(bool(result.premature) for result in decided),
        "premature_rate": mean_of(reported, lambda result: result.premature),
        "overdue": sum(bool(result.overdue) for result in decided),
        "overdue_rate": mean_of(limited, lambda result: result.overdue),
    }


def _endings(results: Sequence[Entry]) -> dict[str, int]:
    counts = Counter(result.termination for result in results if result.termination)
    return dict(sorted(counts.items()))


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each termination, including those with a count of 0; {} without any."""
    whole = sum(counts.values())
    names = sorted({*counts, *_ENDINGS}) if whole else ()
    return {name: counts.get(name, 0) / whole for name in names}


def latched(decided: Sequence[Entry]) -> dict[str, Any]:
    """Return MobileAgentBench's metrics (arXiv 2406.08184, "Metrics").

    There, a success latches: a task counts as done once its goal is met after some step, whatever
    the agent does next. This requires a check that was evaluated after every step, so tasks decided
    by judges or people are excluded.

    - `latched`: tasks whose check was evaluated after every step; `latched_successes`: those whose
      goal was met at some step; `latched_success_rate` (SR) is their share.
    - `step_efficiency` (SE): the mean of steps to the first success / golden steps, except for
      goals that were met at the start.
    - `early_stops`: failures that were reported as done; `false_finish_rate` (FFR) is their share
      of the failures. `late_stops`: successes after which the agent continued;
      `over_execution_rate` (OER) is their share of the successes.
    """
    asked = [result for result in decided if _was_asked(result)]
    met = [result for result in asked if result.first_success_step is not None]
    failures = [result for result in asked if result.first_success_step is None]
    early = sum(result.termination == "self-reported" for result in failures)
    late = sum(_went_on(result) for result in met)
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
    if verdict is not None and verdict["scorer"] != _CHECK:
        return False
    if result.first_success_step is not None:
        return True
    held = None if verdict is None else verdict["evidence"].get("held")
    return result.success is False and held != []


def _went_on(result: Entry) -> bool:
    steps = result.steps
    return steps is not None and steps > (result.first_success_step or 0)
