"""Requests to the UiAutomator2 server in the form in which Appium and its clients send them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.action import Key, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import SELECT_ALL, Clear, ElementTap, Erase
from pytest_mobileagent.program.commands.script import call_text
from tests.program.commands.asking import done

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
UP = {"type": "pointerUp", "button": 0}
DOWN = {"type": "pointerDown", "button": 0}


def move(x: int, y: int, duration: int = 0, origin: Any = "viewport") -> dict[str, Any]:
    return {"type": "pointerMove", "x": x, "y": y, "duration": duration, "origin": origin}


def pause(duration: int) -> dict[str, Any]:
    return {"type": "pause", "duration": duration}


def fingers(*each: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "actions": [
            {"type": "pointer", "id": f"finger{place}", "actions": actions}
            for place, actions in enumerate(each)
        ]
    }


def keyboard(*values: str) -> dict[str, Any]:
    types = {"D": "keyDown", "U": "keyUp"}
    actions = [{"type": types[value[0]], "value": value[1:]} for value in values]
    return {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}


@pytest.mark.parametrize(
    ("path", "body", "acts"),
    [
        ("actions", fingers([move(5, 6), DOWN, pause(100), UP]), (Tap(5, 6),)),
        ("actions", fingers([move(5, 6), DOWN, pause(1500), UP]), (LongPress(5, 6, 1.5),)),
        (
            "actions",
            fingers([move(5, 600), DOWN, move(5, 6, 400), UP]),
            (Swipe(5, 600, 5, 6, 0.4),),
        ),
        (
            "actions",
            fingers([move(5, 600), DOWN, move(0, -500, 400, "pointer"), UP]),
            (Swipe(5, 600, 5, 100, 0.4),),
        ),
        (
            "actions",
            fingers([move(5, 6), DOWN, pause(50), UP, pause(100), DOWN, pause(50), UP]),
            (DoubleTap(5, 6),),
        ),
        (
            "actions",
            fingers([move(5, 6), DOWN, UP, pause(900), move(7, 8), DOWN, UP]),
            (Tap(5, 6), Wait(0.9), Tap(7, 8)),
        ),
        ("actions", fingers([move(5, 6), DOWN, UP], [pause(100)]), (Tap(5, 6),)),
        ("actions", fingers([move(5, 6), DOWN, UP], [move(9, 9), DOWN, UP]), None),
        ("actions", fingers([move(0, 0, 0, {ELEMENT: "a"}), DOWN, UP]), None),
        ("actions", fingers([move(5, 6), DOWN]), None),
        ("actions", fingers([move(5, 6)]), ()),
        ("actions", keyboard("Dh", "Uh", "Di", "Ui"), (Type("h"), Type("i"))),
        ("actions", keyboard("D\ue009", "Da", "Ua", "U\ue009"), (SELECT_ALL,)),
        ("actions", keyboard("D\ue008", "Da", "Ua", "U\ue008", "Db"), (Type("A"), Type("b"))),
        ("actions", keyboard("D\ue003", "D\ue007"), (Erase(), Key("enter"))),
        ("actions", {"actions": [{"type": "wheel", "actions": [{"type": "scroll"}]}]}, None),
        ("actions", {}, None),
        (
            "element/1-2/click",
            {},
            (ElementTap("/wd/hub/session/1-2-3/element/1-2", "element/1-2/click"),),
        ),
        ("element/1-2/clear", {}, (Clear(),)),
        ("element/1-2/value", {"text": "hi", "replace": False}, (Type("hi"),)),
        ("element/1-2/value", {"text": "hi", "replace": True}, (Clear(), Type("hi"))),
        ("element/1-2/value", {"text": "hi\n"}, (Type("hi"), Key("enter"))),
        ("element/1-2/value", {"value": ["h", "i"]}, (Type("hi"),)),
        ("keys", {"text": "hi"}, (Type("hi"),)),
        ("back", {}, (Key("back"),)),
        ("appium/device/press_keycode", {"keycode": 3}, (Key("home"),)),
        ("appium/device/press_keycode", {"keycode": 29, "metastate": 1}, (Type("A"),)),
        ("appium/device/set_clipboard", {"content": "aGk="}, (Raw("clipboard: hi"),)),
        ("appium/gestures/click", {"offset": {"x": 5, "y": 6}}, (Tap(5, 6),)),
        ("appium/gestures/click", {"origin": {ELEMENT: "a"}}, None),
        ("appium/gestures/double_click", {"offset": {"x": 5, "y": 6}}, (DoubleTap(5, 6),)),
        (
            "appium/gestures/long_click",
            {"offset": {"x": 5, "y": 6}, "duration": 900},
            (LongPress(5, 6, 0.9),),
        ),
        ("appium/gestures/swipe", {"direction": "up"}, None),
        ("element", {"strategy": "id", "selector": "x"}, ()),
    ],
)
def test_appium_requests_are_parsed(path, body, acts):
    expected = (Raw(call_text(path, body)),) if acts is None else acts
    assert done("POST", f"/wd/hub/session/1-2-3/{path}", body) == expected
