"""What the answers of judges tell of them, as numbers with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.judge.calibration.statistics import Confusion, bootstrapped
from pytest_mobileagent.llm.message import Usage
from pytest_mobileagent.statistics import Estimate, proportion

if TYPE_CHECKING:
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.calibration.answers import Answer
    from pytest_mobileagent.llm.prices import Prices
    from pytest_mobileagent.llm.reference import ModelReference

Verdict = Callable[["Answer"], bool | None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What asking takes: calls, of which some replies were kept from before, and their price.

    `price_usd` is what all of them cost when they are asked, kept or not, as far as that is known;
    `unpriced` counts those whose price is not.
    """

    calls: int = 0
    cached: int = 0
    price_usd: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """How often answers agree with what people say.

    `answered` are the labels of which there is an answer, `undecided` those whose votes are even,
    `errors` those that the judge could not answer.
    """

    confusion: Confusion
    undecided: int = 0
    errors: int = 0

    @property
    def accuracy(self) -> Estimate:
        """The share that is right."""
        return proportion(self.confusion.right, self.confusion.total)

    @property
    def f1(self) -> Estimate:
        """F1 of "done"."""
        return bootstrapped(self.confusion, lambda counts: counts.f1)

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa with what people say."""
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
class Pair:
    """Two judges that cross-validate each other (A3, arXiv 2501.01149, section 3.4.2).

    - `together`: how the first one's answers (as if they were the truth) fit the second one's.
    - `agreeing`: where they agree, how often they are right.
    - `errors`: the error rate of each, over the labels that both have answered.
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
        """The share that is wrong, of those on which they agree: measured."""
        return proportion(self.agreeing.wrong, self.agreeing.total)

    @property
    def product(self) -> float | None:
        """The product of their error rates, which A3 takes for `wrong_together`."""
        one, other = (each.value for each in self.errors)
        return None if one is None or other is None else one * other

    @property
    def if_independent(self) -> float | None:
        """What `wrong_together` were if their errors had nothing to do with each other."""
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


def score(answers: Sequence[Answer], verdict: Verdict = lambda each: each.verdict) -> Score:
    """Compare the answers of one judge in one mode with what people say."""
    said = [(each.done, verdict(each)) for each in answers]
    failed = sum(bool(each.error) for each in answers)
    silent = sum(passed is None for _, passed in said)
    pairs = [(done, passed) for done, passed in said if passed is not None]
    return Score(Confusion.of(pairs), silent - failed, failed)


def pair(one: Sequence[Answer], other: Sequence[Answer]) -> Pair:
    """Compare two judges, by the labels that both have answered in the same mode."""
    by_label = {each.label: each.verdict for each in other}
    both = [
        (each.done, each.verdict, second)
        for each in one
        if (second := by_label.get(each.label)) is not None and each.verdict is not None
    ]
    agreeing = Confusion.of((done, first) for done, first, second in both if first == second)
    wrong = (sum(done != said[at] for done, *said in both) for at in (0, 1))
    first_error, second_error = (proportion(each, len(both)) for each in wrong)
    return Pair(
        (one[0].judge, other[0].judge),
        Confusion.of((first, second) for _, first, second in both),
        agreeing,
        (first_error, second_error),
    )


def pairs(by_judge: Mapping[str, Sequence[Answer]]) -> list[Pair]:
    """Return every pair of judges."""
    return [pair(by_judge[one], by_judge[other]) for one, other in combinations(by_judge, 2)]


def settled(by_judge: Mapping[str, Sequence[Answer]]) -> Score | None:
    """Return how right a run is in which the third judge settles what the first two dispute.

    None where there are not three.
    """
    if len(by_judge) < 3:
        return None
    first, second, third = (
        {each.label: each for each in answers} for answers in list(by_judge.values())[:3]
    )
    said, undecided, errors = [], 0, 0
    for label in first.keys() & second.keys() & third.keys():
        each = (first[label], second[label], third[label])
        one, other, last = (answer.verdict for answer in each)
        passed = one if one is not None and one == other else last
        if passed is not None:
            said.append((each[0].done, passed))
        elif any(answer.error for answer in each):
            errors += 1
        else:
            undecided += 1
    return Score(Confusion.of(said), undecided, errors)


def saved(answers: Sequence[Answer]) -> Estimate:
    """Return the share of evaluations that key components save, as SPA-Bench's Table 9 counts.

    An evaluation is one judge's of one episode, however many calls it takes.
    """
    known = [each for each in answers if not each.error or each.skipped]
    return proportion(sum(each.lacks for each in known), len(known))


def cost(answers: Sequence[Answer], judge: ModelReference, prices: Prices) -> Cost:
    """Add up what a judge's calls cost."""
    calls = [call for each in answers for call in each.calls]
    each_price = [_price(call, judge, prices) for call in calls]
    known = [price for price in each_price if price is not None]
    cached = sum(call.from_cache for call in calls)
    return Cost(len(calls), cached, sum(known), len(calls) - len(known))


def _price(call: ModelCall, judge: ModelReference, prices: Prices) -> float | None:
    """Return what a call costs; that of a kept reply is worked out from its tokens."""
    if not call.from_cache:
        return call.price_usd
    tokens = Usage(call.input_tokens, call.output_tokens, call.cached_tokens)
    return prices.price(judge, "", tokens)
