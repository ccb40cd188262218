"""Tests of normalising and folding texts before they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.screen.text import folded, normalise


@given(st.text())
def test_normalising_twice_is_normalising_once(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_normal_text_has_single_plain_spaces_and_none_at_its_ends(text):
    normal = normalise(text)
    assert normal == " ".join(normal.split())


@pytest.mark.parametrize(
    ("shown", "normal"),
    [
        ("9:41\u202fAM", "9:41 AM"),
        ("9:41\u200aAM", "9:41 AM"),
        ("9:41\u00a0\u2009 AM", "9:41 AM"),
        ("\u200e7:30\u200f", "7:30"),
        ("tech\u00adnol\u200bogy", "technology"),
        ("two\r\n\tlines", "two lines"),
        ("\u3000全角\u3000", "全角"),
        ("👍\ufe0f", "👍\ufe0f"),
        ("", ""),
    ],
)
def test_spaces_are_unified_and_invisible_characters_removed(shown, normal):
    assert normalise(shown) == normal


@pytest.mark.parametrize(
    ("read", "shown"),
    [
        ("Network&internet", "Network & internet"),
        ("￥１２．００", "¥12.00"),
        ("时间：9:41", "时间: 9:41"),
        ("ﬁle", "file"),
        ("9:41\u202fAM", "9:41AM"),
    ],
)
def test_text_that_was_read_is_compared_without_spaces_and_widths(read, shown):
    assert folded(read) == folded(shown)


def test_folded_text_keeps_capitals_apart():
    assert folded("Save") != folded("save")
