"""Tests of golden actions as plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_mobileagent import Bounds, Key, LongPress, Scroll, Swipe, Tap, Type
from pytest_mobileagent.action.matching import Golden, golden_from_json, golden_to_json
from pytest_mobileagent.errors import TaskError

SIZE = (1080, 2400)
BOX = Bounds(0, 0, 9, 9)


@pytest.mark.parametrize(
    "golden",
    [
        Golden(Tap(1, 2), SIZE, (BOX, Bounds(1, 2, 3, 4)), "home"),
        Golden(Key("back"), SIZE),
        Golden(Type("Grüße", at=(3, 4), clear=True), SIZE, page="🏠"),
        Golden(Scroll("up", at=(5, 6)), SIZE, (BOX,)),
        Golden(Swipe(1, 2, 3, 4), (720, 1280)),
        Golden(LongPress(2000, 2), SIZE),  # off the screen, as in some data sets
    ],
)
def test_a_golden_action_is_read_as_it_was_written(golden: Golden) -> None:
    assert golden_from_json(json.loads(json.dumps(golden_to_json(golden)))) == golden


def test_absent_fields_are_not_written() -> None:
    assert golden_to_json(Golden(Key("back"), SIZE)) == {
        "action": {"action": "Key", "name": "back"},
        "size": [1080, 2400],
    }


TAP = {"action": "Tap", "x": 1, "y": 2}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "a golden action cannot be of type list"),
        ({"size": [1, 1]}, "a golden action has no 'action'"),
        ({"action": TAP}, "a golden action has no 'size'"),
        ({"action": TAP, "size": [1]}, "is not the size of a screen"),
        ({"action": TAP, "size": [0, 1]}, "is not the size of a screen"),
        ({"action": TAP, "size": "big"}, r"a golden action\.size cannot be of type str"),
        ({"action": {"action": "Fly"}, "size": [1, 1]}, "is not an action"),
        ({"action": {"action": "Tap", "x": 1}, "size": [1, 1]}, "is not an action with valid"),
        ({"action": TAP | {"x": "1"}, "size": [1, 1]}, "coordinates must be whole pixels"),
        ({"action": {"action": "Key", "name": "any"}, "size": [1, 1]}, "'any' is not one of back"),
        ({"action": TAP, "size": [1, 1], "boxes": [[1, 2, 3]]}, "a box of a golden action must"),
        ({"action": TAP, "size": [1, 1], "boxes": [[1, 2, 3, "4"]]}, r"boxes\[0\]\[3\] cannot be"),
        ({"action": TAP, "size": [1, 1], "page": 3}, r"a golden action\.page cannot be of type"),
    ],
)
def test_invalid_golden_data_is_refused_with_the_reason(data: Any, says: str) -> None:
    with pytest.raises(TaskError, match=says):
        golden_from_json(data)
