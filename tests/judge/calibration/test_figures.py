"""Scores computed from judges' answers, compared with the papers and with manual counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.judge.calibration.figures import Cost, cost, pair, saved, score, settled
from pytest_mobileagent.judge.calibration.judging import JudgeAnswer, majority
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.reference import ModelReference


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
    assert found.confusion.cells == (1, 0, 1, 1)
    assert (found.accuracy.value, found.undecided, found.errors) == (2 / 3, 1, 0)
    broken = [*answers("1", "1"), JudgeAnswer(1, True, error="it is down")]
    assert (score(broken).undecided, score(broken).errors) == (0, 1)


def test_joint_error_is_measured_rather_than_multiplied():
    # A3, Table 3: GPT-4o is right in 84 % of 50 tasks, Gemini 1.5 Pro in 80 %. Section 3.4.2 uses
    # the product of their error rates as the error rate when both agree.
    truth = "1" * 50
    gpt = answers(truth, "0" * 8 + "1" * 42)
    dependent = pair(gpt, answers(truth, "0" * 10 + "1" * 40, "gemini:b"))
    assert [each.value for each in dependent.errors] == [pytest.approx(0.16), pytest.approx(0.2)]
    assert round(known(dependent.product), 2) == 0.03
    # If both err on the same tasks, they are wrong in 8 of the 48 tasks on which they agree.
    assert dependent.wrong_together.value == pytest.approx(8 / 48)
    # Even if their errors are independent, the error rate is not the product: 0.032 of all tasks
    # are 0.032 / (0.032 + 0.672) of the tasks on which they agree.
    assert round(known(dependent.if_independent), 3) == 0.045
    other = pair(gpt, answers(truth, "1" * 8 + "0" * 10 + "1" * 32, "gemini:b"))
    assert other.wrong_together.value == 0
    assert (other.agreement.value, other.product) == (pytest.approx(0.64), dependent.product)


def test_pairs_are_compared_on_common_answers():
    found = pair(answers("1100", "10.1"), answers("1100", "1100", "openai:b"))
    assert (found.together.total, found.agreeing.total) == (3, 1)
    assert found.judges == ("openai:a", "openai:b")
    nothing = pair(answers("1", "."), answers("1", "1"))
    assert nothing.wrong_together.value is nothing.product is nothing.if_independent is None


def test_third_judge_settles_disputes():
    by_judge = {
        "a": answers("1100", "1001"),
        "b": answers("1100", "1110"),
        "c": answers("1100", "0100"),
    }
    found = known(settled(by_judge))
    assert found.confusion.cells == (2, 0, 0, 2)  # 1 was agreed on; 1, 0 and 0 were settled
    assert settled({"a": by_judge["a"], "b": by_judge["b"]}) is None


def test_key_components_save_the_share_of_table_9():
    # SPA-Bench, Table 9: the share of evaluations made unnecessary by a missing component. Its
    # 0.313 of 150 English tasks and 0.670 of 150 Chinese tasks are about 47 and 100.5.
    def evaluated(skipped):
        return [
            JudgeAnswer(n, False, components=True, lacks=n < skipped, skipped=n < skipped)
            for n in range(150)
        ]

    assert round(known(saved(evaluated(47)).value), 3) == 0.313
    assert saved(evaluated(0)).value == 0
    assert saved([]).value is None


def test_missing_key_components_override_a_judge():
    asked = answers("10", "11", components=True, lacks=True)
    assert score(asked).confusion.cells == (1, 1, 0, 0)  # the judge was asked nevertheless
    by_components = score(asked, lambda each: each.verdict_by_components)
    assert by_components.confusion.cells == (0, 0, 1, 1)
    skipped = [replace(each, passed=None, skipped=True) for each in asked]
    assert score(skipped).confusion.cells == (0, 0, 1, 1)


def test_cached_calls_are_priced_like_new_ones():
    judge = ModelReference("openai", "ours")
    calls = (
        ModelCall("openai:ours", price_usd=0.5),
        ModelCall("openai:ours", input_tokens=10**6, output_tokens=0, from_cache=True, price_usd=0),
        ModelCall("openai:ours"),
    )
    asked = [JudgeAnswer(0, True, calls=calls)]
    assert cost(asked, judge, Prices({"openai:ours": Price(2, 4)})) == Cost(3, 1, 2.5, 1)


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
