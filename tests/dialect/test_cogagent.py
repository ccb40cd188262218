from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import (
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
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.cogagent import CogAgent, box_center

FRAME = Frame((400, 800))
OLD, NEW = CogAgent("18b"), CogAgent("9b")
PLAN = "Plan: 1. Open the search.\n2. Type.\nNext Action: Tap the field. "


@pytest.mark.parametrize(
    ("operation", "action"),
    [
        ("tap at the position [[500,250]]", Tap(200, 200)),
        ("tap the button [[ 500, 250 ]]", Tap(200, 200)),
        (" tap at [[500,250]].", Tap(200, 200)),
        ("Tap at [[500,250]]", Tap(200, 200)),
        ("tap at the box [[400,200,600,300]]", Tap(200, 200)),
        ('type "hello, world"', Type("hello, world")),
        ('type the text "hello" in the field', Type("hello")),
        ("type “你好”", Type("你好")),
        ('type "hel', Type("hel")),
        ("""type 'so-called "tea"'""", Type("tea")),
        ('type "a -> click b"', Type("a -> click b")),
        ("press home", Key("home")),
        ("Press Back", Key("back")),
        ("press enter key", Key("enter")),
        ("task complete", Finish()),
        ("task impossible", Impossible()),
        ("swipe up", Swipe(200, 400, 200, 160, seconds=0.5)),
        ("swipe down on the list", Swipe(200, 160, 200, 400, seconds=0.5)),
        ("swipe left", Swipe(320, 400, 80, 400, seconds=0.5)),
        ("swipe right", Swipe(80, 400, 320, 400, seconds=0.5)),
        (
            "[combobox] Search -> TYPE: CogVLM at the box [[212,498,787,564]]",
            Type("CogVLM", at=(199, 424)),
        ),
        ("[button] Go -> CLICK at the box [[400,200,600,300]]", Tap(200, 200)),
        ("press back\nGrounded Operation:press home", Key("back")),
    ],
)
def test_it_reads_replies_of_the_18b_model(operation, action):
    words = f"{PLAN}\nGrounded Operation:{operation}"
    assert OLD.parse(words, FRAME).actions == (action,)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", 'no "Grounded Operation:"'),
        ("I would tap the search field.", 'no "Grounded Operation:"'),
        ("Grounded Operation:", "no operation of CogAgent in ''"),
        ("Grounded Operation:scroll down", "no operation of CogAgent in 'scroll down'"),
        ("Grounded Operation:tap at the field", "no point or box"),
        ("Grounded Operation:tap [[500]]", "no point or box"),
        ("Grounded Operation:tap [[500,1200]]", "the point (500, 1200) is outside"),
        ("Grounded Operation:tap [[1,2,3]]", "no point or box"),
        ("Grounded Operation:type hello", "no text in quotation marks"),
    ],
)
def test_it_explains_why_a_reply_of_the_18b_model_is_invalid(words, problem):
    with pytest.raises(DialectError) as caught:
        OLD.parse(words, FRAME)
    assert problem in str(caught.value)
    assert caught.value.words == words


@pytest.mark.parametrize(
    ("operation", "action"),
    [
        (
            "CLICK(box=[[400,200,600,300]], element_type='button', element_info='Go')",
            Tap(200, 200),
        ),
        ("CLICK(box=[[009,186,031,207]], element_info='Mark all (3)')", Tap(8, 157)),
        ("CLICK(box=[400,200,600,300])", Tap(200, 200)),
        ("click (box = [[400, 200, 600, 300]])", Tap(200, 200)),
        ("DOUBLE_CLICK(box=[[400,200,600,300]])", DoubleTap(200, 200)),
        ("RIGHT_CLICK(box=[[400,200,600,300]], element_info='[AXCell]')", LongPress(200, 200)),
        ("LONG_PRESS(box=[[400,200,600,300]])", LongPress(200, 200)),
        (
            "TYPE(box=[[400,200,600,300]], text='doors', element_info='Search')",
            Type("doors", (200, 200)),
        ),
        ("TYPE(box=[[400,200,600,300]], text='a, b (c), d')", Type("a, b (c), d", (200, 200))),
        ("TYPE(box=[[400,200,600,300]], text='it's late')", Type("it's late", (200, 200))),
        ('TYPE(text="say \\"hi\\"", box=[[400,200,600,300]])', Type('say "hi"', (200, 200))),
        ("TYPE(text='two\\nlines')", Type("two\nlines")),
        ("TYPE(text='end') and then stop", Type("end")),
        (
            "SCROLL_DOWN(box=[[0,209,998,952]], step_count=5, element_info='[None]')",
            Scroll("up", (199, 464)),
        ),
        ("SCROLL_UP(box=[[400,200,600,300]], step_count=1)", Scroll("down", (200, 200))),
        ("SCROLL_LEFT(step_count=1)", Scroll("right")),
        ("SCROLL_RIGHT(box=[[400,200,600,300]])", Scroll("left", (200, 200))),
        ("KEY_PRESS(key='Return')", Key("enter")),
        ("KEY_PRESS(key='back')", Key("back")),
        ("KEY_PRESS(key='Volume Up')", Key("volume_up")),
        ("LAUNCH(app='Settings', url='None')", Open("Settings")),
        ("LAUNCH(app='Settings')", Open("Settings")),
        ("END()", Finish()),
        ("END", Finish()),
    ],
)
def test_it_reads_replies_of_the_9b_model(operation, action):
    words = f"Action: Do it.\nGrounded Operation: {operation}\n<<一般操作>>"
    decision = NEW.parse(words, FRAME)
    assert decision.actions == (action,)
    assert decision.said == {"action": "Do it.", "sensitivity": "一般操作"}


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        ("HOVER(box=[[1,2,3,4]])", "the operation 'HOVER'"),
        ("GESTURE(actions=[KEY_DOWN(key='A')])", "the operation 'GESTURE'"),
        ("CLICK()", "no point or box"),
        ("CLICK(box=[[400,200,600,1300]])", None),
        ("CLICK(box=[[400,200,600,9999]])", "is outside the picture"),
        ("TYPE(box=[[400,200,600,300]], text='cut of", "is not closed"),
        ("TYPE(box=[[400,200,600,300]])", "no text='…'"),
        ("KEY_PRESS(key='F11')", "a phone has no key 'F11'"),
        ("LAUNCH(app='None', url='baidu.com')", "only an app can be launched"),
        ("LAUNCH(app='Chrome', url='baidu.com')", "only an app can be launched"),
        ("", "the operation ''"),
        ("the search field", "the operation 'THE SEARCH FIELD'"),
    ],
)
def test_it_explains_why_a_reply_of_the_9b_model_is_invalid(operation, problem):
    words = f"Grounded Operation: {operation}"
    if problem is None:  # Only the centre must be inside.
        assert NEW.parse(words, FRAME).actions == (Tap(200, 600),)
        return
    with pytest.raises(DialectError) as caught:
        NEW.parse(words, FRAME)
    assert problem in str(caught.value)


