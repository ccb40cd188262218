from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish
from pytest_mobileagent.action.gestures import Swipe
from pytest_mobileagent.dialect import AutoGlm, Decision, DialectError, Frame

PHONE = Frame((1080, 2400))
SMALL = Frame((560, 840))
X, Y = st.integers(0, 559), st.integers(0, 839)


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
def test_swipes_round_trip(x1: int, y1: int, x2: int, y2: int) -> None:
    words = AutoGlm().print(Decision((Swipe(x1, y1, x2, y2),)), SMALL)
    (swipe,) = AutoGlm().parse(words, SMALL).actions
    assert isinstance(swipe, Swipe)
    assert (swipe.x1, swipe.y1, swipe.x2, swipe.y2) == (x1, y1, x2, y2)
