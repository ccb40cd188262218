from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import ModelCall
from pytest_mobileagent.verdict import Verdict

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VERDICTS = st.builds(
    Verdict,
    passed=st.none() | st.booleans(),
    scorer=TEXT,
    reason=TEXT,
    evidence=st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=2), max_size=2),
    first_step=st.none() | st.integers(0, 99),
    partial_credit=st.none() | st.floats(0, 1),
    calls=st.lists(st.just(ModelCall("gpt", "judge", price_usd=0.5)), max_size=2).map(tuple),
)


@given(VERDICTS)
def test_a_verdict_is_plain_data_and_back(verdict: Verdict) -> None:
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_what_a_newer_version_says_is_kept() -> None:
    newer = {**Verdict(True).to_json(), "confidence": 0.5}
    assert Verdict.from_json(newer).to_json() == newer


@pytest.mark.parametrize(
    "junk",
    [
        None,
        [],
        "passed",
        {},
        {"passed": 1},
        {"passed": "yes"},
        {"passed": True, "reason": 3},
        {"passed": True, "evidence": []},
        {"passed": True, "first_step": "1"},
        {"passed": True, "calls": 3},
        {"passed": True, "calls": ["gpt"]},
    ],
)
def test_what_is_no_verdict_is_refused(junk: Any) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        Verdict.from_json(junk)
