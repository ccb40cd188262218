import sys
from dataclasses import replace

import pytest

from pytest_mobileagent.action import Finish, Impossible, Key, Open, Type
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.testing import FakePhone, ScriptedReply, make_screen
from tests.agents.playing import acted, player, shipped

FORM = make_screen(
    {"class": "android.widget.EditText", "resource-id": "shop:id/field", "clickable": "true"},
    {"class": "android.widget.Button", "text": "Save all of this list now", "clickable": "true"},
    {"class": "android.widget.TextView", "text": "A heading"},
    {"class": "android.view.View"},
    {"text": "12:00", "package": "com.android.systemui"},
    package="org.shop",
)
NESTED = """<hierarchy>
<node class="android.widget.FrameLayout" clickable="true" bounds="[0,0][9,9]">
<node class="android.widget.LinearLayout"><node class="android.widget.TextView" text="Wi-Fi"/>
<node class="android.widget.TextView" text="Wi-Fi, on; saved"/>
<node class="android.widget.Switch" checkable="true" checked="true" content-desc="Switch"/>
</node></node></hierarchy>"""


played = player(
    "androidarena",
    "Save the list.",
    lambda: FakePhone([FORM], apps=["org.shop", "com.google.android.gm"]),
)


def test_a_task_is_one_call_a_step_on_an_outline_of_the_page():
    episode, model = played(
        [
            "I type. #set_text [n0000] [milk]#",
            "I save. #click [n0001]#",
            "#long_click [n0001]#",
            "#swipe_up#",
            "#press_back#",
            "#start [Gmail]#",
            "It is saved. #finish [42]#",
        ]
    )
    assert acted(episode) == [
        Type("milk", at=(540, 60), clear=True),
        Tap(540, 180),
        LongPress(540, 180),
        Scroll("up"),
        Key("back"),
        Open("com.google.android.gm"),
        Finish("42"),
    ]
    assert not any(request.images for request in model.requests)
    first = model.requests[0]
    assert [message.role[0] for message in first.messages] == ["s", "u", "a", "u", "a", "u"]
    assert (first.temperature, first.max_tokens) == (0.1, None)
    assert (
        "The objective: Save the list.\n\nStep 1:\nObservation: The app in front is shop:\n"
        "    [n0000] EditText field ;click ; ;;:\n"
        "    [n0001] Button ;click ; ;;Save all of this list now :\n"
        "    [n0002] TextView ;; ;;A heading :\n"
        "Think:" in first.messages[-1].text
    )
    assert "\nGmail\n" in first.messages[0].text
    assert "Today is Jan 01 2026 Thursday" in first.messages[0].text


def test_the_last_actions_are_described_in_words():
    _, model = played(["#set_text [n0000] [milk]#", *["#click [n0001]#"] * 4, "#finish#"])
    assert "Step 1:\nPrevious Action: type milk in EditText of the app shop" in (
        model.requests[1].text
    )
    last = model.requests[5].messages[-1].text
    assert "Step 1:" not in last
    click = "Previous Action: click Save all of this list Button on the app shop"
    assert last.count(click) == 4
    assert f"Step 5:\n{click}\n\nStep 6:\nObservation:" in last


def test_words_that_can_only_be_read_go_to_what_is_around_them():
    _, model = played(["#finish#"], NESTED)
    lines = model.requests[0].text.split("\n")
    assert "    [n0000] ;click ; ;; Wi-Fi on saved:" in lines
    assert "        [n0001] Switch ;check ; checked ;;Switch :" in lines


def test_the_home_screen_is_named():
    home = make_screen("Phone", package="com.google.android.apps.nexuslauncher")
    _, model = played(["#finish#"], home)
    assert "Observation: This is the home screen:\n" in model.requests[0].text


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("I'm sorry.", "there is no action"),
        ("#click [n00ff]#", "no mark 'n00ff'"),
        ("#start [Nothing]#", "no app of this package is installed"),
        (ScriptedReply("I think #cli", stop="length"), "the reply was cut off"),
        (ScriptedReply("", stop="refusal"), "the model refuses"),
    ],
)
def test_a_failed_action_is_reported_before_the_page(words, problem):
    episode, model = played([words, "#finish [N/A]#"])
    assert episode.step_count == 1
    assert episode.steps[-1].action == Impossible("N/A")
    told = model.requests[1].messages[-1].text.partition("Observation: ")[2]
    assert problem in told.partition("The app in front is shop")[0]
    if "start" not in str(words):
        assert "Previous Action: invalid action" in model.requests[1].text


def test_past_pages_are_included_on_request():
    replies = ["#click [n0001]#", "#finish#"]
    _, model = played(replies, options={"observations": True})
    assert "Previous Observation: The app in front is shop:" in model.requests[1].text


def test_a_prompt_that_is_too_long_drops_past_pages_then_examples():
    replies = ["#click [n0001]#", "#finish#"]
    _, model = played(replies, options={"observations": True, "tokens": 100})
    assert "Previous Observation: [left out]" in model.requests[1].text
    assert len(model.requests[1].messages) == 6
    _, model = played(replies, options={"tokens": 10})
    assert len(model.requests[0].messages) == 2


def test_a_page_may_be_nested_deeply():
    deep = "<node text='a' clickable='true' bounds='[0,0][9,9]'>" * 200 + "</node>" * 200
    episode, _ = played(["#finish#"], f"<hierarchy>{deep}</hierarchy>")
    assert episode.termination == "self-reported"


def test_pages_of_real_phones_are_outlined(recordings):
    compress = sys.modules[f"{shipped('androidarena').__module__}.page"].compress
    dumps = sorted((recordings / "mobilebench-ol").rglob("*.xml"))
    assert dumps
    for dump in dumps:
        screen = make_screen(package="com.example")
        page = compress(replace(screen, xml=dump.read_text("utf-8")))
        labels = [mark.label for mark in page.marks]
        assert len(set(labels)) == len(labels) == page.text.count("\n")
        for mark, line in zip(page.marks, page.text.split("\n")[1:], strict=True):
            assert line.lstrip().startswith(f"[{mark.label}] ")
            uses = mark.element.clickable or mark.element.scrollable or mark.element.focusable
            assert uses or mark.element.text or mark.element.content_desc or mark.element.checked
