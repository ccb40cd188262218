from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.gestures import Swipe
from pytest_mobileagent.dialect import AppAgent, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

SIZE = (1080, 2400)
ELEMENTS = Frame(
    SIZE,
    marks={
        "1": Mark("1", Bounds(0, 0, 1080, 200)),
        "2": Mark("2", Bounds(100, 1000, 301, 1101)),
        "15": Mark("15", Bounds(500, 2200, 601, 2301)),
    },
)
CELLS = Frame(
    SIZE,
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
def test_swipe_is_printed_as_element_and_direction(call):
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
def test_grid_places_are_printed(cell, place, swipes):
    call = f'swipe(1, "top", {cell}, "{place}")' if swipes else f'tap({cell}, "{place}")'
    decision = AppAgent(grid=True).parse(reply(call), CELLS)
    assert call in AppAgent(grid=True).print(decision, CELLS)


@pytest.mark.parametrize("part", ['text("', "tap(", '" )', "(", "*", "=", "\n"])
def test_long_reply_is_parsed_or_refused(part):
    with suppress(DialectError):
        AppAgent().parse(reply(part * (100_000 // len(part))), ELEMENTS)
