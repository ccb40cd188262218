from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.os_atlas import OsAtlas

FRAME = Frame((400, 800))
DIALECT = OsAtlas()


def test_scroll_direction_may_refer_to_the_content():
    content = OsAtlas(scroll="content")
    assert content.parse("actions:\nSCROLL [DOWN]", FRAME).actions == (Scroll("up"),)
    assert content.print(Decision((Scroll("up"),)), FRAME) == "actions:\nSCROLL [DOWN]"


@pytest.mark.parametrize(
    "action", [Swipe(1, 2, 3, 4), Type("a", (1, 1)), Type("a", enter=True), Finish("42")]
)
def test_actions_that_the_dialect_lacks_cannot_be_expressed(action):
    with pytest.raises(DialectError, match="cannot express"):
        DIALECT.print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
printable = st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=20)


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | printable.filter(lambda text: "action" not in text.lower()).map(Type)
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]))
    | st.builds(Key, st.sampled_from(["back", "home", "enter", "overview"]))
    | st.sampled_from([Finish(), Impossible(), Wait(), Open("Google Chrome")]),
    said=st.sampled_from([{}, {"thought": "Open the app.\nThen stop."}]),
    scroll=st.sampled_from(["finger", "content"]),
)
def test_printed_actions_round_trip(action, said, scroll):
    dialect, decision = OsAtlas(scroll), Decision((action,), said)
    assert dialect.parse(dialect.print(decision, FRAME), FRAME) == decision
