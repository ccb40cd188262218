"""Measures how well judges agree with people, alone and in pairs: rates, intervals, F1, kappa."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.statistics import Estimate, proportion, quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.calibration.judging import (
        CalibrationPlan,
        JudgeAnswer,
        JudgingOutcome,
    )
    from pytest_mobileagent.judge.calibration.labels import Labels
    from pytest_mobileagent.llm.prices import Prices
    from pytest_mobileagent.llm.reference import ModelReference


RESAMPLES = 2000
_SEED = 0


class Confusion(NamedTuple):
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
        return sum(self)

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
        done = self.true_positives + self.false_negatives
        called = self.true_positives + self.false_positives
        # In whole numbers, so zero is exactly zero.
        by_chance = done * called + (self.total - done) * (self.total - called)
        rest = self.total**2 - by_chance
        return (self.total * self.right - by_chance) / rest if rest else None


def bootstrapped(confusion: Confusion, statistic: Callable[[Confusion], float | None]) -> Estimate:
    """Return a statistic with its percentile bootstrap interval (Efron and Tibshirani, 1993).

    Episodes are drawn with replacement, 2000 times. Resamples in which the statistic is undefined
    are left out; if these are more than half, there is no interval. The same counts give the same.
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
    dice = random.Random(_SEED)
    draws = (dice.choices(range(4), weights=confusion, k=confusion.total) for _ in range(RESAMPLES))
    return tuple(Confusion(*(count[cell] for cell in range(4))) for count in map(Counter, draws))


Verdict = Callable[["JudgeAnswer"], bool | None]


class Score(NamedTuple):
    """How often answers agree with people's decisions.

    `undecided` counts labels with tied votes, and `errors` those that the judge could not answer.
    """

    confusion: Confusion
    undecided: int = 0
    errors: int = 0

    @property
    def f1(self) -> Estimate:
        """The F1 score of "done"."""
        return bootstrapped(self.confusion, lambda counts: counts.f1)

    def to_json(self) -> dict[str, Any]:
        """Return all numbers, with the share of right answers, F1 and kappa, as plain data."""
        counts = self.confusion
        return {
            "answered": counts.total,
            "undecided": self.undecided,
            "errors": self.errors,
            "accuracy": proportion(counts.right, counts.total).to_json(),
            "f1": self.f1.to_json(),
            "kappa": bootstrapped(counts, lambda each: each.kappa).to_json(),
            **counts._asdict(),
        }


def score(answers: Sequence[JudgeAnswer], verdict: Verdict = lambda each: each.verdict) -> Score:
    """Return the score of one judge's answers in one mode against people's decisions."""
    decided = [(each.done, verdict(each)) for each in answers]
    failed = sum(bool(each.error) for each in answers)
    silent = sum(passed is None for _, passed in decided)
    pairs = [(done, passed) for done, passed in decided if passed is not None]
    return Score(Confusion.of(pairs), silent - failed, failed)


def pair(one: Sequence[JudgeAnswer], other: Sequence[JudgeAnswer]) -> dict[str, Any]:
    """Return how two judges cross-validate each other (A3, arXiv 2501.01149, section 3.4.2).

    Only labels that both have answered in the mode count.

    - `agreement`, `kappa_between`: of the judges with each other.
    - `where_they_agree`: the score of their answers where these are the same, and
      `error_when_both_agree` the share of wrong ones among them.
    - `product_of_error_rates`: what A3 uses as an estimate of that share;
      `if_errors_were_independent`: what it would be then.
    """
    by_label = {each.label: each.verdict for each in other}
    both = [
        (each.done, each.verdict, second)
        for each in one
        if (second := by_label.get(each.label)) is not None and each.verdict is not None
    ]
    together = Confusion.of((first, second) for _, first, second in both)
    agreeing = Confusion.of((done, first) for done, first, second in both if first == second)
    product = independent = None
    if both:
        first_error, second_error = (
            sum(done != verdicts[at] for done, *verdicts in both) / len(both) for at in (0, 1)
        )
        product = first_error * second_error
        agreed = product + (1 - first_error) * (1 - second_error)
        independent = product / agreed if agreed else None
    return {
        "judges": [one[0].judge, other[0].judge],
        "both_answered": together.total,
        "agreement": proportion(together.right, together.total).to_json(),
        "kappa_between": bootstrapped(together, lambda counts: counts.kappa).to_json(),
        "where_they_agree": Score(agreeing).to_json(),
        "error_when_both_agree": proportion(agreeing.wrong, agreeing.total).to_json(),
        "product_of_error_rates": product,
        "if_errors_were_independent": independent,
    }


