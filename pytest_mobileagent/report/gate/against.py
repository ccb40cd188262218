"""A bound against the baseline: what the test says of it, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.comparison.pairing import (
    Difference,
    common,
    difference,
    noise,
    tallies,
    total,
)
from pytest_mobileagent.report.gate.absolute import name_of
from pytest_mobileagent.report.gate.finding import FAIL, INCONCLUSIVE, PASS, Finding
from pytest_mobileagent.report.gate.missing import episodes, is_broken, is_lacking, words
from pytest_mobileagent.report.gate.rule import (
    FEWEST_TASKS,
    Levels,
    epochs_to_decide,
    levels,
    rule,
)
from pytest_mobileagent.report.text.names import label, points, shortener

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Key, Tally
    from pytest_mobileagent.report.gate.looks import Looks
    from pytest_mobileagent.report.gate.spec import Bound

    Task = Mapping[str, Any]

LEVEL = 0.97  # of the interval that is printed: what a false FAIL's chance leaves at both ends
_MOST_LOST = 5  # tasks that are named in a line


def against(
    bound: Bound,
    tasks: Sequence[Task],
    baseline: Sequence[Task],
    looks: Looks,
    look: int,
    *,
    count: int = 1,
) -> Finding:
    """Return whether a run is worse than its baseline by more than a margin, at a look.

    `tasks` and `baseline` are the entries of what the bound covers. `count` is how many such bounds
    the gate has: each may fail falsely at that part of the level.
    """
    after, before = tallies(tasks), tallies(baseline)
    both = after.keys() & before.keys()
    found = difference(before, after)
    limits = levels(looks, look, count)
    numbers = _numbers(found, limits, *(total(run[key] for key in both) for run in (before, after)))
    said = _difference(bound, found)

    def finding(verdict: str, words: str, **more: bool) -> Finding:
        return Finding(verdict, words, numbers, bound, look, **more)

    if missing := _missing(bound, tasks, baseline, both):
        why, more = missing
        return finding(INCONCLUSIVE, why, **more)
    verdict, counted = rule(found, bound, limits), _denominators(numbers)
    if verdict == FAIL:
        return finding(FAIL, said + _lost(before, after) + counted)
    if verdict == PASS:
        return finding(PASS, f"{said}, {found.tasks} tasks, {_epochs(looks, look)}{counted}")
    epochs = looks.epochs[look]
    if found.tasks < FEWEST_TASKS:
        take = f"{_plural(found.tasks, 'task')} in both runs, and a FAIL takes {FEWEST_TASKS}"
    else:
        pq = noise([before, after], common(before, after))
        numbers["epochs_to_decide"] = epochs_to_decide(found, bound, limits, pq, epochs)
        take = f"about {numbers['epochs_to_decide']} epochs of both would decide"
    why = f"{said} after {_plural(epochs, 'epoch')}; {take}{counted}"
    return finding(INCONCLUSIVE, why, may_change=found.tasks > 1)


def _missing(
    bound: Bound, here: Sequence[Task], there: Sequence[Task], both: set[Key]
) -> tuple[str, dict[str, bool]] | None:
    """Return what to say of episodes that are missing where they are too many, or too unlike.

    With what that means for the finding. More epochs do not mend what breaks every tenth one.
    """
    if not both:
        return f"{name_of(bound)}: no task is in this run and in the baseline", {}
    here, there = (
        [task for task in run if (task["id"], task["environment"]) in both] for run in (here, there)
    )
    after, before = (total(tallies(run).values()) for run in (here, there))
    if is_lacking(after):
        return words(here), {"broken": is_broken(after)}
    if is_lacking(before):
        return words(there, "the baseline's"), {}
    shares = [counted.missing / episodes(counted) for counted in (after, before)]
    if abs(shares[0] - shares[1]) <= bound.margin:
        return None
    here_share, there_share, most = (100 * share for share in (*shares, bound.margin))
    why = (
        f"{name_of(bound)}: {here_share:.1f} % of the episodes are missing, and {there_share:.1f} "
        f"% of the baseline's: they may differ by the margin, {most:g} points, at most; "
        "--mobile-resume runs what is missing"
    )
    return why, {"may_change": True}


def _numbers(found: Difference, limits: Levels, before: Tally, after: Tally) -> dict[str, Any]:
    return {
        "tasks": found.tasks,
        "difference": found.value,
        "standard_error": found.error,
        "interval": found.interval(LEVEL),
        "level": LEVEL,
        "fail_level": limits.fail,
        "pass_level": limits.passing,
        "decided": after.decided,
        "episodes": episodes(after),
        "baseline_decided": before.decided,
        "baseline_episodes": episodes(before),
    }


def _difference(bound: Bound, found: Difference) -> str:
    if found.value is None:
        return name_of(bound)
    interval = found.interval(LEVEL)
    within = (
        "" if interval is None else f" ({100 * LEVEL:.0f} %: {' to '.join(map(points, interval))})"
    )
    return f"{name_of(bound)} {points(found.value)} points{within}"


def _lost(before: Mapping[Key, Tally], after: Mapping[Key, Tally]) -> str:
    """Return the tasks that fell most."""
    keys = common(before, after)
    fell = sorted(
        (key for key in keys if after[key].share < before[key].share),
        key=lambda key: after[key].share - before[key].share,
    )
    short = shortener(key[0] for key in keys)
    named = [
        f"{label(short(key[0]), key[1])} {before[key]} → {after[key]}" for key in fell[:_MOST_LOST]
    ]
    return f"; lost: {', '.join(named)}{', …' if len(fell) > _MOST_LOST else ''}" if fell else ""


def _epochs(looks: Looks, look: int) -> str:
    count = len(looks.epochs)
    which = f" (look {look + 1} of {count})" if count > 1 else ""
    return _plural(looks.epochs[look], "epoch") + which


def _denominators(numbers: Mapping[str, Any]) -> str:
    here, there = (
        (numbers[f"{whose}decided"], numbers[f"{whose}episodes"]) for whose in ("", "baseline_")
    )
    if here[0] == here[1] and there[0] == there[1]:
        return ""
    return f"; {here[0]} of {here[1]} episodes decided, {there[0]} of {there[1]} of the baseline's"


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
