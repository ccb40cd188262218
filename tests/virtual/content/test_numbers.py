"""Telephone numbers."""

import pytest

from pytest_mobileagent.virtual.content.numbers import formatted, normalized, same

FORMATTED = {
    "911": "911",
    "311311": "311311",
    "4027717": "402-7717",
    "1234578": "1234578",
    "264451193": "(264) 451-193",
    "3017130622": "(301) 713-0622",
    "16505550143": "1 650-555-0143",
    "+16505550143": "+1 650-555-0143",
    "+4930123456": "+4930123456",
    "*#06#": "*#06#",
    "": "",
}


@pytest.mark.parametrize(("number", "shown"), FORMATTED.items())
def test_formatted(number, shown):
    assert formatted(number) == shown


@pytest.mark.parametrize(
    ("number", "full"),
    [
        ("(650) 555-0143", "+16505550143"),
        ("1-650-555-0143", "+16505550143"),
        ("+49 30 123456", "+4930123456"),
        ("5550143", None),
    ],
)
def test_normalized(number, full):
    assert normalized(number) == full


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("+16505550143", "(650) 555-0143", True),
        ("555-0143", "6505550143", True),
        ("72645", "72645", True),
        ("72645", "8872645", False),
        ("", "", False),
    ],
)
def test_same(one, other, are):
    assert same(one, other) == are