def settled(by_judge: Mapping[str, Sequence[JudgeAnswer]]) -> Score | None:
    """Return the score if a third judge settles the disputes of the first two.

    None unless there are three judges.
    """
    if len(by_judge) < 3:
        return None
    judges = list(by_judge.values())[:3]
    first, second, third = ({each.label: each for each in answers} for answers in judges)
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


def cost(answers: Sequence[JudgeAnswer], judge: ModelReference, prices: Prices) -> dict[str, float]:
    """Return the cost of a judge's calls.

    `calls` counts them, `cached` those that the cache answered, and `unpriced` those whose price is
    unknown. `price_usd` is the known price of all calls as if the cache had not been used.
    """
    calls = [call for each in answers for call in each.calls]
    each_price = [_price(call, judge, prices) for call in calls]
    known = [price for price in each_price if price is not None]
    return {
        "calls": len(calls),
        "cached": sum(call.from_cache for call in calls),
        "price_usd": sum(known),
        "unpriced": len(calls) - len(known),
    }


def _price(call: ModelCall, judge: ModelReference, prices: Prices) -> float | None:
    """Return the price of a call; for a cached reply, it is computed from the tokens."""
    if not call.from_cache:
        return call.price_usd
    tokens = Usage(call.input_tokens, call.output_tokens, call.cached_tokens)
    return prices.price(judge, "", tokens)


SCHEMA_VERSION = 1


def summary(plan: CalibrationPlan, labels: Labels, outcome: JudgingOutcome) -> dict[str, Any]:
    """Return the report's data: the labels, and for each mode the judges and their pairs.

    `figures` defines the numbers. A label without any answer is not counted anywhere.
    """
    judged = sorted({each.label for each in outcome.answers})
    done = sum(labels.each[label].done for label in judged)
    return {
        "schema_version": SCHEMA_VERSION,
        "episodes": len(labels.each),
        "judged": len(judged),
        "done": done,
        "stopped": outcome.stopped,
        "remarks": list(labels.remarks),
        "runs": plan.runs,
        "uses_components": plan.uses_components,
        "price_table": plan.models.prices.table,
        "modes": [
            {"mode": mode.name, **asdict(mode), **_mode(plan, outcome, mode.name)}
            for mode in plan.modes
        ],
        "answers": [_answer(each, labels) for each in outcome.answers],
    }


def _mode(plan: CalibrationPlan, outcome: JudgingOutcome, mode: str) -> dict[str, Any]:
    asked = (each for each in outcome.answers if each.mode == mode)
    answers = sorted(asked, key=lambda each: each.label)
    by_judge = {
        judge.id: own
        for judge in plan.judges
        if (own := [each for each in answers if each.judge == judge.id])
    }
    by_third = settled(by_judge)
    return {
        "judges": [
            {
                "judge": judge.id,
                **score(by_judge[judge.id]).to_json(),
                **cost(by_judge[judge.id], judge, plan.models.prices),
                "languages": _languages(by_judge[judge.id]),
            }
            for judge in plan.judges
            if judge.id in by_judge
        ],
        "pairs": [pair(*two) for two in combinations(by_judge.values(), 2)],
        "settled_by_the_third": None if by_third is None else by_third.to_json(),
        "key_components": {
            "labels": len({each.label for each in answers if each.components}),
            "saved": saved(answers).to_json(),
        },
    }


def _languages(answers: Sequence[JudgeAnswer]) -> dict[str, Any]:
    """Return F1 and the savings by key components for each language of tasks (as in Table 9)."""
    found = {}
    for language in dict.fromkeys(each.language for each in answers if each.language):
        own = [each for each in answers if each.language == language]
        asked_all = not any(each.skipped for each in own)
        with_them = score(own, lambda each: each.verdict_by_components)
        alone = score(own, lambda each: each.passed) if asked_all else None
        found[language] = {
            "episodes": len(own),
            "with_key_components": sum(each.components for each in own),
            "saved": saved(own).to_json(),
            "f1": with_them.f1.to_json(),
            "f1_without_key_components": None if alone is None else alone.f1.to_json(),
        }
    return found


def _answer(answer: JudgeAnswer, labels: Labels) -> dict[str, Any]:
    return {
        "episode": labels.each[answer.label].name,
        "done": answer.done,
        "judge": answer.judge,
        "mode": answer.mode,
        "passed": answer.verdict,
        "skipped": answer.skipped,
        "calls": len(answer.calls),
        "error": answer.error,
    }
