from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.dialect import Frame
from pytest_mobileagent.dialect.parts import call, unescaped
from pytest_mobileagent.dialect.wording import cannot_say, escaped, thousandths, whole


@given(st.text())
def test_texts_survive_in_a_call(words: str) -> None:
    assert unescaped(escaped(words)) == words
    assert call(f"f(a='{escaped(words)}')").arguments == {"a": words}


@given(st.integers(1, 1000), st.integers(1, 1000), st.data())
def test_whole_points_find_their_pixel_again(width: int, height: int, data: st.DataObject) -> None:
    frame = Frame((width, height))
    pixel = data.draw(st.tuples(st.integers(0, width - 1), st.integers(0, height - 1)))
    assert frame.pixel(*whole(frame.point(*pixel))) == pixel
    assert frame.pixel(*whole(frame.point(*pixel, (1000, 1000))), (1000, 1000)) == pixel


@given(width=st.integers(1, 1000), x=st.integers(0, 999))
def test_thousandths_find_their_pixel_again(width: int, x: int) -> None:
    frame = Frame((width, width))
    pixel = x % width
    across, down = thousandths(pixel, pixel, frame)
    assert across == down <= 999
    assert frame.pixel(across, down, (1000, 1000)) == (pixel, pixel)


def test_what_cannot_be_said_is_named() -> None:
    assert str(cannot_say("Morse", ["a"])) == "Morse cannot say ['a']"
