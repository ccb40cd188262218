"""Tests of comparing answers by their normalised words, numbers and units."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.check.answers import answers, tokens
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses
from pytest_mobileagent.screen.text import normalise

ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize(
    ("said", "expected"),
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
        ("1.2 GB", "1200 MB"),
        ("1.2GB", "1,200,000 kB"),
        ("0.5 GiB", "512 MiB"),
        ("㎆ 3", "MB 3"),
        ("2 km", "2,000.0 m"),
        ("-0.5 l", "-500 ml"),
        ("90 min", "1.5 h"),
        ("👍", " 👍 "),
    ],
)
def test_equivalent_values_match_in_both_directions(said: str, expected: str) -> None:
    assert answers(said, expected)
    assert answers(expected, said)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ("2", "There are 2 of them"),
        ("1200.0", "it is 1,200 km"),
        ("12 mb", "Storage used: 12 MB (of 64)"),
        ("9:30 AM", "It rings at 9:30\u202fAM."),
        ("storage used", "The STORAGE, used"),
        ("-5", "It is -5 degrees"),
        ("3-5", "pages 3-5"),
        ("2024", "on 2024-05-06"),
        ("北京", "我在北京。"),
        ("3", "有3个闹钟"),
        ("ไทย", "ภาษาไทย"),
        ("👍", "well done 👍"),
        ("%", "20 %"),
        ("about 1200 MB of", "It uses about 1.2 GB of storage."),
        ("1.2", "1.2 GB"),
        ("GB", "1.2 GB"),
        ("5 m", "5 m"),
        ("1:30 h", "1:30 h"),
    ],
)
def test_an_answer_states_the_words_in_sequence(expected: str, said: str) -> None:
    assert answers(said, expected)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ("2", "There are 12 of them"),
        ("2", "2.5"),
        ("2", "12:02"),
        ("12", "1.2"),
        ("5", "It is -5 degrees"),
        ("5 °C", "\u22125 °C"),
        ("120", "1,20"),
        ("930", "9:30"),
        ("9:30 AM", "9:30 PM"),
        ("491511234567890", "491511234567891"),
        ("0.1234567890123456", "0.1234567890123457"),
        ("100000", "1e5"),
        ("cat", "a category"),
        ("Anne", "Anna"),
        ("का", "कि"),
        ("used storage", "storage used"),
        ("12 GB", "12 MB"),
        ("1.2 GB", "1.2 MB"),
        ("1.2 GB", "11.2 GB"),
        ("1.2 GB", "1.2 GiB"),
        ("1.2 GB", "1200"),
        ("1.2 GB", "1200.0001 MB"),
        ("5 m", "5 min"),
        ("5 m", "5 MB"),
        ("1.2 GB", "1.2"),
        ("京北", "我在北京。"),
        ("1200.0", "about 1,200 km"),
        ("5", "pages 3-5"),
        ("👎", "well done 👍"),
        ("a", ""),
    ],
)
def test_an_answer_does_not_state_other_values(expected: str, said: str) -> None:
    assert not answers(said, expected)


@pytest.mark.parametrize(
    ("said", "expected", "in_order", "in_any_order"),
    [
        ("Mon, Tue", ["Mon", "Tue"], True, True),
        ("Mon and then Tue", ("Mon", "Tue"), True, True),
        ("Tue, Mon", ["Mon", "Tue"], False, True),
        ("Tue", ["Mon", "Tue"], False, False),
        ("4 and 4", ["4", "4"], True, True),
        ("4", ["4", "4"], False, False),
        ("New York, York", ["York", "New York"], False, True),
        ("New York", ["York", "New York"], False, False),
        ("1.2 GB, 3 MB", ["3000 kB", "1200 MB"], False, True),
        ("yes 👍", ["yes", "👍"], True, True),
        ("yes 👎", ["yes", "👍"], False, False),
        ("yes", ["yes"], True, True),
    ],
)
def test_several_texts_are_stated_in_order_or_in_any_order(
    said: str, expected: list[str], in_order: bool, in_any_order: bool
) -> None:
    assert answers(said, expected) is in_order
    assert answers(said, expected, any_order=True) is in_any_order


@pytest.mark.parametrize("expected", ["", " \u200b", [], ["a", ""], ()])
def test_no_answer_states_an_empty_text(expected: Any) -> None:
    assert not answers("anything", expected)
    assert "empty" in explained("anything", expected)[0]


@pytest.mark.parametrize("expected", [2, None, ["a", 2], {"a"}, b"a"])
def test_expecting_something_other_than_text_is_a_task_error(expected: Any) -> None:
    with pytest.raises(TaskError, match="must be a string or a list of strings"):
        answers("anything", expected)


def explained(said: str, *expected: Any, **options: Any) -> list[str]:
    with collect_misses() as misses:
        assert not answers(said, *expected, **options)
    (miss,) = misses
    return miss().splitlines()


def test_miss_shows_what_was_compared() -> None:
    assert explained("It's 1,200 MB!", "1.3 GB") == [
        "the answer does not say '1.3 GB'",
        '  it says: "It\'s 1,200 MB!"',
        "  compared: '1.3 gb' with 'it s 1200 mb'",
    ]
    assert explained("b", ["a", "👍"]) == [
        "the answer does not say 'a', '👍' in this order",
        "  it says: 'b'",
        "  compared: 'a', '👍' with 'b'",
    ]
    assert explained("b", ["a", "b"], any_order=True)[0].endswith("'a', 'b' in any order")
    assert explained(" ", "a") == ["the answer does not say 'a': there is no answer"]


def test_miss_shows_the_beginning_of_a_long_answer() -> None:
    assert max(map(len, explained("word " * 1_000, "a"))) < 400
    assert max(map(len, explained("word " * 10_000, "a"))) < 400


EXPLANATION = "First I opened the clock, then I looked through its pages and read what is there. "


def test_conclusion_of_a_long_explanation_is_read() -> None:
    said = f"{EXPLANATION * 50}So the answer is 6."
    assert 4_000 < len(said) < 8_000
    assert answers(said, "6")
    assert not answers(said, "7")


@pytest.mark.parametrize(
    "said",
    [
        f"{EXPLANATION * 100}So the answer is 6.",
        f"6. {'not ' * 250_000}",
        f"6 {'9' * 5_000}",
        f"6 {'1,' * 5_000}",
        f"有6个。{'一' * 5_000}",
        f"第{'9' * 5_000}，6",
        f"6, {'9' * 5_000} million",
        f"6, {'万' * 400}",
    ],
)
def test_very_long_text_is_not_compared_word_by_word(said: str) -> None:
    def asked(_said: str, _expected: str) -> bool:
        raise AssertionError

    assert not answers(said, "6", paraphrase=asked)
    assert not answers("6", said)
    assert answers(said, said)
    (told, *_) = explained(said, "6")
    assert told.startswith("the answer does not say '6': ")
    assert "8,000 characters" in told


def test_a_match_is_not_recorded_as_a_miss() -> None:
    with collect_misses() as misses:
        assert answers("4711", "4711")
    assert not misses


@given(ANY_TEXT, ANY_TEXT.filter(normalise))
def test_any_text_can_be_compared(said: str, expected: str) -> None:
    assert answers(expected, expected)
    assert answers(said, expected) in (True, False)
    if tokens(expected):
        assert answers(f"\n{expected}\n", expected)


@given(st.text("0123456789.,:-\u2212 abé北ก٣²½Ⅳ\u0301", max_size=12))
def test_comparison_uses_normalised_words(text: str) -> None:
    words = tokens(text)
    assert tokens(" ".join(words)) == words
    assert tokens(unicodedata.normalize("NFD", text)) == words
    assert tokens(f"«{text}»!") == words or text.lstrip().startswith(("-", "\u2212"))


@given(st.integers())
def test_thousands_separators_do_not_matter(number: int) -> None:
    assert answers(f"It is {number:,}.", str(number))


@given(st.integers(), st.integers())
def test_different_numbers_never_match(one: int, other: int) -> None:
    assert answers(f"{one:,}", f"{other}.0") is (one == other)


@given(st.text("0123456789.,:-", max_size=3) | st.just("9" * 299), st.sampled_from(["GB", "m"]))
def test_any_number_may_have_a_unit(number: str, unit: str) -> None:
    assert answers(f"{number} {unit}", f"{number}{unit}")
