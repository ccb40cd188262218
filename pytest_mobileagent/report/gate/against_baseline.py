"""The finding on a bound against the baseline: the verdict of the test, and its reason."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.jsonable import plural
from pytest_mobileagent.report.comparison.pairing import (
    common,
    difference,
    fallen,
    noise,
    tallies,
    total,
)
from pytest_mobileagent.report.gate.absolute import name_of
from pytest_mobileagent.report.gate.missing import (
    describe_missing,
    episodes,
    is_broken,
    lacks_too_many,
)
from pytest_mobileagent.report.gate.rule import (
    ALPHA,
    BETA,
    FAIL,
    FEWEST_TASKS,
    INCONCLUSIVE,
    PASS,
    GateFinding,
    Levels,
    at_least,
    at_most,
    epochs_to_decide,
    levels,
    may_decide,
    rule,
    tasks_to_decide,
)
from pytest_mobileagent.report.gate.these_tasks import chance, chance_of_loss, highest, strata
from pytest_mobileagent.report.text import label, points, shortener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.comparison.pairing import Difference, Key, Tallies, Tally
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.rule import InterimAnalyses
    from pytest_mobileagent.report.gate.spec import Bound
    from pytest_mobileagent.report.gate.these_tasks import Strata


_MOST_LOST = 5  # tasks named in a line


def against(
    bound: Bound,
    tasks: Sequence[Entry],
    baseline: Sequence[Entry],
    analyses: InterimAnalyses,
    analysis: int,
    *,
    count: int = 1,
) -> GateFinding:
    """Return the finding on whether a run is worse than its baseline by more than a margin.

    - `tasks` and `baseline` are the entries that the bound covers.
    - `analysis` is the number (from 0) of the interim analysis among `analyses`.
    - `count` is the number of such bounds in the gate; the level of a false FAIL is divided by it.

    Missing episodes count against the verdict. A FAIL must hold even if all episodes missing from
    this run had passed and all missing from the baseline had failed. A PASS must hold in the
    opposite case, and at most 10 % of the episodes of either run may be missing.
    """
    both = tallies(tasks).keys() & tallies(baseline).keys()
    here = [task for task in tasks if (task.id, task.environment) in both]
    there = [task for task in baseline if (task.id, task.environment) in both]
    seen = _Seen.of(tallies(there), tallies(here), bound, levels(analyses, analysis, count))
    counted, numbers = _denominators(seen), _numbers(seen)
    low, high = (points(min(1.0, max(-1.0, each or 0.0))) for each in (seen.low, seen.high))
    low = f"{_level(BETA)}: {low} or more"
    high = f"{_level(ALPHA / count)}: {high} or less"
    said = name_of(bound)
    if seen.found.value is not None:
        said += f" {points(seen.found.value)} points"

    def finding(verdict: str, words: str, **more: bool) -> GateFinding:
        return GateFinding(verdict, words, numbers, bound, analysis, **more)

    if not both:
        return finding(INCONCLUSIVE, f"{said}: no task is in this run and in the baseline")
    certain, maybe = _lost_tasks(seen)
    if certain or rule(seen.best, bound, seen.levels, seen.strata) == FAIL:
        why = certain or f"{said} ({high}){_chance(seen)}{_lost(seen)}"
        return finding(FAIL, why + counted)
    is_whole = not (lacks_too_many(seen.here) or lacks_too_many(seen.there))
    if is_whole and rule(seen.worst, bound, seen.levels, ()) == PASS:
        if maybe:
            return finding(INCONCLUSIVE, f"{said} ({low}), but {maybe}{counted}", may_change=True)
        epochs = _epochs(analyses, analysis)
        return finding(PASS, f"{said} ({low}), {seen.found.tasks} tasks, {epochs}{counted}")
    said += f" ({low}; {high})" * (seen.low is not None)
    may_change = is_whole and _may_decide(seen, analyses, analysis, count)
    if is_whole and rule(seen.found, bound, seen.levels, seen.strata) == INCONCLUSIVE:
        after = f"after {plural(analyses.epochs[analysis], 'epoch')}"
        why = f"{said} {after}; {_takes(seen, bound, numbers)}{counted}"
        return finding(INCONCLUSIVE, why, may_change=may_change)
    why, broken = _lacks(seen, here, there), lacks_too_many(seen.here) and is_broken(seen.here)
    if is_whole:
        why = f"{said}, but what is missing may change that: {why}"
    return finding(INCONCLUSIVE, why, may_change=may_change, broken=broken)


def _lacks(seen: _Seen, here: Sequence[Entry], there: Sequence[Entry]) -> str:
    """Describe the missing episodes; if a run lacks too many, only those of such runs."""
    too_many = lacks_too_many(seen.here) or lacks_too_many(seen.there)
    runs = ((seen.here, here, "the"), (seen.there, there, "the baseline's"))
    return "; ".join(
        describe_missing(run, whose)
        for counted, run, whose in runs
        if (lacks_too_many(counted) if too_many else counted.missing)
    )


class _Seen(NamedTuple):
    """The observed difference of two runs, and its best and worst case over missing episodes.

    - `before`, `after`: the common tasks' tallies in baseline and run; `there`, `here`: their sums.
    """

    before: Tallies
    after: Tallies
    there: Tally
    here: Tally
    found: Difference
    best: Difference
    worst: Difference
    bound: Bound
    levels: Levels
    strata: Strata  # in the best case

    @classmethod
    def of(cls, before: Tallies, after: Tallies, bound: Bound, levels: Levels) -> _Seen:
        there, here = (total(run.values()) for run in (before, after))
        found = best = worst = difference(before, after)
        tasks = strata(before, after)
        if there.missing or here.missing:
            failed, passed = _filled(before, passed=False), _filled(after, passed=True)
            best, tasks = difference(failed, passed), strata(failed, passed)
            worst = difference(_filled(before, passed=True), _filled(after, passed=False))
        return cls(before, after, there, here, found, best, worst, bound, levels, tasks)

    @property
    def low(self) -> float | None:
        """The lower bound of the difference, with missing episodes counted against the run."""
        return at_least(self.worst, self.bound, self.levels.passing)

    @property
    def high(self) -> float | None:
        """The upper bound of the difference, with missing episodes counted for the run."""
        if self.strata and self.bound.is_about_these_tasks:
            return highest(self.strata, self.levels.fail)
        return at_most(self.best, self.levels.fail)


def _filled(run: Tallies, *, passed: bool) -> dict[Key, Tally]:
    return {key: tally.filled(passed=passed) for key, tally in run.items()}


def _numbers(seen: _Seen) -> dict[str, Any]:
    return {
        "tasks": seen.found.tasks,
        "difference": seen.found.value,
        "standard_error": None if seen.found.spread is None else seen.found.spread**0.5,
        "at_least": seen.low,
        "at_most": seen.high,
        "fail_level": seen.levels.fail,
        "pass_level": seen.levels.passing,
        "decided": seen.here.decided,
        "episodes": episodes(seen.here),
        "baseline_decided": seen.there.decided,
        "baseline_episodes": episodes(seen.there),
    }


def _level(chance: float) -> str:
    return f"{100 * (1 - chance):.4g} %"


def _lost(seen: _Seen) -> str:
    """Name the lost tasks, as `compare` defines them; without any, those with the largest drops."""
    keys = common(seen.before, seen.after)
    lost, lower = fallen(keys, seen.before, seen.after)
    named, word = (lost, "lost") if lost else (lower, "passed less often")
    if not named:
        return ""
    how, names = _falls(seen, named)
    return f"; {len(named)} of {len(keys)} tasks {word}{how}: {names}"


def _falls(seen: _Seen, keys: Sequence[Key]) -> tuple[str, str]:
    """Return how tasks fell, and their names; if they fell differently, how stands at each name."""
    short = shortener(key[0] for key in common(seen.before, seen.after))
    falls = [f"{seen.before[key]} → {seen.after[key]}" for key in keys]
    names = [label(short(key[0]), key[1]) for key in keys[:_MOST_LOST]]
    more = ", …" * (len(keys) > _MOST_LOST)
    if len(keys) > 1 and len(set(falls)) == 1:
        return f" ({falls[0]} each)", ", ".join(names) + more
    return "", ", ".join(map(" ".join, zip(names, falls, strict=False))) + more


def _lost_tasks(seen: _Seen) -> tuple[str, str]:
    """Describe lost tasks if there are more than `max_lost`: those that are certain, and others.

    Each task is tested by Fisher's exact test. Holm's method accounts for the number of tasks.
    """
    most = seen.bound.max_lost
    keys = common(seen.before, seen.after)
    if most is None or not keys:
        return "", ""
    chances = sorted(
        (chance_of_loss(before.filled(passed=False), after.filled(passed=True)), place, key)
        for place, key in enumerate(keys)
        for before, after in [(seen.before[key], seen.after[key])]
    )
    adjusted = [p * (len(keys) - place) for place, (p, *_) in enumerate(chances)]
    certain = list(takewhile(lambda p: p <= seen.levels.fail, adjusted))
    may_lose = f"not more than {most} may be lost"
    if len(certain) > most:
        how, names = _falls(seen, [key for *_, key in chances[: len(certain)]])
        lost = f"{len(certain)} of {len(keys)} tasks lost{how}: on these tasks, chance "
        return f"{lost}{_p(max(certain))}; {may_lose}: {names}", ""
    lost_now, _ = fallen(keys, seen.before, seen.after)
    more = len(lost_now) > most
    return "", f"{len(lost_now)} may be lost, and {may_lose}{_lost(seen)}" if more else ""


def _chance(seen: _Seen) -> str:
    if not seen.bound.is_about_these_tasks:
        return ""
    return f": on these tasks, chance {_p(chance(seen.strata, seen.bound.margin))}"


def _p(chance: float) -> str:
    return "p < 0.001" if chance < 0.001 else f"p = {chance:.2g}"


def _may_decide(seen: _Seen, analyses: InterimAnalyses, analysis: int, count: int) -> bool:
    """Return whether a later analysis may decide, so that more epochs are worth their price."""
    noisy = noise([seen.before, seen.after], common(seen.before, seen.after))
    if noisy is None or not seen.found.tasks:
        return bool(seen.found.tasks)
    there, now = seen.there.decided / len(seen.before), analyses.epochs[analysis]
    return any(
        may_decide(seen.found, seen.bound, levels(analyses, later, count), noisy, (there, now, end))
        for later, end in enumerate(analyses.epochs)
        if later > analysis
    )


def _takes(seen: _Seen, bound: Bound, numbers: dict[str, Any]) -> str:
    """Describe how many epochs or tasks a decision would take, and add this to `numbers`."""
    tasks = seen.found.tasks
    if tasks < FEWEST_TASKS:
        what = "PASS" if bound.is_about_these_tasks else "verdict"
        return f"{plural(tasks, 'task')} in both runs, and a {what} needs {FEWEST_TASKS}"
    noisy = noise([seen.before, seen.after], common(seen.before, seen.after))
    if noisy is None:
        return "with one epoch, lost tasks may be chance: run several epochs of both"
    epochs = 2 / sum(tasks / run.decided for run in (seen.here, seen.there))
    numbers["epochs_to_decide"] = epochs_to_decide(seen.found, bound, seen.levels, noisy, epochs)
    if (more := numbers["epochs_to_decide"]) is not None:
        return f"about {more} epochs of both would decide"
    numbers["tasks_to_decide"] = more = tasks_to_decide(seen.found, bound, seen.levels)
    return f"more epochs of these tasks would not decide, about {more} tasks like them would"


def _epochs(analyses: InterimAnalyses, analysis: int) -> str:
    count = len(analyses.epochs)
    which = f" (analysis {analysis + 1} of {count})" if count > 1 else ""
    return plural(analyses.epochs[analysis], "epoch") + which


def _denominators(seen: _Seen) -> str:
    if not (seen.here.missing or seen.there.missing):
        return ""
    here, there = (f"{run.decided} of {episodes(run)}" for run in (seen.here, seen.there))
    return f"; {here} episodes decided, {there} of the baseline's"
