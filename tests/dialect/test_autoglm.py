from __future__ import annotations

from typing import Any

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
    Swipe,
    Tap,
    Type,
    Wait,
)
from pytest_mobileagent.dialect.autoglm import INVALID, AutoGlm
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame

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


@pytest.mark.parametrize(
    ("instruction", "action"),
    [
        ('do(action="Launch", app="微信")', Open("微信")),
        ('do(action="Tap", element=[500,250])', Tap(540, 600)),
        ('do(action="Tap", element=[500, 250])', Tap(540, 600)),
        ("do(action='Tap', element=(500, 250))", Tap(540, 600)),
        ('do( action = "Tap" , element = [500.0,250.0] )', Tap(540, 600)),
        ('do(action="Tap", element=[999,999])', Tap(1078, 2397)),
        ('do(action="Tap", element=[500,250]', Tap(540, 600)),
        ('do(action="Tap", element=[500,250]) as said', Tap(540, 600)),
        ('do(action="Double Tap", element=[500,250])', DoubleTap(540, 600)),
        ('do(action="Long Press", element=[500,250])', LongPress(540, 600, 3.0)),
        ('do(action="Type", text="hello")', Type("hello", clear=True)),
        ('do(action="Type", text="say "hi", (now)")', Type('say "hi", (now)', clear=True)),
        ('do(action="Type", text="two\nlines")', Type("two\nlines", clear=True)),
        (r'do(action="Type", text="a\n")', Type(r"a\n", clear=True)),
        ('do(action="Type", text="")', Type("", clear=True)),
        ('do(action="Type_Name", text="张三")', Type("张三", clear=True)),
        ("do(action='Type', text='It\\'s')", Type("It's", clear=True)),
        ('do(action="Swipe", start=[500,750], end=[500,250])', Swipe(540, 1800, 540, 600, 1.44)),
        ('do(action="Swipe", start=[500,500], end=[500,490])', Swipe(540, 1200, 540, 1176, 1.0)),
        ('do(action="Swipe", start=[500,999], end=[500,0])', Swipe(540, 2397, 540, 0, 2.0)),
        ('do(action="Back")', Key("back")),
        ('do(action="Home")', Key("home")),
        ('do(action="Wait", duration="3 seconds")', Wait(3)),
        ('do(action="Wait", duration="1 second")', Wait(1)),
        ('do(action="Wait", duration=2)', Wait(2)),
        ('do(action="Wait", duration="a while")', Wait(1)),
        ('do(action="Take_over", message="Log in, please")', Ask("Log in, please")),
        ('do(action="Interact")', Ask("I look.")),
        ('finish(message="Done: 3 items")', Finish("Done: 3 items")),
        ('finish(message="It said "done".")', Finish('It said "done".')),
        ("finish(message='Done')", Finish("Done")),
        ("finish()", Finish()),
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        "<think>I look.</think><answer>{}</answer>",
        "<think>\nI look.\n</think>\n<answer>\n{}\n</answer>",
        "I look.\n{}",
        "<think>I look.</think>\n{}",
        "<think>I look.</think>\n<answer>{}",
        "<think>I look.\n{}</answer>",
    ],
)
def test_replies_of_models(words: str, instruction: str, action: Action) -> None:
    read = AutoGlm().parse(words.replace("{}", instruction), PHONE)
    assert read == Decision((action,), {"thinking": "I look."})


@pytest.mark.parametrize(
    "instruction",
    [
        'do(action="Fly")',
        "do()",
        'do(action="Tap")',
        'do(action="Tap", element=[500])',
        'do(action="Tap", element=[1200, 10])',
        'do(action="Launch")',
        'do(action="Swipe", start=[1,2])',
    ],
)
def test_an_impossible_action_uses_a_step(instruction: str) -> None:
    decision = AutoGlm().parse(f"<answer>{instruction}</answer>", PHONE)
    assert (decision.actions, decision.signal) == ((), INVALID)
    assert decision.said["problem"]


@pytest.mark.parametrize(
    "words",
    [
        "",
        "I am sorry.",
        "<answer>tap the button</answer>",
        "<answer>tap(element=[1,2])</answer>",
        'do(action="Launch", app="unclosed)',
        "<think>never ending",
        'do(action="Tap", element=[500,2',
        'do(action="Wait", duration=1',
        'do(action="Type"',
        'do(action="Type",',
        'do(action="Type", te',
        'do(action="Type")',
    ],
)
def test_replies_without_an_instruction(words: str) -> None:
    with pytest.raises(DialectError) as raised:
        AutoGlm().parse(words, PHONE)
    assert raised.value.words == words


