"""Arguments: what is taken for what, and what is said of the others."""

from __future__ import annotations

import asyncio

import pytest

from pytest_mobileagent.mcp.catalogue import TOOLS
from pytest_mobileagent.mcp.control import Control, ToolError
from pytest_mobileagent.mcp.tool import Parameter
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
        (NUMBER, "three", "n has to be a number, not 'three'"),
        (NUMBER, True, "n has to be a number"),
        (NUMBER, "nan", "n has to be a number"),
        (NUMBER, 10**400, "n has to be a number"),
        (NUMBER, 11, "n has to be from 1 to 10, not 11"),
        (WORD, "left", "w has to be one of up, down, not 'left'"),
        (WORD, 3, "w has to be a string"),
        (FLAG, "yes", "f has to be a boolean"),
        (FLAG, [], "f has to be a boolean"),
    ],
)
def test_what_is_no_such_argument_is_explained(parameter, value, told):
    with pytest.raises(ToolError, match=told):
        parameter.read(value)


def call(phone, tool, **arguments):
    return asyncio.run(TOOLS[tool].call(Control(phone), arguments)).text


def test_what_is_missing_is_named_and_what_is_not_known_is_ignored():
    phone = FakePhone()
    with pytest.raises(ToolError, match="needs x and y"):
        call(phone, "mobile_click_on_screen_at_coordinates", device="x", y=None)
    call(phone, "mobile_type_keys", device="any", text="a", colour="red", submit=None)
    assert len(phone.done) == 1


# The tools of mobile-mcp that make sense for one phone of a run, and their required arguments.
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
