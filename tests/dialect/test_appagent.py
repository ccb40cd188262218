from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.appagent import AppAgent, AppAgentReflection
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


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ('click("c2")', Tap(50, 50)),
        ('input("Milk")', Type("Milk")),
        ('scroll(s1, "up")', Swipe(500, 1000, 500, 568, 0.4)),
    ],
)
def test_mobile_bench_v2_format_is_parsed(action, expected):
    marks = {
        "c2": Mark("c2", Bounds(0, 0, 100, 100)),
        "s1": Mark("s1", Bounds(0, 0, 1000, 2000)),
    }
    frame = Frame(SIZE, marks=marks)
    dialect = AppAgent(functions="mobile-bench-v2")
    decision = dialect.parse(reply(action), frame)
    assert decision.actions == (expected,)
    assert dialect.parse(dialect.print(decision, frame), frame) == decision


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=20)
SPOKEN = TEXTS.filter(lambda text: not any(quote in text for quote in "\"'”"))
SWIPES = st.builds(
    'swipe({}, "{}", "{}")'.format,
    st.sampled_from(["1", "2", "15"]),
    st.sampled_from(["up", "down", "left", "right"]),
    st.sampled_from(["short", "medium", "long"]),
)


@given(
    st.sampled_from(
        [Tap(540, 100), Tap(200, 1050), LongPress(550, 2250), Finish()],
    )
    | st.builds(Type, SPOKEN)
)
def test_printed_actions_round_trip(action):
    decision = Decision((action,), {"observation": "o", "thought": "t", "summary": "s"})
    assert AppAgent().parse(AppAgent().print(decision, ELEMENTS), ELEMENTS) == decision


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


@pytest.mark.parametrize(
    "action", [Key("back"), Wait(), Type("x", enter=True), Type('a") b'), Type("a\nb")]
)
def test_actions_that_appagent_lacks_are_not_printed(action):
    with pytest.raises(DialectError):
        AppAgent().print(Decision((action,)), ELEMENTS)


def test_scroll_is_printed_as_a_long_swipe():
    words = AppAgent().print(Decision((Scroll("up", at=(200, 1050)),)), ELEMENTS)
    assert 'Action: swipe(2, "up", "long")' in words


@pytest.mark.parametrize("part", ['text("', "tap(", '" )', "(", "*", "=", "\n"])
def test_long_reply_is_parsed_or_refused(part):
    with suppress(DialectError):
        AppAgent().parse(reply(part * (100_000 // len(part))), ELEMENTS)


@pytest.mark.parametrize(
    ("words", "signal", "actions"),
    [
        ("Decision: BACK\nThought: t\nDocumentation: d", "back", (Key("back"),)),
        ("Decision: SUCCESS\nThought: t\nDocumentation: d", "success", ()),
        ("Decision: **CONTINUE**.\nThought: t\nDocumentation: d", "continue", ()),
        ("Decision: INEFFECTIVE\nThought: t", "ineffective", ()),
    ],
)
def test_reflection_is_a_signal(words, signal, actions):
    dialect = AppAgentReflection()
    decision = dialect.parse(words, ELEMENTS)
    assert (decision.signal, decision.actions) == (signal, actions)
    assert dialect.parse(dialect.print(decision, ELEMENTS), ELEMENTS) == decision
