"""Tests of model calls as data, and of their totals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.episode.calls import ModelCall, Totals, known_sum, totals

COUNTS = st.none() | st.integers(0, 2**53 - 1)
AMOUNTS = st.none() | st.floats(0, 1e9)
CALLS = st.builds(
    ModelCall,
    model=st.text(st.characters(exclude_categories=["Cs"])),
    role=st.sampled_from(["actor", "judge"]),
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cached_tokens=COUNTS,
    price_usd=AMOUNTS,
    seconds_to_first=AMOUNTS,
    seconds=AMOUNTS,
    retries=st.integers(0, 9),
    estimated=st.booleans(),
)


@given(CALLS)
def test_call_survives_json(call):
    assert ModelCall.from_json(call.to_json()) == call


@given(st.lists(CALLS, max_size=4))
def test_totals_sum_known_values(calls):
    spent = totals(calls)
    assert spent.calls == len(calls)
    assert spent.unpriced_calls == [call.price_usd for call in calls].count(None)
    assert (spent.price_usd is None) is (spent.unpriced_calls == len(calls))
    told = [None not in (call.input_tokens, call.output_tokens) for call in calls]
    assert spent.uncounted_calls == told.count(False)
    assert spent.input_tokens == known_sum(call.input_tokens for call in calls)
    assert totals([]) == Totals()
    assert totals([ModelCall("gpt", price_usd=0.0)]).price_usd == 0.0


class Whole:
    """An integer type like those of numpy."""

    def __index__(self) -> int:
        return 7


def test_integers_of_other_libraries_are_accepted_and_newer_fields_kept():
    assert ModelCall("gpt", input_tokens=Whole()).input_tokens == 7  # type: ignore[arg-type]
    newer = {"model": "gpt", "reasoning_tokens": 7}
    assert ModelCall.from_json(newer).to_json()["reasoning_tokens"] == 7


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"input_tokens": -1}, "input_tokens=-1 of a ModelCall must be a whole number from 0"),
        ({"output_tokens": 1.5}, "output_tokens=1.5"),
        ({"cached_tokens": True}, "cached_tokens=True"),
        ({"input_tokens": 2**53}, "whole number from 0"),
        ({"retries": None}, "retries=None"),
        ({"price_usd": float("nan")}, "price_usd=nan of a ModelCall must be a number from 0"),
        ({"price_usd": 10**400}, "price_usd=1000"),
        ({"price_usd": 10**5000}, "a number of thousands of digits"),
        ({"seconds": "2"}, "seconds='2'"),
        ({"model": None}, "model=None of a ModelCall must be a string"),
        ({"role": ["actor"]}, "role="),
    ],
)
def test_call_with_invalid_numbers_is_refused(fields, complaint):
    with pytest.raises(ValueError, match=complaint):
        ModelCall(**{"model": "gpt", **fields})


@pytest.mark.parametrize("junk", [None, [], {}, {"model": "gpt", "retries": -1}])
def test_invalid_calls_are_refused(junk):
    with pytest.raises((ValueError, TypeError)):
        ModelCall.from_json(junk)
