"""Tests of coordinate scales, dialect errors, and the public names of the package."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import dialect as face
from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.dialect.parts import DialectError, cannot_say, quoted, reading


@given(st.integers(1, 1000), st.integers(1, 1000), st.data())
def test_whole_points_round_trip(width: int, height: int, data: st.DataObject) -> None:
    frame = Frame((width, height))
    pixel = data.draw(st.tuples(st.integers(0, width - 1), st.integers(0, height - 1)))
    assert frame.pixel(*frame.whole(*pixel)) == pixel
    assert frame.pixel(*frame.whole(*pixel, (1000, 1000)), (1000, 1000)) == pixel


@given(width=st.integers(1, 1000), x=st.integers(0, 999))
def test_thousandths_round_trip(width: int, x: int) -> None:
    frame = Frame((width, width))
    pixel = x % width
    across, down = frame.thousandths(pixel, pixel)
    assert across == down <= 999
    assert frame.pixel(across, down, (1000, 1000)) == (pixel, pixel)


@given(x=st.integers(0, 1079), y=st.integers(0, 2399))
def test_thousandths_of_a_large_screen_round_trip_within_their_resolution(x: int, y: int) -> None:
    frame = Frame((1080, 2400))
    across, down = frame.pixel(*frame.thousandths(x, y), (1000, 1000))
    assert abs(across - x) <= 2
    assert abs(down - y) <= 3


def test_an_inexpressible_action_is_named() -> None:
    assert str(cannot_say("Morse", ["a"])) == "Morse cannot express ['a']"


def test_errors_contain_the_complete_reply() -> None:
    with pytest.raises(DialectError) as raised, reading("all the words"):
        raise DialectError("a part", "words")
    assert raised.value.words == "all the words"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\n b", "'a b'"),
        ("a" * 200, f"'{'a' * 119}…'"),
        ([1, 2], "[1, 2]"),
        (None, "None"),
        pytest.param(10**9999, "a int", id="a number too large"),
    ],
)
def test_quotes_are_short(value: object, shown: str) -> None:
    assert quoted(value) == shown


def test_every_public_name_is_documented() -> None:
    public = {name: getattr(face, name) for name in face.__all__}
    assert [name for name, each in public.items() if callable(each) and not each.__doc__] == []
