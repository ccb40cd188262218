"""Fences around untrusted text: any text stays inside its fence and remains visible."""

from __future__ import annotations

import json
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.llm.fence import Data, number_of, quoted, seal

NASTY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "<>|\n\r\x0b\x0c\x1c\x85\u2028\u2029\u200b\u202e\u3164\ufe01\U000e0041\U000e0101"
        ),
    ),
    max_size=40,
)


@given(st.lists(NASTY, min_size=1, max_size=4))
def test_text_cannot_leave_its_fence(texts: list[str]) -> None:
    number, content = seal([Data(f"x-{place}", text) for place, text in enumerate(texts)])
    for place, part in enumerate(content):
        assert isinstance(part, str)
        first, *lines, last = part.split("\n")
        assert (first, last) == (f"<<<x-{place} {number}", f"x-{place} {number}>>>")
        assert lines
        assert all(line.startswith("| ") for line in lines)
        assert number not in "".join(lines)
        assert "<<<" not in "".join(lines)
        odd = [c for c in "".join(lines) if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl"}]
        assert set(odd) <= {"\t"}


@given(NASTY)
def test_quoted_text_is_a_single_line(text: str) -> None:
    shown = quoted(text, 1000)
    assert len(shown.splitlines()) == 1
    assert re.fullmatch(r'"(\\.|[^"\\])*"', shown)
    if text.isalnum():
        assert json.loads(shown) == text


@given(st.lists(NASTY, min_size=1, max_size=3), NASTY)
def test_every_text_changes_the_fence_number(texts: list[str], other: str) -> None:
    assert number_of(texts) == number_of(texts)
    assert number_of([*texts, other]) != number_of(texts)
    assert not any(number_of(texts) in text for text in texts)


def test_ordinary_text_is_unchanged() -> None:
    words = "Größe: 3 < 4 >> 2, “ja” 世界 👍🏽 ❤️ 6:45\u200aAM | «a»"
    _, (shown,) = seal([Data("x", words)])
    assert f"| {words}\n" in str(shown)


def test_own_prompt_parts_are_unchanged() -> None:
    assert seal(["Goal:", Data("x", "")])[1][0] == "Goal:"
