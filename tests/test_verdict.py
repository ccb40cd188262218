"""Tests of verdicts: plain data beside an episode, never overwritten; which one is effective."""

from __future__ import annotations

import itertools
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import ModelCall
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.verdict import (
    VERDICTS,
    Verdict,
    append,
    beside,
    by_people,
    deciding,
    effective,
    is_withdrawal,
    of_person,
    verdicts,
    withdrawal,
)

if TYPE_CHECKING:
    from pathlib import Path


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SAMPLES = st.builds(
    Verdict,
    passed=st.none() | st.booleans(),
    scorer=TEXT,
    reason=TEXT,
    evidence=st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=2), max_size=2),
    first_step=st.none() | st.integers(0, 99),
    partial_credit=st.none() | st.floats(0, 1),
    calls=st.lists(st.just(ModelCall("gpt", "judge", price_usd=0.5)), max_size=2).map(tuple),
)


@given(SAMPLES)
def test_a_verdict_is_plain_data_and_back(verdict: Verdict) -> None:
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_fields_of_a_newer_version_are_kept() -> None:
    newer = {**Verdict(True).to_json(), "confidence": 0.5}
    assert Verdict.from_json(newer).to_json() == newer


@pytest.mark.parametrize(
    "junk",
    [None, [], "passed", {}, {"passed": 1}, {"passed": "yes"}, {"passed": True, "reason": 3},
     {"passed": True, "evidence": []}, {"passed": True, "first_step": "1"},
     {"passed": True, "calls": 3}, {"passed": True, "calls": ["gpt"]}],
)  # fmt: skip
def test_invalid_verdicts_are_refused(junk: Any) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        Verdict.from_json(junk)


FAILED = Verdict(False, reason="not a lamp\u2028\x85\n\x1c", evidence={"closest": ["Lamp"]})
PASSED = Verdict(True, scorer="a person", first_step=2)


def test_verdicts_are_kept_the_oldest_first(tmp_path: Path) -> None:
    assert verdicts(tmp_path) == []
    append(tmp_path, FAILED)
    append(tmp_path, PASSED)
    old, new = verdicts(tmp_path)
    assert (old.reason, new.scorer) == (FAILED.reason, "a person")
    line = json.loads((tmp_path / VERDICTS).read_text().split("\n")[0])
    assert datetime.fromisoformat(line["when"]).tzinfo is not None
    assert old.extra == {"when": line["when"]}


@pytest.mark.parametrize(
    "junk", [b'{"passed":tr', b"[]", b"3", b'{"passed":1}', b"[" * 100_000, b"\xff\0"]
)
def test_a_damaged_line_does_not_affect_other_verdicts(tmp_path: Path, junk: bytes) -> None:
    append(tmp_path, FAILED)
    with (tmp_path / VERDICTS).open("ab") as stream:
        stream.write(junk)
    append(tmp_path, PASSED)
    assert [verdict.passed for verdict in verdicts(tmp_path)] == [False, True]


def test_a_verdict_that_cannot_be_written_is_an_error_of_this_machine(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"cannot write to .*verdicts\.jsonl"):
        append(tmp_path / "nowhere", PASSED)


