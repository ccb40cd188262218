import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.gestures import Direction, Swipe
from pytest_mobileagent.dialect import DialectError, Frame, GeminiComputerUse, OpenAiComputerUse
from pytest_mobileagent.dialect.computer import json_value

SMALL = Frame((560, 840))
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
