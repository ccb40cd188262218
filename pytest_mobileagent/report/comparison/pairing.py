"""The paired tasks of two runs: counts of epochs, and the paired t-test of the difference.

A task is paired with itself in the same environment. The t-test treats all environments of a task
id as one sample, the mean of their differences, so ten environments do not count as ten tasks.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from math import fsum
from statistics import fmean, variance
from typing import TYPE_CHECKING

from pytest_mobileagent._task.case import without_variant
from pytest_mobileagent.statistics import student_cdf, student_quantile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry

    Tallies = Mapping["Key", "Tally"]

Key = tuple[str, str | None]  # a task's id and its environment
Case = tuple[str, str | None, int]  # a task's id, its environment and the epoch


def case_of(task: Entry) -> Case:
    """Return the identity of an entry's case, which is the same in every run."""
    return task.id, task.environment, task.epoch


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of a task's epochs in an environment.

    `passed` of the `decided` epochs passed; `missing` have no verdict, `broken` by infrastructure.
    """

    passed: int = 0
    decided: int = 0
    missing: int = 0
    broken: int = 0

    @property
    def share(self) -> float:
        """The share of the decided epochs that passed; at least one must be decided."""
        return self.passed / self.decided

    @property
    def is_flaky(self) -> bool:
        """Whether some epochs passed and some failed."""
        return 0 < self.passed < self.decided

    @property
    def passes(self) -> bool:
        """Whether more than half of the decided epochs passed."""
        return 2 * self.passed > self.decided

    def __str__(self) -> str:
        return f"{self.passed}/{self.decided}"

    def filled(self, *, passed: bool) -> Tally:
        """Return the tally with all missing epochs counted as passed, or as failed."""
        return Tally(self.passed + self.missing * passed, self.decided + self.missing)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.passed + other.passed,
            self.decided + other.decided,
            self.missing + other.missing,
            self.broken + other.broken,
        )


def tallies(tasks: Iterable[Entry]) -> dict[Key, Tally]:
    """Return the tally of each task, leaving out skipped epochs."""
    found: dict[Key, Tally] = {}
    for task in tasks:
        if task.outcome != "skipped":
            key = task.id, task.environment
            if is_missing(task):
                tally = Tally(missing=1, broken=int(task.fault == "infrastructure"))
            else:
                tally = Tally(passed=int(bool(task.success)), decided=1)
            found[key] = found[key] + tally if key in found else tally
    return found


def across_variants(
    before: Sequence[Entry], after: Sequence[Entry]
) -> tuple[list[Entry], list[Entry]]:
    """Return the tasks of two runs, renamed so that different variants of a task pair.

    For example, the full goal of a task is then compared with its vague goal, under the task's own
    id. Only tasks of which each run has a single variant are renamed.
    """
    pairs = paired_names(*([(task.id, task.variant) for task in run] for run in (before, after)))

    def renamed(tasks: Sequence[Entry]) -> list[Entry]:
        ids = [(task, id_without_variant(task)) for task in tasks]
        return [replace(task, id=name) if name in pairs else task for task, name in ids]

    return renamed(before), renamed(after)


def paired_names(
    before: Collection[tuple[str, str | None]], after: Collection[tuple[str, str | None]]
) -> set[str]:
    """Return the ids of tasks that each run has in one variant only, and not in the same.

    The runs are given by the id and the variant of each of their tasks.
    """
    if len({variant for run in (before, after) for _, variant in run}) < 2:
        return set()
    has = [defaultdict(set), defaultdict(set)]  # type: list[dict[str, set[str | None]]]
    for variants, run in zip(has, (before, after), strict=True):
        for name, variant in run:
            variants[without_variant(name, variant or "")].add(variant)
    return {
        name
        for name, variants in has[0].items()
        if len(variants) == len(has[1].get(name, ())) == 1 and variants != has[1][name]
    }


def id_without_variant(task: Entry) -> str:
    """Return the task's id without the name of its variant."""
    return without_variant(task.id, task.variant or "")


def total(counted: Iterable[Tally]) -> Tally:
    """Return the sum of several tallies."""
    return sum(counted, Tally())


