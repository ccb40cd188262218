from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Action, Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.dialect.autoglm import AutoGlm
from pytest_mobileagent.dialect.dialect import Decision, Frame
from pytest_mobileagent.dialect.errors import DialectError

PHONE = Frame((1080, 2400))
SMALL = Frame((560, 840))

X, Y = st.integers(0, 559), st.integers(0, 839)
TEXT = st.text().filter(lambda text: "<" not in text)
ACTIONS = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y, st.just(3.0)),
    st.builds(Type, TEXT, clear=st.just(True)),
    st.sampled_from([Key("back"), Key("home")]),
    st.builds(Open, st.text("ab 微信'\"\\\n", min_size=1)),
    st.builds(Wait, st.floats(0.1, 60)),
    st.builds(Ask, st.text("ab 微信'\"\\\n", min_size=1)),
    st.builds(Finish, TEXT),
)
THOUGHTS = st.text("abc ,.'\"\n").map(str.strip)


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


@pytest.mark.parametrize(
    "decision",
    [
        Decision(),
        Decision((Impossible(),)),
        Decision((Type("a"),)),
        Decision((Key("enter"),)),
        Decision((Key("back"), Key("back"))),
    ],
)
def test_inexpressible_actions(decision: Decision) -> None:
    with pytest.raises(DialectError):
        AutoGlm().print(decision, SMALL)


@given(ACTIONS, THOUGHTS)
def test_printed_actions_round_trip(action: Action, thinking: str) -> None:
    decision = Decision((action,), {"thinking": thinking} if thinking else {})
    assert AutoGlm().parse(AutoGlm().print(decision, SMALL), SMALL) == decision


@given(X, Y, X, Y)
def test_swipes_round_trip(x1: int, y1: int, x2: int, y2: int) -> None:
    words = AutoGlm().print(Decision((Swipe(x1, y1, x2, y2),)), SMALL)
    (swipe,) = AutoGlm().parse(words, SMALL).actions
    assert isinstance(swipe, Swipe)
    assert (swipe.x1, swipe.y1, swipe.x2, swipe.y2) == (x1, y1, x2, y2)


@pytest.mark.parametrize(
    "decision",
    [
        Decision((), {"message": "True"}, "note"),
        Decision((), {"instruction": "sum up"}, "call_api"),
        Decision((Tap(5, 6),), {"thinking": "a", "message": "it's paid"}),
        Decision((Ask(""),)),
    ],
)
def test_other_printed_actions_are_read_back(decision: Decision) -> None:
    assert AutoGlm().parse(AutoGlm().print(decision, SMALL), SMALL) == decision
