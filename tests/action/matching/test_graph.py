"""Tests of our own matching rule, and of looking up rules by name."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Bounds
from pytest_mobileagent.action import Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import _RULES, Golden, rule_of
from pytest_mobileagent.action.matching.graph_mobile_bench import graph
from pytest_mobileagent.errors import TaskError

SIZE = (1000, 1000)
BOX = (Bounds(100, 100, 200, 200),)


@pytest.mark.parametrize(
    ("golden", "boxes", "right", "wrong"),
    [
        (Tap(150, 150), BOX, [Tap(100, 199)], [Tap(200, 150), Tap(99, 150), LongPress(150, 150)]),
        (LongPress(150, 150), BOX, [LongPress(101, 101, seconds=3)], [Tap(150, 150)]),
        (DoubleTap(150, 150), BOX, [DoubleTap(199, 199)], [Tap(150, 150), DoubleTap(300, 300)]),
        (Tap(5, 5), BOX, [Tap(5, 5), Tap(150, 150)], [Tap(6, 5)]),  # outside its own box
        (Swipe(9, 9, 9, 9), (), [Swipe(9, 9, 9, 9)], [Swipe(8, 8, 8, 8)]),
        (Tap(500, 500), (), [Tap(540, 460)], [Tap(541, 500), Tap(500, 459)]),
        (Scroll("up"), (), [Swipe(5, 900, 5, 100), Scroll("up")], [Scroll("down"), Tap(5, 5)]),
        (Swipe(500, 900, 510, 100), (), [Scroll("up")], [Scroll("left"), Swipe(9, 9, 9, 9)]),
        (
            Swipe(150, 190, 150, 110),
            BOX,
            [Swipe(110, 190, 110, 10), Scroll("up"), Scroll("up", at=(150, 150))],
            [Swipe(500, 900, 500, 100), Scroll("up", at=(500, 500))],
        ),
        (Type("Bergen"), (), [Type("bergen"), Type("Berge", clear=True)], [Type("Oslo")]),
        (Type("ab"), (), [Type("ba"), Type("abcdef")], [Type("abcdefg"), Type("")]),
        (Type("ab", at=(150, 150)), BOX, [Type("ab"), Type("ab", at=(199, 100))], []),
        (Type("ab", at=(150, 150)), BOX, [], [Type("ab", at=(500, 500))]),
        (Key("back"), (), [Key("back")], [Key("home")]),
        (Open("a.b"), (), [Open("a.b")], [Open("a.c")]),
        (Wait(1.0), (), [Wait(9.0)], [Tap(1, 1)]),
    ],
)
def test_an_action_is_that_of_an_edge(golden, boxes, right, wrong):
    wanted = Golden(golden, SIZE, boxes)
    assert [action for action in right if not graph(action, wanted)] == []
    assert [action for action in wrong if graph(action, wanted)] == []


def test_types_are_compared_apart_from_places():
    elsewhere = graph(Tap(900, 900), Golden(Tap(150, 150), SIZE, BOX))
    assert (elsewhere.type, elsewhere.exact) == (True, False)
    assert not graph(Key("back"), Golden(Tap(150, 150), SIZE)).type
    assert not graph(None, Golden(Tap(150, 150), SIZE)).type


@pytest.mark.parametrize("name", [*_RULES, "aitz:agentcpm", "androidcontrol:os-atlas"])
def test_rules_are_found_by_their_names(name):
    rule = rule_of(name)
    tap = Golden(Tap(150, 150), SIZE, BOX)
    assert rule(Tap(150, 150), tap).exact
    assert not rule(Tap(900, 900), tap).exact


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("aitx", "there is no matching rule 'aitx'; did you mean 'ait"),
        ("", r"there is no matching rule '' \(available: aitw, "),
        ("judged", "there is no matching rule 'judged'"),
        ("aitz:coot", r"there is no scorer 'coot' \(available: coat, agentcpm\)"),
        ("aitw:code", "the matching rule 'aitw' has no scorers"),
    ],
)
def test_unknown_rules_are_refused(name, says):
    with pytest.raises(TaskError, match=says):
        rule_of(name)


@pytest.mark.parametrize(
    ("typed", "recorded", "is_same"),
    [
        ("周末去哪儿玩", "周", True),  # one in the other
        ("你最想去哪里", "最想,去", True),  # all parts of the recorded text
        ("Red shoes, size 40", "shoes，RED", True),
        ("shoes", "red shoes: new", True),  # all parts of the typed text
        ("blue shoes", "red，shoes", False),
        ("hat", "shoes", False),
    ],
)
def test_keywords_are_compared_as_in_colorbench(typed, recorded, is_same):
    golden = Golden(Type(recorded), (1080, 2374))
    assert rule_of("graph:keywords")(Type(typed), golden).exact is is_same


def test_an_unknown_scorer_is_refused():
    with pytest.raises(TaskError, match="there is no scorer 'words'"):
        rule_of("graph:words")