CHECK, NO_CHECK, LATER = Verdict(False), Verdict(None), Verdict(True, reason="later")
JUDGES, TORN = Verdict(True, "judges"), Verdict(None, "judges", "they disagree")
NO_JUDGE, YES_JUDGE = Verdict(False, "judge"), Verdict(True, "judge")
OTHER = Verdict(False, "judge", evidence={"question": {"rubric": ["It is blue."]}})
ANN, BOB, NOTE = of_person(True, "ann"), of_person(False, "bob"), of_person(None, "ann", "hm")
UNDO, BOBS_UNDO = withdrawal("ann"), withdrawal("bob")
OFFICIAL = Verdict(passed=False, scorer="a-official")
TABLE = {
    "nobody said anything": ([], None),
    "only judges": ([JUDGES], JUDGES),
    "the last judges": ([TORN, JUDGES], JUDGES),
    "the last judges, who disagree": ([JUDGES, TORN], TORN),
    "one judge alone": ([Verdict(True, "judge")], Verdict(True, "judge")),
    "several judges before a single one": ([JUDGES, NO_JUDGE], JUDGES),
    "several judges after a single one": ([NO_JUDGE, JUDGES], JUDGES),
    "several judges between": ([NO_JUDGE, JUDGES, NO_JUDGE, YES_JUDGE], JUDGES),
    "several who disagree before a single one": ([TORN, YES_JUDGE], TORN),
    "the last of several before a single one": ([TORN, JUDGES, NO_JUDGE], JUDGES),
    "a single judge who was asked something else": ([JUDGES, OTHER], OTHER),
    "a single judge and a check": ([JUDGES, NO_JUDGE, CHECK], CHECK),
    "a person before several judges and a single one": ([JUDGES, BOB, NO_JUDGE], BOB),
    "the last single judge": ([YES_JUDGE, NO_JUDGE], NO_JUDGE),
    "a check before judges": ([CHECK, JUDGES], CHECK),
    "the last check": ([CHECK, LATER, JUDGES], LATER),
    "a check that decided nothing": ([NO_CHECK, JUDGES], JUDGES),
    "a check that decided before one that did not": ([CHECK, NO_CHECK], CHECK),
    "only a check that decided nothing": ([NO_CHECK], NO_CHECK),
    "a person before all": ([ANN, CHECK, JUDGES], ANN),
    "the last person": ([ANN, BOB, CHECK], BOB),
    "a note decides nothing": ([CHECK, ANN, NOTE], ANN),
    "only a note": ([NOTE], None),
    "a note on what judges leave open": ([TORN, NOTE], TORN),
    "taken back": ([TORN, ANN, UNDO], TORN),
    "taken back, then decided anew": ([TORN, ANN, UNDO, BOB], BOB),
    "one of two taken back": ([BOB, ANN, UNDO], BOB),
    "only one's own is taken back": ([ANN, BOB, UNDO], BOB),
    "one that only stands beside": ([CHECK, beside(OFFICIAL)], CHECK),
    "nothing but one beside": ([beside(OFFICIAL)], None),
    "one beside, of judges": ([JUDGES, beside(OFFICIAL)], JUDGES),
    "one that was beside decides": ([CHECK, deciding(beside(OFFICIAL))], deciding(OFFICIAL)),
    "a check after that": ([deciding(OFFICIAL), CHECK], CHECK),
    "both taken back": ([CHECK, ANN, BOB, UNDO, BOBS_UNDO], CHECK),
    "a change of mind taken back": ([ANN, of_person(False, "ann"), UNDO], ANN),
    "nothing to take back": ([CHECK, UNDO], CHECK),
    "somebody else's is not taken back": ([BOB, UNDO], BOB),
}


@pytest.mark.parametrize(("verdicts", "stands"), TABLE.values(), ids=TABLE)
def test_one_verdict_is_effective(verdicts: list[Verdict], stands: Verdict | None) -> None:
    assert effective(verdicts) == stands


def test_in_whichever_order_they_were_given_a_person_outranks_a_check() -> None:
    for order in itertools.permutations([CHECK, JUDGES, ANN, NOTE]):
        assert effective(order) is ANN
    for order in itertools.permutations([CHECK, JUDGES, TORN, NO_CHECK]):
        assert effective(order) is CHECK


def test_withdrawn_verdicts_stay_on_record() -> None:
    again = [Verdict.from_json(v.to_json()) for v in (ANN, BOB, UNDO)]
    assert by_people(again) == [BOB]
    assert [is_withdrawal(v) for v in again] == [False, False, True]
    assert not is_withdrawal(NOTE)


def test_unknown_evidence_of_a_newer_version_withdraws_nothing() -> None:
    odd = Verdict(None, "person", evidence={"who": ["ann"], "withdrawn": "yes"})
    assert effective([ANN, odd, Verdict(None, "person")]) is ANN
