"""Pictures that every client takes, and points in them."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_mobileagent import Bounds, Screen, testing
from pytest_mobileagent.mcp.elements import _coordinates, list_elements
from pytest_mobileagent.mcp.pictures import frame_of, picture_of

SIDES = st.integers(1, 4000)


@pytest.mark.parametrize(
    ("size", "shown"),
    [((1080, 2400), (706, 1568)), ((2400, 1080), (1568, 706)), ((720, 1280), (720, 1280))],
)
def test_no_side_is_too_long_and_small_screens_stay_as_they_are(size, shown):
    frame = frame_of(size)
    assert frame.shown == shown
    data = picture_of(testing.make_screen("Save", size=size))
    assert Image.open(io.BytesIO(data)).size == shown


def test_even_a_picture_of_noise_stays_below_what_clients_take():
    noise = Image.frombytes("RGB", (1568, 1568), random.Random(0).randbytes(1568 * 1568 * 3))
    stream = io.BytesIO()
    noise.save(stream, "png", compress_level=0)
    assert len(picture_of(Screen("<hierarchy/>", stream.getvalue()))) < 600_000


@given(st.data(), SIDES, SIDES)
def test_the_middle_of_an_element_is_inside_of_it_on_the_phone(data, width, height):
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    right, bottom = data.draw(st.integers(left + 1, width)), data.draw(st.integers(top + 1, height))
    frame = frame_of((width, height))
    told = _coordinates(Bounds(left, top, right, bottom), frame)
    x, y = frame.pixel(told["x"] + told["width"] / 2, told["y"] + told["height"] / 2)
    # What is smaller than a pixel of the picture can be missed by what the picture cannot show.
    slack = max(width, height) // 1568 + 1
    assert left - slack <= x < right + slack
    assert top - slack <= y < bottom + slack


def test_elements_are_told_as_mobile_mcp_does_with_coordinates_in_the_picture():
    screen = testing.make_screen(
        {"text": "Save", "class": "android.widget.Button", "bounds": "[540,1200][1080,1400]"},
        {"class": "android.widget.Switch", "checkable": "true", "checked": "true", "text": ""},
        {"class": "android.view.View", "text": "", "clickable": "false"},
        {"class": "android.widget.Button", "text": "Gone", "bounds": "[5,5][5,9]"},
        size=(1080, 2400),
    )
    text = list_elements(screen, frame_of(screen.size))
    assert text.startswith("Found these elements on screen: [{")
    assert '"coordinates": {"x": 353, "y": 784, "width": 353, "height": 131}' in text
    assert '"checked": true' in text
    assert text.count('"type"') == 2


def test_a_list_that_no_client_would_take_is_cut():
    rows = [{"text": "word " * 100, "bounds": f"[0,{n}][9,{n + 9}]"} for n in range(300)]
    screen = testing.make_screen(*rows, size=(1080, 2400))
    text = list_elements(screen, frame_of(screen.size))
    assert len(text) < 61_000
    left_out = 300 - text.count('"type"')
    assert f"(and {left_out} more, which were left out)" in text
