from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.check.answers import Answer, tokens

ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("1,200", "1200"),
        ("1,234,567.50", "1234567.5"),
        ("1.50", "1.5"),
        ("2.0", "2"),
        ("007", "7"),
        ("0.5", "00.50"),
        ("٣", "3"),
        ("-0", "0"),
        ("\u22125 °C", "-5 °c"),
        ("The answer is: Yes!", "the answer is yes"),
        ("cafe\u0301", "CAFÉ"),
        ("Straße", "STRASSE"),
        ("9:30\u202fAM", "9:30 am"),
        ("9:30AM", "9:30 AM"),
        ("09:30", "9:30"),
        ("\uff46\uff55\uff4c\uff4c \uff11\uff12", "full 12"),
        ("don't", "Don\u2019t"),
        ("12 MB.", "12MB"),
        ("👍", " 👍 "),
        ("", ""),
    ],
)
def test_answers_that_a_person_would_call_the_same_are_equal(answer: str, same: str) -> None:
    assert Answer(answer) == same
    assert same == Answer(answer)
    assert not Answer(answer) != same  # noqa: SIM202 - `!=` is a method of its own


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("12", "1.2"),
        ("12", "2"),
        ("5", "-5"),
        ("5 °C", "\u22125 °C"),
        ("1,20", "120"),
        ("9:30", "930"),
        ("9:30 AM", "9:30 PM"),
        ("491511234567890", "491511234567891"),
        ("0.1234567890123456", "0.1234567890123457"),
        ("1e5", "100000"),
        ("Anna", "Anne"),
        ("कि", "का"),
        ("北京", "京北"),
        ("👍", "👎"),
        ("👍", ""),
        ("yes", ""),
        ("", "no"),
    ],
)
def test_answers_that_differ_are_not_equal(answer: str, other: str) -> None:
    assert Answer(answer) != other
    assert not Answer(answer) == other  # noqa: SIM201 - `==` is a method of its own


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        ("2", "There are 2 of them"),
        (2, "2 of them"),
        (1200.0, "about 1,200 km"),
        ("12 mb", "Storage used: 12 MB (of 64)"),
        ("9:30 AM", "It rings at 9:30\u202fAM."),
        ("storage used", "The STORAGE, used"),
        ("-5", "It is -5 degrees"),
        ("5", "pages 3-5"),
        ("2024", "on 2024-05-06"),
        ("北京", "我在北京。"),
        ("3", "有3个闹钟"),
        ("ไทย", "ภาษาไทย"),
        ("👍", "well done 👍"),
        ("%", "20 %"),
    ],
)
def test_an_answer_holds_the_same_words_in_a_row(part: object, answer: str) -> None:
    assert part in Answer(answer)


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        ("2", "There are 12 of them"),
        ("2", "2.5"),
        ("2", "12:02"),
        ("5", "It is -5 degrees"),
        ("cat", "a category"),
        ("used storage", "storage used"),
        ("12 GB", "12 MB"),
        ("京北", "我在北京。"),
        ("👎", "well done 👍"),
        ("", "anything"),
        (" \u200b", "anything"),
        ("", ""),
        ("a", ""),
    ],
)
def test_an_answer_holds_nothing_else(part: object, answer: str) -> None:
    assert part not in Answer(answer)


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_can_be_compared(one: str, other: str) -> None:
    answer = Answer(one)
    assert answer == one
    assert (answer == other) is (Answer(other) == one)
    assert (answer != other) is not (answer == other)
    assert not tokens(other) or other in Answer(f"{one} {other} {one}")


@given(st.text("0123456789.,:-\u2212 abé北ก٣²½Ⅳ\u0301", max_size=12))
def test_comparing_goes_by_the_form_in_which_words_are_compared(text: str) -> None:
    words = tokens(text)
    assert tokens(" ".join(words)) == words
    assert tokens(unicodedata.normalize("NFD", text)) == words
    assert tokens(f"«{text}»!") == words or text.lstrip().startswith(("-", "\u2212"))


@given(st.integers())
def test_numbers_are_the_same_with_and_without_commas(number: int) -> None:
    assert Answer(f"{number:,}") == str(number)
    assert number in Answer(f"It is {number:,}.")  # type: ignore[comparison-overlap]


@given(st.integers(), st.integers())
def test_different_numbers_are_never_the_same(one: int, other: int) -> None:
    assert (Answer(f"{one:,}") == f"{other}.0") is (one == other)


def test_an_answer_is_a_text_like_any_other() -> None:
    answer = Answer("Yes, 42")
    assert f"{answer}|{answer.lower()}|{answer[:3]}" == "Yes, 42|yes, 42|Yes"
    assert answer in ["no", "YES 42"]
    assert bool(Answer("")) is False


def test_a_set_that_could_not_find_an_answer_refuses_it() -> None:
    with pytest.raises(TypeError, match="unhashable type: 'Answer'"):
        _ = Answer("Yes") in {"yes", "no"}


def test_no_other_type_equals_an_answer() -> None:
    assert Answer("42") != 42
    assert Answer("None") != None  # noqa: E711 - this is the comparison that is tested
