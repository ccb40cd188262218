"""Scores of judges' answers, compared with scikit-learn, SciPy, the papers and manual counts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.judge.calibration.figures import (
    Confusion,
    bootstrapped,
    cost,
    pair,
    score,
    settled,
)
from pytest_mobileagent.judge.calibration.judging import JudgeAnswer
from pytest_mobileagent.judge.panel import majority
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.statistics import proportion


def known(number):
    """Return a number that must not be None."""
    assert number is not None
    return number


def answers(truth, said, judge="openai:a", **fields):
    """Return answers from words of 1 and 0, where a dot stands for a missing answer."""
    passed = {"1": True, "0": False, ".": None}
    return [
        JudgeAnswer(number, done == "1", "en", judge, passed=passed[answer], **fields)
        for number, (done, answer) in enumerate(zip(truth, said, strict=True))
    ]


def test_judge_is_scored_by_its_answers():
    found = score(answers("1100", "10.0"))
    assert found.confusion == (1, 0, 1, 1)
    assert (found.to_json()["accuracy"]["value"], found.undecided, found.errors) == (2 / 3, 1, 0)
    broken = [*answers("1", "1"), JudgeAnswer(1, True, error="it is down")]
    assert (score(broken).undecided, score(broken).errors) == (0, 1)


def test_joint_error_is_measured_rather_than_multiplied():
    # A3, Table 3: GPT-4o is right in 84 % of 50 tasks, Gemini 1.5 Pro in 80 %. Section 3.4.2 uses
    # the product of their error rates as the error rate when both agree.
    truth = "1" * 50
    gpt = answers(truth, "0" * 8 + "1" * 42)
    dependent = pair(gpt, answers(truth, "0" * 10 + "1" * 40, "gemini:b"))
    assert dependent["product_of_error_rates"] == pytest.approx(0.16 * 0.2)
    # If both err on the same tasks, they are wrong in 8 of the 48 tasks on which they agree.
    assert dependent["error_when_both_agree"]["value"] == pytest.approx(8 / 48)
    # Even if their errors are independent, the error rate is not the product: 0.032 of all tasks
    # are 0.032 / (0.032 + 0.672) of the tasks on which they agree.
    assert round(dependent["if_errors_were_independent"], 3) == 0.045
    other = pair(gpt, answers(truth, "1" * 8 + "0" * 10 + "1" * 32, "gemini:b"))
    assert other["error_when_both_agree"]["value"] == 0
    assert other["agreement"]["value"] == pytest.approx(0.64)
    assert other["product_of_error_rates"] == dependent["product_of_error_rates"]


def test_pairs_are_compared_on_common_answers():
    found = pair(answers("1100", "10.1"), answers("1100", "1100", "openai:b"))
    assert (found["both_answered"], found["where_they_agree"]["answered"]) == (3, 1)
    assert found["judges"] == ["openai:a", "openai:b"]
    nothing = pair(answers("1", "."), answers("1", "1"))
    assert nothing["error_when_both_agree"]["value"] is nothing["product_of_error_rates"] is None
    assert nothing["if_errors_were_independent"] is None


def test_third_judge_settles_disputes():
    by_judge = {
        "a": answers("1100", "1001"),
        "b": answers("1100", "1110"),
        "c": answers("1100", "0100"),
    }
    found = known(settled(by_judge))
    assert found.confusion == (2, 0, 0, 2)  # 1 was agreed on; 1, 0 and 0 were settled
    assert settled({"a": by_judge["a"], "b": by_judge["b"]}) is None


def test_missing_key_components_override_a_judge():
    asked = answers("10", "11", components=True, lacks=True)
    assert score(asked).confusion == (1, 1, 0, 0)  # the judge was asked nevertheless
    by_components = score(asked, lambda each: each.verdict_by_components)
    assert by_components.confusion == (0, 0, 1, 1)
    skipped = [replace(each, passed=None, skipped=True) for each in asked]
    assert score(skipped).confusion == (0, 0, 1, 1)


def test_cached_calls_are_priced_like_new_ones():
    judge = ModelReference("openai", "ours")
    calls = (
        ModelCall("openai:ours", price_usd=0.5),
        ModelCall("openai:ours", input_tokens=10**6, output_tokens=0, from_cache=True, price_usd=0),
        ModelCall("openai:ours"),
    )
    asked = [JudgeAnswer(0, True, calls=calls)]
    assert cost(asked, judge, Prices({"openai:ours": Price(2, 4)})) == {
        "calls": 3, "cached": 1, "price_usd": 2.5, "unpriced": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([True], True),
        ([True, False], None),
        ([False, False, True], False),
        ([None], None),
        ([], None),
    ],
)
def test_majority_of_votes_decides(votes, expected):
    assert majority(votes) is expected


@pytest.mark.parametrize(
    ("cells", "f1", "kappa", "accuracy"),
    [  # scikit-learn 1.9.1: f1_score, cohen_kappa_score, accuracy_score
        ((22, 2, 2, 44), 0.9166666666666666, 0.8731884057971014, 0.9428571428571428),
        ((20, 5, 10, 15), 0.7272727272727273, 0.4, 0.7),
        ((1, 2, 3, 4), 0.2857142857142857, -0.0869565217391306, 0.5),
        ((0, 3, 4, 5), 0.0, -0.3999999999999999, 0.4166666666666667),
        ((40, 5, 3, 2), 0.9090909090909091, 0.24528301886792447, 0.84),
    ],
)
def test_f1_and_kappa_match_scikit_learn(cells, f1, kappa, accuracy):
    found = Confusion(*cells)
    assert (found.f1, found.kappa) == pytest.approx((f1, kappa))
    assert found.right / found.total == pytest.approx(accuracy)


@pytest.mark.parametrize(
    ("cells", "statistic", "low", "high"),
    [  # SciPy 1.17.1: bootstrap(…, paired=True, method="percentile", n_resamples=2000)
        ((22, 2, 2, 44), "f1", 0.818, 0.982),
        ((22, 2, 2, 44), "kappa", 0.734, 0.970),
        ((120, 15, 20, 145), "f1", 0.827, 0.911),
        ((120, 15, 20, 145), "kappa", 0.689, 0.833),
    ],
)
def test_bootstrapped_intervals_are_close_to_scipy(cells, statistic, low, high):
    found = bootstrapped(Confusion(*cells), lambda counts: getattr(counts, statistic))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)
    assert found == bootstrapped(Confusion(*cells), lambda counts: getattr(counts, statistic))


def test_statistics_of_nothing_are_none():
    nothing = Confusion()
    assert nothing.f1 is nothing.kappa is None
    assert proportion(0, 0).value is bootstrapped(nothing, lambda counts: counts.f1).value is None
    assert Confusion(5, 0, 0, 0).kappa is None  # agreement by chance is always 1
    assert Confusion(0, 0, 0, 5).f1 is None


def test_statistic_defined_in_few_resamples_has_no_interval():
    found = bootstrapped(Confusion(1, 0, 0, 60), lambda c: c.f1 if c.f1 and c.total % 2 else None)
    assert found.value == 1
    few = bootstrapped(Confusion(1, 0, 0, 9), lambda c: 1.0 if c.true_positives == 1 else None)
    assert (few.value, few.low) == (1.0, None)


@given(st.tuples(*[st.integers(0, 9)] * 4))
def test_confusion_counts_add_up(cells):
    kinds = [(True, True), (False, True), (True, False), (False, False)]
    pairs = [kind for kind, count in zip(kinds, cells, strict=True) for _ in range(count)]
    found = Confusion.of(pairs)
    assert (found, found.total) == (cells, len(pairs))
    assert found.right == sum(truth == said for truth, said in pairs)
