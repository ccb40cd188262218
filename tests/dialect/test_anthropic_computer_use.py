import json

import pytest

from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.dialect import AnthropicComputerUse, Frame

# The picture was sent at half the screen's size.
PHONE = Frame((1080, 2400), shown=(540, 1200))


def test_mouse_position_persists_between_steps():
    dialect = AnthropicComputerUse("20241022")
    dialect = dialect.after('{"action": "mouse_move", "coordinate": [270, 300]}')
    assert dialect.parse('{"action": "left_click"}', PHONE).actions == (Tap(540, 600),)
    drag = '{"action": "left_click_drag", "coordinate": [270, 100]}'
    assert dialect.parse(drag, PHONE).actions == (Swipe(540, 600, 540, 200),)


@pytest.mark.parametrize(
    ("between", "action"),
    [
        ([{"action": "mouse_move", "coordinate": [270, 100]}], Swipe(540, 600, 540, 200)),
        ([], LongPress(540, 600, 1.0)),
        ([{"action": "wait", "duration": 3}], LongPress(540, 600, 3.0)),
    ],
)
def test_mouse_down_and_up_are_one_gesture(between, action):
    moves = [{"action": "mouse_move", "coordinate": [270, 300]}, {"action": "left_mouse_down"}]
    up = {"action": "left_mouse_up"}
    words = json.dumps([*moves, *between, up])
    assert AnthropicComputerUse().parse(words, PHONE).actions == (action,)
    dialect = AnthropicComputerUse().after(json.dumps([*moves, *between]))
    later = dialect.parse(json.dumps(up), PHONE).actions
    assert [type(each) for each in later] == [type(action)]
