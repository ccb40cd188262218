import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.action.action import Finish, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.dialect import Decision, DialectError, Frame
from pytest_mobileagent.dialect.autodroid import AutoDroid
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds, Element

BUTTON = Element("android.widget.Button", text="Save", bounds=Bounds(0, 0, 100, 100))
FIELD = Element("android.widget.EditText", bounds=Bounds(0, 100, 1000, 200))
PAGE = Frame(
    (1080, 2400),
    marks={
        "0": Mark("0", BUTTON.bounds, BUTTON),
        "1": Mark("1", FIELD.bounds, FIELD),
        "2": Mark("2", Bounds(0, 0, 1080, 2400)),
    },
)
TAP, TYPE = Tap(50, 50), Type("", at=(500, 150), clear=True)
REPLY = {
    "Steps": "Tap it.",
    "Analyses": "It is there.",
    "Finished": "No",
    "Next step": "Tap.",
    "id": "0",
    "action": "tap",
    "input_text": "N/A",
}


def reply(**changes):
    return repr({**REPLY, **changes})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (reply(), TAP),
        (reply(id=0), TAP),
        (reply(id=" 0 "), TAP),
        (reply(id=0.7), TAP),
        (reply(id="０"), TAP),
        (reply(action="TapOn"), TAP),
        (reply(action="None"), TAP),
        (reply(action="uncheck"), TAP),
        (reply(action="input", input_text="Milk"), TAP),
        (reply(id="1"), TYPE),
        (reply(id="1", input_text=None), TYPE),
        (reply(id="1", action="tap", input_text="Milk"), Type("Milk", (500, 150), clear=True)),
        (reply(id=1, action="input", input_text='a "b" c'), Type('a "b" c', (500, 150), True)),
        (reply(id="1", input_text="x" * 31), Type("x" * 31, (500, 150), clear=True)),
        (reply(id="2"), Key("back")),
        (reply(id="-1"), Finish()),
        (reply(id=-1), Finish()),
        (reply(id="N/A"), Finish()),
        (reply(Finished="Yes"), Finish()),
        (reply(Finished="y", id="7"), Finish()),
        (reply(Finished="The task is finished"), Finish()),
        (reply(Finished=True), Finish()),
        (reply(Finished="Not finished"), TAP),
        ("```json\n" + reply() + "\n```", TAP),
        ("Sure!\n" + reply() + "\nGood luck.", TAP),
        ('{"Finished": false, "id": 0, "action": "tap", "input_text": null}', TAP),
        ('{"finished": "yes"}', Finish()),
        (reply(Steps="odd").replace("odd", r"a \d b"), TAP),
        ('{"Steps": "a\nb", "id": 0, "action": "tap", "input_text": "N/A"}', TAP),
    ],
)
def test_element_determines_the_action(words, expected):
    assert AutoDroid().parse(words, PAGE).actions == (expected,)


@pytest.mark.parametrize(
    ("words", "label"),
    [(reply(), "0"), (reply(id=7), "7"), (reply(id=-1), ""), ("Hm.", ""), ("{}", "")],
)
def test_chosen_element_can_be_queried(words, label):
    assert AutoDroid.chosen(words) == label


SAID = st.dictionaries(st.sampled_from(["steps", "analyses", "next_step"]), st.text(max_size=20))
ACTIONS = st.sampled_from([TAP, Key("back"), Finish()]) | st.text(max_size=40).filter(
    lambda text: text != "N/A"
).map(lambda text: Type(text, at=(500, 150), clear=True))


@given(ACTIONS, SAID)
def test_printed_actions_round_trip(action, said):
    decision = Decision((action,), said)
    assert AutoDroid().parse(AutoDroid().print(decision, PAGE), PAGE) == decision


@pytest.mark.parametrize("action", [Scroll("up"), Tap(800, 2000), Type("x"), Key("home")])
def test_actions_that_autodroid_lacks_are_not_printed(action):
    with pytest.raises(DialectError):
        AutoDroid().print(Decision((action,)), PAGE)
