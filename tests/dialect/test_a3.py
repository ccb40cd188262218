from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
    Action,
    Ask,
    DoubleTap,
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
from pytest_mobileagent.dialect.a3 import A3
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

DEVICE = A3()
PAPER = A3("paper")
MARKS = {"1": Mark("1", Bounds(0, 0, 100, 100)), "5": Mark("5", Bounds(500, 1000, 580, 1100))}
FRAME = Frame((1080, 2400), marks=MARKS)
BARE = Frame((1080, 2400))


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ('{"action": "open", "app": "youtube"}', Open("youtube")),
        ('{"action": "tap", "x": 100, "y": 200}', Tap(100, 200)),
        ("{'action': 'tap', 'x': 100, 'y': '200'}", Tap(100, 200)),
        ('Now:\n```json\n{"action": "TAP", "x": 100, "y": 200}\n```', Tap(100, 200)),
        ('{"action": "double_tap", "x": 1, "y": 2}', DoubleTap(1, 2)),
        ('{"action": "long_press", "x": 1, "y": 2}', LongPress(1, 2)),
        ('{"action": "long_press", "x": 1, "y": 2, "duration": 2500}', LongPress(1, 2, 2.5)),
        ('{"action": "swipe", "x1": 1, "y1": 2, "x2": 3, "y2": 4}', Swipe(1, 2, 3, 4, 1.0)),
        ('{"action": "swipe", "x1": 1, "y1": 2, "x2": 3, "y2": 4, "time": 300}', Swipe(1, 2, 3, 4)),
        ('{"action": "type", "text": "hello"}', Type("hello", clear=True)),
        ('{"action": "enter"}', Key("enter")),
        ('{"action": "back"}', Key("back")),
        ('{"action": "home"}', Key("home")),
        ('{"action": "wait"}', Wait(3)),
        ('{"action": "wait", "time": 1}', Wait(1)),
        ('{"action": "wait", "duration": 500}', Wait(60)),
        ('{"action": "end", "answer": "42"}', Finish("42")),
        ('{"action": "end"}', Finish()),
    ],
)
def test_device_dictionaries_are_parsed(words: str, meant: Action) -> None:
    assert DEVICE.parse(words, FRAME) == Decision((meant,))


def test_typing_need_not_clear_the_field() -> None:
    words = '{"action": "type", "text": "hello"}'
    assert A3(clear=False).parse(words, FRAME).actions == (Type("hello"),)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("CLICK[100,200]", Tap(100, 200)),
        ("CLICK[100, 200]", Tap(100, 200)),
        ("CLICK(100, 200)", Tap(100, 200)),
        ("CLICK[5]", Tap(540, 1050)),
        ("`CLICK [5]`.", Tap(540, 1050)),
        ("click[5]", Tap(540, 1050)),
        ("LONG_PRESS[5]", LongPress(540, 1050)),
        ("LONG PRESS[1,2]", LongPress(1, 2)),
        ("SCROLL[up]", Scroll("up")),
        ("SCROLL[5, down]", Scroll("down", (540, 1050))),
        ("SCROLL[10, 500, 10, 100]", Swipe(10, 500, 10, 100)),
        ("TYPE[new [shoes]]", Type("new [shoes]", clear=True)),
        ('TYPE["new shoes"]', Type("new shoes", clear=True)),
        ("OPEN[YouTube]", Open("YouTube")),
        ("ENTER", Key("enter")),
        ("BACK[]", Key("back")),
        ("HOME", Key("home")),
        ("WAIT", Wait(3)),
        ("WAIT[1.5]", Wait(1.5)),
        ("COMPLETE", Finish()),
        ("COMPLETE[CLICK[5] was enough]", Finish("CLICK[5] was enough")),
        ("IMPOSSIBLE", Impossible()),
    ],
)
def test_paper_format_is_parsed(words: str, meant: Action) -> None:
    assert PAPER.parse(words, FRAME) == Decision((meant,))


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("I go BACK no more.\nCLICK[5]", Tap(540, 1050)),
        ("I go back.\nAction: CLICK[5]", Tap(540, 1050)),
        ("I go on.\n- **Action**: CLICK[5]", Tap(540, 1050)),
        ("So I choose CLICK[5] because it is BACK.", Tap(540, 1050)),
        ("CLICK[1]\n\nNo:\nCLICK[5]", Tap(540, 1050)),
    ],
)
def test_last_action_counts(words: str, meant: Action) -> None:
    decision = PAPER.parse(words, FRAME)
    assert decision.actions == (meant,)
    assert words.startswith(decision.said["thought"])