def common(before: Tallies, after: Tallies) -> list[Key]:
    """Return the tasks that both runs have decided at least once, in the order of the first."""
    return [k for k, tally in before.items() if tally.decided and k in after and after[k].decided]


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between the success rates of two runs over their common tasks.

    - `tasks`: the number of common tasks.
    - `value`: the mean of the tasks' differences, as a share; None without a common task.
    - `error`: its standard error; None below two tasks.
    - `spread`: the variance of `value`, estimated from the tasks' differences; None below two.
    - `pooled`: its variance if both runs passed each task with the same probability.
    - `episodes`: the number of decided episodes in the run that has fewer.
    - `within`: the mean variance of a task's epochs in the run where it is lower; 0 if neither run
      has two epochs of a task. `between`: the mean variance of one epoch of each run.
    """

    tasks: int
    value: float | None = None
    error: float | None = None
    spread: float | None = None
    pooled: float | None = None
    episodes: int = 0
    within: float = 0.0
    between: float = 0.0

    def interval(self, level: float) -> tuple[float, float] | None:
        """Return the confidence interval of the true difference at `level`."""
        if self.value is None or self.error is None:
            return None
        half = student_quantile((1 + level) / 2, self.tasks - 1) * self.error
        return max(-1.0, self.value - half), min(1.0, self.value + half)

    @property
    def p_value(self) -> float | None:
        """The two-sided p value of the paired t-test of no difference."""
        if self.value is None or self.error is None:
            return None
        return 2 * student_cdf(-abs(self.value) / self.error, self.tasks - 1)


def difference(before: Tallies, after: Tallies) -> Difference:
    """Return the difference of `after` from `before`, for a paired t-test over the common tasks.

    The standard error is that of the tasks' differences (ddof 1), but at least that of a change of
    half an episode in each run, √2/(2·T·E) with T tasks of E epochs. Without this floor, two equal
    runs would count as certain to be equal.
    """
    keys = common(before, after)
    of_task: dict[str, list[Key]] = defaultdict(list)
    for key in keys:
        of_task[key[0]].append(key)
    each = [fmean(after[k].share - before[k].share for k in keys) for keys in of_task.values()]
    tasks = len(each)
    if tasks < 2:
        return Difference(tasks, each[0] if each else None)
    episodes = [sum(run[key].decided for key in keys) for run in (before, after)]
    floor = math.hypot(*(1 / (2 * count) for count in episodes))
    spread = variance(each) / tasks
    pooled = (
        fsum(_pooled(before[k], after[k]) for k in ks) / len(ks) ** 2 for ks in of_task.values()
    )
    shares = [(before[key].share, after[key].share) for key in keys]
    within = [v for v in (noise([run], keys) for run in (before, after)) if v is not None]
    return Difference(
        tasks,
        value=fmean(each),
        error=max(math.sqrt(spread), floor),
        spread=spread,
        pooled=fsum(pooled) / tasks**2,
        episodes=min(episodes),
        within=min(within, default=0.0),
        between=fmean((p * (1 - q) + q * (1 - p)) / 2 for p, q in shares),
    )


def _pooled(before: Tally, after: Tally) -> float:
    """Return the variance of the difference of two shares with the same probability p.

    It uses the unbiased estimate of p(1 - p) over all epochs of both runs together.
    """
    both = before + after
    chance = both.share * (1 - both.share) * both.decided / (both.decided - 1)
    return chance * (1 / before.decided + 1 / after.decided)


def fallen(keys: Iterable[Key], before: Tallies, after: Tallies) -> tuple[list[Key], list[Key]]:
    """Return the lost tasks, and all tasks that passed less often, the largest drops first.

    A task is lost if it passed in more than half of its decided epochs before, and no longer does.
    """
    fell = [key for key in keys if after[key].share < before[key].share]
    fell.sort(key=lambda key: after[key].share - before[key].share)
    return [key for key in fell if before[key].passes and not after[key].passes], fell


def noise(runs: Sequence[Tallies], keys: Sequence[Key]) -> float | None:
    """Return the mean of p(1 - p) over tasks, where p is the probability of passing.

    It averages the unbiased estimate for each task and run; None if no task has two epochs.
    """
    repeated = [run[key] for key in keys for run in runs if run[key].decided > 1]
    each = [t.share * (1 - t.share) * t.decided / (t.decided - 1) for t in repeated]
    return fmean(each) if each else None


def is_missing(task: Entry) -> bool:
    """Return whether an episode has no reliable verdict: it is undecided or suspect."""
    return task.success is None or bool(task.suspect)