@pytest.mark.parametrize(
    ("words", "lenient", "strict"),
    [
        ('do(action="Type", text="say hell', Type("say hell", clear=True), "say he"),
        ('do(action="Type", text="say hello"', Type("say hello", clear=True), "say hell"),
        ('do(action="Type", text="', Type("", clear=True), ""),
        ('do(action="Type", text=', Type("", clear=True), ""),
        ('do(action="Type_Name", text="张三', Type("张三", clear=True), ""),
        ('do(action="Type" text="a")', Type("a", clear=True), "a"),
        ('do(action="Type", text="a")</ans', Type("a", clear=True), 'a")</a'),
        ('<answer>do(action="Type", text="a")</answer>', Type("a", clear=True), 'a")</answe'),
    ],
)
def test_truncated_typing_continues_like_the_original(
    words: str, lenient: Action, strict: str
) -> None:
    assert AutoGlm().parse(words, PHONE).actions == (lenient,)
    assert AutoGlm().parse_strictly(words, PHONE).actions == (Type(strict, clear=True),)


@pytest.mark.parametrize(
    ("words", "answer", "strict"),
    [
        ('finish(message="All is do', "All is do", "All is "),
        ('finish(message="Done")', "Done", "Done"),
        ('<answer>finish(message="Done")</answer>', "Done", 'Done")</answe'),
    ],
)
def test_truncated_message_is_the_answer(words: str, answer: str, strict: str) -> None:
    assert AutoGlm().parse(words, PHONE).actions == (Finish(answer),)
    assert AutoGlm().parse_strictly(words, PHONE).actions == (Finish(strict),)


@pytest.mark.parametrize(
    "words",
    [
        '<answer>do(action="Back")</answer>',
        '<answer>do(action="Back")</ans',
        'do(action="Back") as said',
        'do(action="Back")\nfor the list',
        '```\ndo(action="Back")\n```',
        'do(action="Back"',
        'do(action="Tap", element=[500,250]',
        'do(action="Tap",',
        'do(action="Tap", element=[x,y])',
        'do(action="Wait", duration=',
        'do(action="Note",',
    ],
)
def test_replies_that_crash_the_original_fail_only_strictly(words: str) -> None:
    AutoGlm().parse(words, PHONE)
    with pytest.raises(DialectError) as raised:
        AutoGlm().parse_strictly(words, PHONE)
    assert raised.value.words == words


@pytest.mark.parametrize(
    ("words", "actions", "signal"),
    [
        ('I look.\ndo(action="Tap", element=[500,250])', (Tap(540, 600),), ""),
        ('do(action="Tap", element="[500,250]")', (), INVALID),
        ('do("Tap", [500,250])', (), INVALID),
        ('do(action="Wait", duration=2)', (Wait(0),), ""),
        ('do(action="Back").now()', (), INVALID),
        ('<answer>do( action="Back" )</answer>', (Key("back"),), ""),
    ],
)
def test_replies_after_which_the_original_continues(
    words: str, actions: tuple[Action, ...], signal: str
) -> None:
    decision = AutoGlm().parse_strictly(words, PHONE)
    assert (decision.actions, decision.signal) == (actions, signal)


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


def test_sensitive_tap_keeps_its_message() -> None:
    words = '<answer>do(action="Tap", element=[500,250], message="pays")</answer>'
    assert AutoGlm().parse(words, PHONE) == Decision((Tap(540, 600),), {"message": "pays"})


def test_notes_are_signals() -> None:
    note = AutoGlm().parse('do(action="Note", message="True")', PHONE)
    assert note == Decision((), {"message": "True"}, "note")
    api = AutoGlm().parse('do(action="Call_API", instruction="sum up")', PHONE)
    assert api == Decision((), {"instruction": "sum up"}, "call_api")


def test_a_thought_about_finishing_is_not_a_finish() -> None:
    words = '<think>No finish(message="x") yet.</think><answer>do(action="Back")</answer>'
    assert AutoGlm().parse(words, PHONE).actions == (Key("back"),)


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
