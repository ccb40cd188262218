import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Finish,
    Impossible,
    Key,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I see the button, so: #click [n5cf0]#", Tap(50, 50)),
        ("#click[n5cf0]#", Tap(50, 50)),
        ("click [n5cf0]", Tap(50, 50)),
        ("#click [n5cf0] to save#", Tap(50, 50)),
        ("Not #click [n1a2b]# but #click [n5cf0]#", Tap(50, 50)),
        ("#long_click [n5cf0]#", LongPress(50, 50)),
        ("#set_text [n1a2b] [Milk and bread]#", Type("Milk and bread", (500, 150), clear=True)),
        ("#[set_text] [n1a2b] [Kaggle]#", Type("Kaggle", (500, 150), clear=True)),
        ("#set_text [n1a2b][Kaggle]#", Type("Kaggle", (500, 150), clear=True)),
        ("#set_text [n1a2b] [a [b] c]#", Type("a [b] c", (500, 150), clear=True)),
        ("#start [Gmail]#", Open("Gmail")),
        ("#start [Google Maps]#", Open("Google Maps")),
        ("#swipe_up#", Scroll("up")),
        ("#scroll_down#", Scroll("up")),
        ("#swipe_left#", Scroll("left")),
        ("# press_back #", Key("back")),
        ("#press_enter#", Key("enter")),
        ("#press_recent#", Key("overview")),
        ("#finish [42 km]#", Finish("42 km")),
        ("#finish []#", Finish("")),
        ("#finish#", Finish("")),
        ("#finish done#", Finish("done")),
        ("#finish [N/A]#", Impossible("N/A")),
        ("<think>#click [n1a2b]#</think>#press_back#", Key("back")),
    ],
)
def test_last_delimited_action_counts(words, expected):
    assert AndroidArena().parse(words, PAGE).actions == (expected,)


def test_the_text_before_the_action_is_the_thought():
    decision = AndroidArena().parse("I have to search. #click [n5cf0]#", PAGE)
    assert decision.said == {"thought": "I have to search."}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "no action ''"),
        ("##", "no action '##'"),
        ("# #", "no action ''"),
        ("I'm sorry.", "no action"),
        ("#press_home#", "no action 'press_home'"),
        ("#stop [Gmail]#", "no action 'stop"),
        ("#click#", "one part in brackets is needed, not 0"),
        ("#click n5cf0#", "one part in brackets is needed, not 0"),
        ("#click [n5cf0] [n1a2b]#", "needed, not 2"),
        ("#click [n0000]#", "no mark 'n0000'"),
        ("#set_text [n1a2b]#", "needed, not 0"),
        ("#set_text [n1a2b] [a] [b]#", "needed, not 2"),
        ("#start Gmail#", "needed, not 0"),
        ("Action: #click [n5cf0]", "no action"),
    ],
)
def test_unparsable_reply_says_why(words, problem):
    with pytest.raises(DialectError, match=problem.replace("[", r"\[")) as caught:
        AndroidArena().parse(words, PAGE)
    assert caught.value.words == words


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
