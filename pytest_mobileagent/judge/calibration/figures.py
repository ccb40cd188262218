"""Measures how well judges agree with people, alone and in pairs: rates, intervals, F1, kappa."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.statistics import Estimate, proportion, quantile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.calibration.judging import JudgeAnswer
    from pytest_mobileagent.llm.prices import Prices
    from pytest_mobileagent.llm.reference import ModelReference


RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of right and wrong answers; "done" is the positive answer."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Confusion:
        """Return the counts of pairs of truth and answer."""
        count = Counter(pairs)
        return cls(count[True, True], count[False, True], count[True, False], count[False, False])

    @property
    def total(self) -> int:
        """The number of answers."""
        return self.right + self.wrong

    @property
    def right(self) -> int:
        """The number of right answers."""
        return self.true_positives + self.true_negatives

    @property
    def wrong(self) -> int:
        """The number of wrong answers."""
        return self.false_positives + self.false_negatives

    @property
    def f1(self) -> float | None:
        """2TP / (2TP + FP + FN); None if no episode was done or called done."""
        marked = 2 * self.true_positives + self.wrong
        return 2 * self.true_positives / marked if marked else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960); None if chance agreement is 1, or nothing was answered."""
        if not self.total:
            return None
        done, called = (
            self.true_positives + self.false_negatives,
            self.true_positives + self.false_positives,
        )
        not_done, not_called = self.total - done, self.total - called
        # In whole numbers, so zero is exactly zero.
        by_chance = done * called + not_done * not_called
        rest = self.total**2 - by_chance
        return (self.total * self.right - by_chance) / rest if rest else None

    @property
    def precision(self) -> float | None:
        """The share of episodes called done that were done."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """The share of done episodes that were called done."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """True positives, false positives, false negatives, true negatives."""
        return (
            self.true_positives,
            self.false_positives,
            self.false_negatives,
            self.true_negatives,
        )

    def to_json(self) -> dict[str, int]:
        """Return the counts as JSON-able data."""
        return asdict(self)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def bootstrapped(confusion: Confusion, statistic: Callable[[Confusion], float | None]) -> Estimate:
    """Return a statistic with its percentile bootstrap interval (Efron and Tibshirani, 1993).

    Episodes are drawn with replacement, 2000 times. Resamples in which the statistic is undefined
    are left out; if it is undefined in more than half of them, there is no interval. The same
    counts always give the same interval.
    """
    value = statistic(confusion)
    if value is None:
        return Estimate(None)
    found = [each for again in _resamples(confusion) if (each := statistic(again)) is not None]
    if 2 * len(found) < RESAMPLES:
        return Estimate(value)
    found.sort()
    return Estimate(value, quantile(found, 0.025), quantile(found, 0.975))


@lru_cache(maxsize=32)  # several statistics, modes and pairs have the same counts
def _resamples(confusion: Confusion) -> tuple[Confusion, ...]:
    drawn, cells = random.Random(_SEED), confusion.cells
    counts = (
        Counter(drawn.choices(range(4), weights=cells, k=confusion.total)) for _ in range(RESAMPLES)
    )
    return tuple(Confusion(*(count[cell] for cell in range(4))) for count in counts)


Verdict = Callable[["JudgeAnswer"], bool | None]


@dataclass(frozen=True, slots=True)
class Cost:
    """The number of calls, how many of them the cache answered, and their price.

    `price_usd` is the known price of all calls as if the cache had not been used; `unpriced` is the
    number of calls whose price is unknown.
    """

    calls: int = 0
    cached: int = 0
    price_usd: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """How often answers agree with people's decisions.

    `undecided` counts labels with tied votes, and `errors` those that the judge could not answer.
    """

    confusion: Confusion
    undecided: int = 0
    errors: int = 0

    @property
    def accuracy(self) -> Estimate:
        """The share of right answers."""
        return proportion(self.confusion.right, self.confusion.total)

    @property
    def f1(self) -> Estimate:
        """The F1 score of "done"."""
        return bootstrapped(self.confusion, lambda counts: counts.f1)

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa with people's decisions."""
        return bootstrapped(self.confusion, lambda counts: counts.kappa)

    def to_json(self) -> dict[str, Any]:
        """Return all numbers as plain data."""
        return {
            "answered": self.confusion.total,
            "undecided": self.undecided,
            "errors": self.errors,
            "accuracy": self.accuracy.to_json(),
            "f1": self.f1.to_json(),
            "kappa": self.kappa.to_json(),
            **self.confusion.to_json(),
        }


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges that cross-validate each other (A3, arXiv 2501.01149, section 3.4.2).

    - `together`: the second judge's answers, with the first judge's taken as the truth.
    - `agreeing`: their answers against people's decisions, for labels on which they agree.
    - `errors`: the error rate of each judge, on the labels that both have answered.
    """

    judges: tuple[str, str]
    together: Confusion
    agreeing: Confusion
    errors: tuple[Estimate, Estimate]

    @property
    def agreement(self) -> Estimate:
        """The share of labels on which they agree."""
        return proportion(self.together.right, self.together.total)

    @property
    def wrong_together(self) -> Estimate:
        """The measured share of wrong answers among those on which they agree."""
        return proportion(self.agreeing.wrong, self.agreeing.total)

    @property
    def product(self) -> float | None:
        """The product of their error rates, which A3 uses as an estimate of `wrong_together`."""
        one, other = (each.value for each in self.errors)
        return None if one is None or other is None else one * other

    @property
    def if_independent(self) -> float | None:
        """The value of `wrong_together` if their errors were independent."""
        one, other = (each.value for each in self.errors)
        if one is None or other is None:
            return None
        wrong, right = one * other, (1 - one) * (1 - other)
        return wrong / (wrong + right) if wrong + right else None

    def to_json(self) -> dict[str, Any]:
        """Return all numbers as plain data."""
        return {
            "judges": list(self.judges),
            "both_answered": self.together.total,
            "agreement": self.agreement.to_json(),
            "kappa_between": bootstrapped(self.together, lambda c: c.kappa).to_json(),
            "where_they_agree": Score(self.agreeing).to_json(),
            "error_when_both_agree": self.wrong_together.to_json(),
            "product_of_error_rates": self.product,
            "if_errors_were_independent": self.if_independent,
        }


def score(answers: Sequence[JudgeAnswer], verdict: Verdict = lambda each: each.verdict) -> Score:
    """Return the score of one judge's answers in one mode against people's decisions."""
    decided = [(each.done, verdict(each)) for each in answers]
    failed = sum(bool(each.error) for each in answers)
    silent = sum(passed is None for _, passed in decided)
    pairs = [(done, passed) for done, passed in decided if passed is not None]
    return Score(Confusion.of(pairs), silent - failed, failed)


def pair(one: Sequence[JudgeAnswer], other: Sequence[JudgeAnswer]) -> JudgePair:
    """Return the comparison of two judges on the labels that both have answered in one mode."""
    by_label = {each.label: each.verdict for each in other}
    both = [
        (each.done, each.verdict, second)
        for each in one
        if (second := by_label.get(each.label)) is not None and each.verdict is not None
    ]
    agreeing = Confusion.of((done, first) for done, first, second in both if first == second)
    wrong = (sum(done != verdicts[at] for done, *verdicts in both) for at in (0, 1))
    first_error, second_error = (proportion(each, len(both)) for each in wrong)
    return JudgePair(
        (one[0].judge, other[0].judge),
        Confusion.of((first, second) for _, first, second in both),
        agreeing,
        (first_error, second_error),
    )


def pairs(by_judge: Mapping[str, Sequence[JudgeAnswer]]) -> list[JudgePair]:
    """Return the comparison of every pair of judges."""
    return [pair(by_judge[one], by_judge[other]) for one, other in combinations(by_judge, 2)]


def settled(by_judge: Mapping[str, Sequence[JudgeAnswer]]) -> Score | None:
    """Return the score if a third judge settles the disputes of the first two.

    None unless there are three judges.
    """
    if len(by_judge) < 3:
        return None
    first, second, third = (
        {each.label: each for each in answers} for answers in list(by_judge.values())[:3]
    )
    decided, undecided, errors = [], 0, 0
    for label in first.keys() & second.keys() & third.keys():
        each = (first[label], second[label], third[label])
        one, other, last = (answer.verdict for answer in each)
        passed = one if one is not None and one == other else last
        if passed is not None:
            decided.append((each[0].done, passed))
        elif any(answer.error for answer in each):
            errors += 1
        else:
            undecided += 1
    return Score(Confusion.of(decided), undecided, errors)


def saved(answers: Sequence[JudgeAnswer]) -> Estimate:
    """Return the share of evaluations that key components save, as in SPA-Bench's Table 9.

    An evaluation is the judgement of one episode by one judge, however many calls it takes.
    """
    known = [each for each in answers if not each.error or each.skipped]
    return proportion(sum(each.lacks for each in known), len(known))


def cost(answers: Sequence[JudgeAnswer], judge: ModelReference, prices: Prices) -> Cost:
    """Return the total cost of a judge's calls."""
    calls = [call for each in answers for call in each.calls]
    each_price = [_price(call, judge, prices) for call in calls]
    known = [price for price in each_price if price is not None]
    cached = sum(call.from_cache for call in calls)
    return Cost(len(calls), cached, sum(known), len(calls) - len(known))


def _price(call: ModelCall, judge: ModelReference, prices: Prices) -> float | None:
    """Return the price of a call; for a cached reply, it is computed from the tokens."""
    if not call.from_cache:
        return call.price_usd
    tokens = Usage(call.input_tokens, call.output_tokens, call.cached_tokens)
    return prices.price(judge, "", tokens)
