from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.ui import text as roboto

SIZE = 20
TEXTS = st.text(st.sampled_from("ab cW\n✓é设，설س"), max_size=60)


@pytest.mark.parametrize(
    ("text", "limit", "max_lines", "lines"),
    [
        ("", 100, 0, ("",)),
        ("one two", 400, 0, ("one two",)),
        ("one two", 45, 0, ("one", "two")),
        ("one\ntwo", 400, 0, ("one", "two")),
        ("one\n\ntwo", 400, 0, ("one", "", "two")),
        ("one two three", 45, 2, ("one", "tw…")),
        ("incomprehensible", 60, 0, ("incom", "prehen", "sible")),
        ("one two three", 90, 1, ("one two…",)),
    ],
)
def test_lines_break_between_words(
    text: str, limit: int, max_lines: int, lines: tuple[str, ...]
) -> None:
    assert roboto.wrap(text, SIZE, False, limit, max_lines) == lines


@given(TEXTS, st.integers(24, 300), st.integers(0, 3))
def test_lines_are_no_wider_than_asked(text: str, limit: int, max_lines: int) -> None:
    lines = roboto.wrap(text, SIZE, False, limit, max_lines)
    assert all(roboto.width(line, SIZE) <= limit for line in lines)
    assert not max_lines or len(lines) <= max_lines


@given(TEXTS, st.integers(24, 300), st.data())
def test_an_index_has_a_place_and_a_place_an_index(
    text: str, limit: int, data: st.DataObject
) -> None:
    lines = roboto.wrap(text, SIZE, False, limit)
    index = data.draw(st.integers(0, len(text)))
    line, column = roboto.place_of(index, text, lines)
    found = roboto.starts(text, lines)[line] + column
    assert found <= index
    assert not text[found:index].strip()  # except for a space where the line breaks


@pytest.mark.parametrize(
    ("text", "limit", "begins"),
    [("one\n\ntwo", 300, [0, 4, 5]), ("a  \n\n b", 300, [0, 4, 5]), ("one two\n", 65, [0, 4, 8])],
)
def test_an_empty_line_begins_after_the_one_above(text: str, limit: int, begins: list[int]) -> None:
    assert roboto.starts(text, roboto.wrap(text, SIZE, False, limit)) == begins


@given(TEXTS, st.booleans())
def test_a_mask_is_as_wide_as_the_text(text: str, bold: bool) -> None:
    line = text.replace("\n", "")
    mask = roboto.mask(line, SIZE, bold)
    assert mask.width == roboto.width(line, SIZE, bold) + 2
    assert mask.height >= roboto.line_height(SIZE)


def test_signs_that_roboto_lacks_are_drawn() -> None:
    star, box = roboto.mask("★", SIZE, False), roboto.mask("\U000f0000", SIZE, False)
    assert star.getbbox()
    assert star.tobytes() != box.tobytes()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain text", ["plain text"]),
        ("אבג", ["<אבג"]),
        ("abc אבג", ["abc ", "<אבג"]),
        ("אבג abc", ["abc", "<אבג "]),
        ("אבג 12:30 ד", ["< ד", "12:30", "<אבג "]),
        ("אבג abc 12 ד", ["< ד", "abc 12", "<אבג "]),
        ("abc אבג 12 ד", ["abc ", "< ד", "12", "<אבג "]),
        ("אבג (דה)", ["<אבג (דה)"]),
        ("abc (אבג) def", ["abc (", "<אבג", ") def"]),
        ("100% אבג", ["< אבג", "100%"]),
        ("٨:٠٥ ص", ["< ص", "٨:٠٥"]),
        ("\u202a(415) 555\u202c ד", ["< ד", "(415) 555"]),
    ],
)
def test_runs_are_given_from_left_to_right(text: str, seen: list[str]) -> None:
    """Right-to-left runs are marked with <."""
    assert [f"{'<' * left}{run}" for run, left in roboto.visual(text)] == seen


@pytest.mark.parametrize("text", ["אבג 12 (abc) ד, ה!", "abc (אב [12] גד) 3%", "", "...", "א́ב"])
def test_no_sign_is_lost(text: str) -> None:
    assert sorted("".join(run for run, _ in roboto.visual(text))) == sorted(text)
