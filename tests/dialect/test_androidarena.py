import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.androidarena import AndroidArena
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

PAGE = Frame(
    (1080, 2400),
    marks={
        "n5cf0": Mark("n5cf0", Bounds(0, 0, 100, 100)),
        "n1a2b": Mark("n1a2b", Bounds(0, 100, 1000, 200)),
    },
)


WORDS = st.text("ab [N/A]é", max_size=15)
ACTIONS = st.sampled_from(
    [
        Tap(50, 50),
        LongPress(500, 150),
        Key("back"),
        Key("enter"),
        Key("overview"),
        Impossible("N/A"),
        Finish(""),
        *(Scroll(direction) for direction in ("up", "down", "left", "right")),
    ]
) | st.one_of(
    WORDS.map(Open), WORDS.map(Finish), WORDS.map(lambda t: Type(t, at=(500, 150), clear=True))
)


@given(ACTIONS, st.sampled_from(["", "I go on."]))
def test_printed_actions_round_trip(action, thought):
    decision = Decision((action,), {"thought": thought} if thought else {})
    if action == Finish("N/A"):
        return  # the dialect's word for an impossible task
    try:
        words = AndroidArena().print(decision, PAGE)
    except DialectError:
        return  # This text contains no words.
    assert AndroidArena().parse(words, PAGE) == decision


def test_swipe_is_printed_as_a_direction():
    words = AndroidArena().print(Decision((Swipe(500, 900, 520, 300),)), PAGE)
    assert words == "#swipe_up#"


@pytest.mark.parametrize("action", [Wait(), Key("home"), Type("x"), Tap(900, 2000), Open("a#b")])
def test_actions_that_androidarena_lacks_are_not_printed(action):
    with pytest.raises(DialectError):
        AndroidArena().print(Decision((action,)), PAGE)
