"""What single dialects hold beside the round trips and tables: gestures, grids and moved mice."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action import Finish
from pytest_mobileagent.action.gestures import Direction, LongPress, Swipe, Tap
from pytest_mobileagent.dialect import (
    AnthropicComputerUse,
    AppAgent,
    AutoGlm,
    Decision,
    DialectError,
    Frame,
    GeminiComputerUse,
    OpenAiComputerUse,
)
from pytest_mobileagent.dialect.bmoca import SIZE, BMocaDiscrete
from pytest_mobileagent.dialect.computer import json_value
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

PHONE, SMALL = Frame((1080, 2400)), Frame((560, 840))
X, Y, PIXELS = st.integers(0, 559), st.integers(0, 839), st.integers(-2000, 2000)
OPENAI = st.fixed_dictionaries(
    {"type": st.just("scroll"), "x": X, "y": Y, "scroll_x": PIXELS, "scroll_y": PIXELS}
)
GEMINI = st.fixed_dictionaries(
    {
        "name": st.just("scroll_at"),
        "arguments": st.fixed_dictionaries(
            {
                "x": X,
                "y": Y,
                "direction": st.sampled_from(get_args(Direction)),
                "magnitude": st.integers(0, 3000),
            }
        ),
    }
)


@given(
    st.tuples(st.just(OpenAiComputerUse()), OPENAI)
    | st.tuples(st.just(GeminiComputerUse()), GEMINI)
)
def test_scrolling_stays_on_the_screen(scroll):
    dialect, call = scroll
    for action in dialect.parse(json.dumps(call), SMALL).actions:
        if isinstance(action, Swipe):
            assert {action.x1, action.x2} <= set(range(560))
            assert {action.y1, action.y2} <= set(range(840))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('I say: {"a": "b\nc"} and more', {"a": "b\nc"}),
        ("```json\n[1, 2]\n```", [1, 2]),
    ],
)
def test_json_is_found_in_text(words, value):
    assert json_value(words) == value


@pytest.mark.parametrize("words", ["", "none", '{"a": ', "{a}", "[" * 9999])
def test_replies_without_json(words):
    with pytest.raises(DialectError):
        json_value(words)


# The picture was sent at half the screen's size.
HALVED = Frame(PHONE.size, shown=(540, 1200))


def test_mouse_position_persists_between_steps():
    dialect = AnthropicComputerUse("20241022")
    dialect = dialect.after('{"action": "mouse_move", "coordinate": [270, 300]}')
    assert dialect.parse('{"action": "left_click"}', HALVED).actions == (Tap(540, 600),)
    drag = '{"action": "left_click_drag", "coordinate": [270, 100]}'
    assert dialect.parse(drag, HALVED).actions == (Swipe(540, 600, 540, 200),)


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
    assert AnthropicComputerUse().parse(words, HALVED).actions == (action,)
    dialect = AnthropicComputerUse().after(json.dumps([*moves, *between]))
    later = dialect.parse(json.dumps(up), HALVED).actions
    assert [type(each) for each in later] == [type(action)]


@given(
    st.sampled_from(
        [
            'I look.\ndo(action="Type", text="say hello (now)")',
            '<answer>do(action="Type_Name", text="张三")</answer>',
            '<answer>\ndo(action="Swipe", start=[1,2], end=[500,250])\n</answer>',
            'do(action="Take_over", message="Log in")',
        ]
    ),
    st.data(),
)
def test_replies_after_which_the_original_continues_do_not_end_ours(words: str, data: Any) -> None:
    cut = words[: data.draw(st.integers(0, len(words)))]
    at = data.draw(st.integers(0, len(cut)))
    odd = cut[:at] + data.draw(st.text("\"'()[], =\n", max_size=2)) + cut[at:]
    try:
        strict = AutoGlm().parse_strictly(odd, PHONE)
    except DialectError:
        return
    if not any(isinstance(action, Finish) for action in strict.actions):
        assert not any(isinstance(a, Finish) for a in AutoGlm().parse(odd, PHONE).actions)


@given(X, Y, X, Y)
def test_autoglm_s_swipes_round_trip(x1: int, y1: int, x2: int, y2: int) -> None:
    words = AutoGlm().print(Decision((Swipe(x1, y1, x2, y2),)), SMALL)
    (swipe,) = AutoGlm().parse(words, SMALL).actions
    assert isinstance(swipe, Swipe)
    assert (swipe.x1, swipe.y1, swipe.x2, swipe.y2) == (x1, y1, x2, y2)


DISCRETE, FRAME = BMocaDiscrete(), Frame((1000, 2000))


def test_the_discrete_dialect_has_385_actions() -> None:
    actions = [DISCRETE.parse(str(each), FRAME).actions[0] for each in range(SIZE)]
    assert len(set(actions)) == SIZE == 385
    assert sum(isinstance(each, Tap) for each in actions) == 14 * 27


@given(st.integers(0, SIZE - 1), st.sampled_from([FRAME, Frame((320, 640)), Frame((2560, 1600))]))
def test_discrete_actions_round_trip(index: int, frame: Frame) -> None:
    decision = DISCRETE.parse(str(index), frame)
    assert DISCRETE.print(decision, frame) == str(index)


@given(st.integers(0, 999), st.integers(0, 1999))
def test_a_discrete_tap_is_rounded_to_the_nearest_place(x: int, y: int) -> None:
    near = DISCRETE.parse(DISCRETE.print(Decision((Tap(x, y),)), FRAME), FRAME).actions[0]
    assert isinstance(near, Tap)
    assert abs(near.x - x) <= 38
    assert abs(near.y - y) <= 50  # The first row starts half a row down.


ELEMENTS = Frame(
    PHONE.size,
    marks={
        "1": Mark("1", Bounds(0, 0, 1080, 200)),
        "2": Mark("2", Bounds(100, 1000, 301, 1101)),
        "15": Mark("15", Bounds(500, 2200, 601, 2301)),
    },
)
CELLS = Frame(
    PHONE.size,
    marks={
        str(row * 9 + column + 1): Mark(
            str(row * 9 + column + 1),
            Bounds(column * 120, row * 120, column * 120 + 120, row * 120 + 120),
        )
        for row in range(20)
        for column in range(9)
    },
)


def reply(action):
    return f"Observation: A list.\nThought: I tap it.\nAction: {action}\nSummary: I tapped."


SWIPES = st.builds(
    'swipe({}, "{}", "{}")'.format,
    st.sampled_from(["1", "2", "15"]),
    st.sampled_from(["up", "down", "left", "right"]),
    st.sampled_from(["short", "medium", "long"]),
)


@given(SWIPES)
def test_appagent_s_swipe_is_printed_as_element_and_direction(call):
    frame = Frame((10_000, 20_000), marks=ELEMENTS.marks)
    dialect = AppAgent()
    swipe = dialect.parse(reply(call), frame)
    (action,) = swipe.actions
    assert isinstance(action, Swipe)
    # A swipe that is cut off at the edge of the screen loses its length.
    if action.x2 > 0 and action.y2 > 0:
        assert dialect.parse(dialect.print(swipe, frame), frame) == swipe


@given(
    st.integers(1, 180), st.sampled_from(["center", "top", "left", "bottom-right"]), st.booleans()
)
def test_appagent_s_grid_places_are_printed(cell, place, swipes):
    call = f'swipe(1, "top", {cell}, "{place}")' if swipes else f'tap({cell}, "{place}")'
    decision = AppAgent(grid=True).parse(reply(call), CELLS)
    assert call in AppAgent(grid=True).print(decision, CELLS)


@pytest.mark.parametrize("part", ['text("', "tap(", '" )', "(", "*", "=", "\n"])
def test_appagent_s_long_reply_is_parsed_or_refused(part):
    with suppress(DialectError):
        AppAgent().parse(reply(part * (100_000 // len(part))), ELEMENTS)