@pytest.mark.parametrize(
    ("dialect", "words", "problem"),
    [
        (DEVICE, "", r"no \{…\}"),
        (DEVICE, "tap 5 5", r"no \{…\}"),
        (DEVICE, '{"action": "tap"}', "x is not a number"),
        (DEVICE, '{"action": "tap", "x": 5000, "y": 3}', "outside"),
        (DEVICE, '{"action": "tap", "x": true, "y": 3}', "x is not a number"),
        (DEVICE, '{"action": "swipe", "x1": 1, "y1": 2}', "x2 is not"),
        (DEVICE, '{"action": "type"}', "its text is missing"),
        (DEVICE, '{"action": "open"}', "its text is missing"),
        (DEVICE, '{"action": "click", "x": 1, "y": 2}', "no action 'click'"),
        (DEVICE, '{"action": "wait", "time": "long"}', "time is not"),
        (PAPER, "", "no action"),
        (PAPER, "I am sorry, I cannot help.", "no action"),
        (PAPER, "CLICK", "no mark ''"),
        (PAPER, "CLICK[7]", "no mark '7'"),
        (PAPER, "CLICK[1, 2, 3]", "neither a mark nor"),
        (PAPER, "CLICK[a, b]", "x is not a number"),
        (PAPER, "SCROLL[diagonally]", "no direction"),
        (PAPER, "SCROLL", "no direction"),
        (PAPER, "TYPE[]", "needs text"),
        (PAPER, "OPEN", "needs text"),
        (PAPER, "WAIT[long]", "time is not"),
        (PAPER, "TAP[5]", "no action"),
    ],
)
def test_unparsable_reply_says_why(dialect: A3, words: str, problem: str) -> None:
    with pytest.raises(DialectError, match=problem) as caught:
        dialect.parse(words, FRAME)
    assert caught.value.words == words


@pytest.mark.parametrize("dialect", [DEVICE, PAPER])
@pytest.mark.parametrize("action", [Ask("?"), Key("tab"), Type("x"), Type("x", (1, 1), True)])
def test_unsupported_actions_are_refused(dialect: A3, action: Action) -> None:
    with pytest.raises(DialectError):
        dialect.print(Decision((action,)), BARE)


def test_mark_is_named_if_there_are_marks() -> None:
    assert PAPER.print(Decision((Tap(540, 1050),), {"thought": "so"}), FRAME) == "so\nCLICK[5]"


TEXT = st.text(st.characters(codec="utf-8"))
LINE = TEXT.filter(lambda text: len((text + ".").splitlines()) == 1)
X, Y = st.integers(0, 1079), st.integers(0, 2399)
KEYS = st.sampled_from([Key("enter"), Key("home"), Key("back")])
MILLISECONDS = st.integers(0, 60_000).map(lambda each: each / 1000)
ON_DEVICE = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(DoubleTap, X, Y),
    st.builds(LongPress, X, Y, MILLISECONDS),
    st.builds(Swipe, X, Y, X, Y, MILLISECONDS),
    st.builds(Type, TEXT, clear=st.just(value=True)),
    st.builds(Open, TEXT.filter(bool)),
    st.builds(Wait, st.floats(0, 60)),
    st.builds(Finish, TEXT),
    KEYS,
)
IN_PAPER = st.one_of(
    st.builds(Tap, X, Y),
    st.builds(LongPress, X, Y),
    st.builds(Swipe, X, Y, X, Y),
    st.builds(
        Scroll,
        st.sampled_from(["up", "down", "left", "right"]),
        st.none() | st.sampled_from([(50, 50), (540, 1050)]),
    ),
    st.builds(Type, LINE.filter(bool), clear=st.just(value=True)),
    st.builds(Open, LINE.filter(bool)),
    st.builds(Wait, st.floats(0, 60)),
    st.builds(Finish, LINE),
    st.builds(Impossible, LINE),
    KEYS,
)


@given(ON_DEVICE)
def test_device_format_round_trips(action: Action) -> None:
    assert DEVICE.parse(DEVICE.print(Decision((action,)), BARE), BARE) == Decision((action,))


@given(IN_PAPER)
def test_paper_format_round_trips(action: Action) -> None:
    frame = FRAME if isinstance(action, Scroll) else BARE
    decision = Decision((action,), {"thought": "It is next."})
    assert PAPER.parse(PAPER.print(decision, frame), frame) == decision
