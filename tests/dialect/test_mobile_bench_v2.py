from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.mobile_bench_v2 import MobileBenchV2
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

BOUNDS = {
    "c5": Bounds(100, 100, 300, 300),
    "c6": Bounds(0, 0, 400, 400),
    "s21": Bounds(0, 400, 400, 800),
}
FRAME = Frame((400, 800), marks={label: Mark(label, bounds) for label, bounds in BOUNDS.items()})
DIALECT = MobileBenchV2()


def test_tap_is_printed_as_the_smallest_mark_around_it():
    assert DIALECT.print(Decision((Tap(110, 120),)), FRAME) == "Action: click(c5)"
    assert DIALECT.print(Decision((Tap(10, 10),)), FRAME) == "Action: click(c6)"


@pytest.mark.parametrize("action", [Key("back"), Scroll("up"), Type("a", enter=True), Type('"')])
def test_actions_that_the_dialect_lacks_cannot_be_expressed(action):
    with pytest.raises(DialectError, match="cannot express"):
        DIALECT.print(Decision((action,)), FRAME)


def test_tap_without_mark_is_refused():
    with pytest.raises(DialectError, match="no mark whose label starts with 'c'"):
        DIALECT.print(Decision((Tap(200, 700),)), FRAME)


printable = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)


@given(
    action=st.just(Tap(200, 200))
    | st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"]), st.just((200, 600)))
    | printable.filter(lambda text: not set(text) & set('"<')).map(Type)
    | st.just(Finish()),
    said=st.sampled_from([{}, {"observation": "A list.", "summary": "Tapped."}]),
)
def test_printed_actions_round_trip(action, said):
    decision = Decision((action,), said)
    assert DIALECT.parse(DIALECT.print(decision, FRAME), FRAME) == decision