def test_action_without_phone_is_a_signal():
    words = "Grounded Operation: LLM(prompt='Sum up', output='__CogName_x__')"
    assert NEW.parse(words, FRAME) == Decision(signal="llm")


def test_all_parts_of_a_9b_reply_are_kept():
    words = (
        "Status: At home [[0,0,9,9]].\nPlan: 1. Go;\n2. Stop.\nAction: Go.\n"
        "Grounded Operation: END()"
    )
    assert NEW.parse(words, FRAME).said == {
        "status": "At home [[0,0,9,9]].",
        "plan": "1. Go;\n2. Stop.",
        "action": "Go.",
    }


def test_history_line_is_extracted():
    words = "Action: Stop.\nGrounded Operation:  END()\n<<x>>"
    assert CogAgent.line_of("Grounded Operation", words) == "END()"
    assert CogAgent.line_of("Action", words) == "Stop."
    assert CogAgent.line_of("Action", "nothing") == ""


def test_typing_submits_if_enabled():
    words = 'Grounded Operation:type "tea"'
    assert CogAgent(submit=True).parse(words, FRAME).actions == (Type("tea", None, True, True),)


@pytest.mark.parametrize("action", [Wait(), Open("clock"), Type('"'), Swipe(1, 2, 3, 4)])
def test_the_18b_model_cannot_express_some_actions(action):
    with pytest.raises(DialectError, match="cannot express"):
        OLD.print(Decision((action,)), FRAME)


@pytest.mark.parametrize("action", [Wait(), Impossible(), Type("a", enter=True), Swipe(1, 2, 3, 4)])
def test_the_9b_model_cannot_express_some_actions(action):
    with pytest.raises(DialectError, match="cannot express"):
        NEW.print(Decision((action,)), FRAME)


points = st.tuples(st.integers(0, 399), st.integers(0, 799))
printable = st.text(st.characters(codec="utf-8", exclude_characters="<>“”\"'"), max_size=20)
directions = st.sampled_from(["up", "down", "left", "right"])
keys = st.sampled_from(["back", "home", "enter", "overview", "delete", "tab", "escape", "menu"])


@given(
    action=points.map(lambda p: Tap(*p))
    | printable.map(Type)
    | st.sampled_from([Key("back"), Key("home"), Key("enter"), Finish(), Impossible()])
    | st.sampled_from([Swipe(200, 400, 200, 160, 0.5), Swipe(80, 400, 320, 400, 0.5)]),
    said=st.sampled_from([{}, {"plan": "1. Go.\n2. Stop.", "action": "Go."}]),
)
def test_printed_replies_of_the_18b_model_are_read_back(action, said):
    decision = Decision((action,), said)
    assert OLD.parse(OLD.print(decision, FRAME), FRAME) == decision


@given(
    action=points.map(lambda p: Tap(*p))
    | points.map(lambda p: LongPress(*p))
    | points.map(lambda p: DoubleTap(*p))
    | st.builds(Type, printable, st.none() | points)
    | st.builds(Scroll, directions, st.none() | points)
    | st.builds(Key, keys)
    | st.sampled_from([Open("Clock"), Open("it's"), Finish(), Type("a\\'b\n\\"), Type("')")]),
    said=st.sampled_from([{}, {"status": "Here.", "action": "Go.", "sensitivity": "敏感操作"}]),
)
def test_printed_replies_of_the_9b_model_are_read_back(action, said):
    decision = Decision((action,), said)
    assert NEW.parse(NEW.print(decision, FRAME), FRAME) == decision


FRAGMENTS = [
    *("Grounded Operation:", "CLICK(", "TYPE(", "box=[[", "1,2,3,4", "]]", "text='", "'", ")", " "),
    *("tap", "type", '"', "->", "SCROLL_UP(", "KEY_PRESS(key='", "LAUNCH(app=", "<<", ">>", "\n"),
]


def test_box_means_its_centre() -> None:
    frame = Frame((100, 200))
    assert box_center("at [[500, 250]]", frame) == (50, 50)
    assert box_center("box=[400,200,600,300]", frame) == (50, 50)
    with pytest.raises(DialectError, match="no point or box"):
        box_center("[[1, 2, 3]]", frame)
