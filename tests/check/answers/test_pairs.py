"""Tests of answers against a table of expected and given answers, in English and Chinese."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_mobileagent.check.answers import answers


class Pair(NamedTuple):
    expected: str
    said: str
    is_accepted: bool
    language: str


def pairs() -> list[Pair]:
    table = (Path(__file__).parent / "pairs.txt").read_text("utf-8").splitlines()
    rows = [line.split(" | ") for line in table if line and not line.startswith("#")]
    return [Pair(expected, said, yes == "yes", language) for expected, said, yes, language in rows]


PAIRS = pairs()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_is_accepted_if_a_person_would_accept_it(language: str) -> None:
    mine = [pair for pair in PAIRS if pair.language == language]
    wrong = [pair for pair in mine if answers(pair.said, pair.expected) is not pair.is_accepted]
    assert not wrong


def test_table_has_both_languages_and_both_outcomes() -> None:
    kinds = [(pair.language, pair.is_accepted) for pair in PAIRS]
    assert all(
        kinds.count((language, yes)) > 60 for language in ("en", "zh") for yes in (True, False)
    )
    assert {pair.language for pair in PAIRS} == {"en", "zh"}
    assert len({(pair.expected, pair.said) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize(
    ("said", "expected", "is_accepted"),
    [
        ("6 and 7", ["6", "7"], True),
        ("6, 7 and 8", ["6", "7"], False),
        ("Mon, Tue", ["Mon", "Tue"], True),
        ("Mon, Tue and Wed", ["Mon", "Tue"], False),
        ("6 or 7", ["6", "7"], False),
        ("Mon, not Tue", ["Mon", "Tue"], False),
        ("6 songs and 7 albums", ["6", "7"], True),
        ("苹果和香蕉", ["苹果", "香蕉"], True),
        ("苹果，没有香蕉", ["苹果", "香蕉"], False),
        ("周一和周二", ["周一", "周二"], True),
        ("周一、周二、周三", ["周一", "周二"], False),
        ("3个闹钟，2个计时器", ["3", "2"], True),
    ],
)
def test_several_answers_must_be_certain_and_complete(
    said: str, expected: list[str], is_accepted: bool
) -> None:
    assert answers(said, expected) is is_accepted
    assert answers(said, expected, any_order=True) is is_accepted
