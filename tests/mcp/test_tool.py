"""Tool arguments and pictures.

Arguments are accepted in several forms, and others are explained. Pictures are small enough for
every client, and points in them are converted to pixels of the screen.
"""

from __future__ import annotations

import asyncio
import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_mobileagent import Bounds, Screen, testing
from pytest_mobileagent.mcp.control import Control, Parameter, ToolError, frame_of, picture_of
from pytest_mobileagent.mcp.looking import _coordinates, list_elements
from pytest_mobileagent.mcp.tools import TOOLS
from tests.mcp.fakes import FakePhone

NUMBER = Parameter("n", "number", "", least=1, most=10)
WORD = Parameter("w", "string", "", choices=("up", "down"))
FLAG = Parameter("f", "boolean", "")


@pytest.mark.parametrize(
    ("parameter", "value", "read"),
    [
        (NUMBER, 3, 3.0),
        (NUMBER, "3.5", 3.5),
        (WORD, "up", "up"),
        (FLAG, True, True),
        (FLAG, "False", False),
    ],
)
def test_an_argument_is_taken_in_any_form_that_clients_write(parameter, value, read):
    assert parameter.read(value) == read


@pytest.mark.parametrize(
    ("parameter", "value", "told"),
    [
        (NUMBER, "three", "n must be a number, not 'three'"),
        (NUMBER, True, "n must be a number"),
        (NUMBER, "nan", "n must be a number"),
        (NUMBER, 10**400, "n must be a number"),
        (NUMBER, 11, "n must be from 1 to 10, not 11"),
        (WORD, "left", "w must be one of up, down, not 'left'"),
        (WORD, 3, "w must be a string"),
        (FLAG, "yes", "f must be a boolean"),
        (FLAG, [], "f must be a boolean"),
    ],
)
def test_an_invalid_argument_is_explained(parameter, value, told):
    with pytest.raises(ToolError, match=told):
        parameter.read(value)


def call(phone, tool, **arguments):
    return asyncio.run(TOOLS[tool].call(Control(phone), arguments)).text


def test_missing_arguments_are_named_and_unknown_ones_ignored():
    phone = FakePhone()
    with pytest.raises(ToolError, match="needs x and y"):
        call(phone, "mobile_click_on_screen_at_coordinates", device="x", y=None)
    call(phone, "mobile_type_keys", device="any", text="a", colour="red", submit=None)
    assert len(phone.done) == 1


# The tools of mobile-mcp that make sense for the only phone of a run, with their required
# arguments.
MOBILE_MCP = {
    "mobile_list_available_devices": "",
    "mobile_list_apps": "device",
    "mobile_launch_app": "device packageName locale?",
    "mobile_terminate_app": "device packageName",
    "mobile_install_app": "device path",
    "mobile_uninstall_app": "device bundle_id",
    "mobile_get_screen_size": "device",
    "mobile_click_on_screen_at_coordinates": "device x y",
    "mobile_double_tap_on_screen": "device x y",
    "mobile_long_press_on_screen_at_coordinates": "device x y duration?",
    "mobile_list_elements_on_screen": "device",
    "mobile_press_button": "device button",
    "mobile_open_url": "device url",
    "mobile_swipe_on_screen": "device direction x? y? distance?",
    "mobile_type_keys": "device text submit?",
    "mobile_save_screenshot": "device saveTo",
    "mobile_take_screenshot": "device",
    "mobile_set_orientation": "device orientation",
    "mobile_get_orientation": "device",
}


def test_names_and_arguments_are_those_of_mobile_mcp_but_the_device_may_be_left_out():
    for name, words in MOBILE_MCP.items():
        schema = TOOLS[name].schema()
        assert list(schema["properties"]) == [word.rstrip("?") for word in words.split()]
        needed = [word for word in words.split() if not word.endswith("?") and word != "device"]
        assert schema["required"] == needed
    assert set(TOOLS) - set(MOBILE_MCP) == {"finish", "impossible", "ask_user"}


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
    # Something smaller than a pixel of the picture may be missed by that much.
    slack = max(width, height) // 1568 + 1
    assert left - slack <= x < right + slack
    assert top - slack <= y < bottom + slack


def test_elements_are_listed_like_mobile_mcp_with_coordinates_in_the_picture():
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
    assert f"({left_out} more elements are omitted)" in text
