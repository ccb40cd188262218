"""Tests of normalising and folding texts before they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.screen.text import folded, normalise


@given(st.text())
def test_normal_text_has_single_plain_spaces_and_stays_as_it_is(text):
    normal = normalise(text)
    assert normal == " ".join(normal.split()) == normalise(normal)


@pytest.mark.parametrize(
    ("shown", "normal"),
    [
        ("9:41\u202fAM", "9:41 AM"),
        ("9:41\u00a0\u2009 AM", "9:41 AM"),
        ("\u200e7:30\u200f", "7:30"),
        ("tech\u00adnol\u200bogy", "technology"),
        ("two\r\n\tlines", "two lines"),
        ("\u3000全角\u3000", "全角"),
    ],
)
def test_spaces_are_unified_and_invisible_characters_removed(shown, normal):
    assert normalise(shown) == normal


@pytest.mark.parametrize(
    ("read", "shown"),
    [
        ("Network&internet", "Network & internet"),
        ("￥１２．００ x", "¥12.00x"),
        ("ﬁle", "file"),
        ("9:41\u202fAM", "9:41AM"),
    ],
)
def test_text_that_was_read_is_compared_without_spaces_and_widths(read, shown):
    assert folded(read) == folded(shown) != folded(shown).swapcase()
