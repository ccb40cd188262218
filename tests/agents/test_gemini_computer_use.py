from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from pytest_mobileagent import Task
from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.llm.clients.gemini import Gemini
from pytest_mobileagent.llm.model import Message, ToolCall
from pytest_mobileagent.llm.scripted import ScriptedModel
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import play
from tests.agents.playing import did, notes_phone, player, shipped

SMALL = (108, 240)  # a screen whose pictures are quick to make
work = player("gemini_computer_use")
BROWSER = {"environment": "browser"}
CONFIRM = {"decision": "require_confirmation", "explanation": "This buys a list."}


def call(name: str, id: str = "c1", **given: Any) -> ToolCall:
    return ToolCall(id, name, given)


def says(*calls: ToolCall, text: str = "") -> ScriptedReply:
    return ScriptedReply(text, calls)


def shade(message: Message) -> Any:
    picture = Image.open(io.BytesIO(message.images[-1].data))
    assert picture.size == (935, 2078)  # three quarters of the screen's pixels
    return picture.convert("L").getpixel((5, 5))


# "Notes" is at 540,180.
TAP = says(call("click", x=500, y=75), text="I tap Notes.")
LOOK = says(call("take_screenshot", "c0"))
BACK = says(call("go_back", "c2"))
DONE = "two notes"
OVER = (Finish("two notes"),)


def test_the_agent_acts_until_it_calls_no_function():
    replies = [
        TAP,
        says(call("type", text="milk", press_enter=True)),
        says(call("drag_and_drop", start_x=500, start_y=700, end_x=500, end_y=300)),
        says(call("open_app", app_name="Clock")),
        says(call("press_key", key="home"), call("long_press", "c4", x=500, y=75)),
        BACK,
        DONE,
    ]
    episode, _ = work(replies)
    assert did(episode) == [
        (Tap(540, 180),),
        (Type("milk", enter=True),),
        (Swipe(540, 1680, 540, 720),),
        (Open("com.android.deskclock"),),
        (Key("home"), LongPress(540, 180, 2.0)),
        (Key("back"),),
        OVER,
    ]
    assert episode.answer == "two notes"
    assert episode.steps[0].said.startswith("I tap Notes.\n{")


def test_each_call_is_answered_and_the_last_one_with_the_screen():
    both = says(call("click", x=500, y=75), call("wait", "c2"))
    _, model = work([both, DONE])
    first, second = model.requests
    assert shade(first.messages[1]) == 200
    answers = second.messages[3:]
    assert [(each.answers, each.text, len(each.images)) for each in answers] == [
        ("c1", "done", 0),
        ("c2", "done", 1),
    ]
    assert shade(answers[1]) == 100


def test_the_mobile_environment_is_requested_with_what_a_phone_has_besides():
    _, model = work([DONE])
    computer, *functions = model.requests[0].tools
    assert computer.provider == {
        "computerUse": {"environment": "ENVIRONMENT_MOBILE", "enablePromptInjectionDetection": True}
    }
    assert [tool.name for tool in functions] == ["recents", "ask_user", "give_up"]
    assert model.requests[0].extra == {
        "generationConfig": {
            "mediaResolution": "MEDIA_RESOLUTION_HIGH",
            "thinkingConfig": {"thinkingLevel": "MEDIUM"},
        }
    }


def test_the_older_environment_has_functions_of_its_own():
    replies = [
        says(call("click_at", x=500, y=75)),
        says(call("scroll_at", x=500, y=500, direction="down")),
        says(call("type_text_at", x=500, y=75, text="milk")),
        says(call("go_home")),
        says(call("wait_5_seconds")),
        DONE,
    ]
    episode, model = work(replies, options={**BROWSER, "injection_detection": False})
    assert did(episode) == [
        (Tap(540, 180),),
        (Scroll("up", (540, 1200)),),
        (Type("milk", at=(540, 180), clear=True),),
        (Key("home"),),
        (Wait(5.0),),
        OVER,
    ]
    computer, *functions = model.requests[0].tools
    assert computer.provider == {
        "computerUse": {
            "environment": "ENVIRONMENT_BROWSER",
            "excludedPredefinedFunctions": ["go_forward", "hover_at", "navigate", "search"],
        }
    }
    assert [tool.name for tool in functions][:3] == ["go_home", "open_app", "long_press_at"]
    assert not model.requests[0].extra


@pytest.mark.parametrize(
    ("name", "answer"), [("take_screenshot", ""), ("list_apps", "com.android.deskclock")]
)
def test_looking_is_no_step(name, answer):
    episode, model = work([says(call(name)), TAP, DONE])
    assert did(episode) == [(Tap(540, 180),), OVER]
    assert len(episode.steps[0].calls) == 2
    looked = model.requests[1].messages[-1]
    assert (looked.text, shade(looked)) == (answer, 200)


def test_a_look_between_calls_shows_what_the_call_before_it_did():
    batch = says(call("click", x=500, y=75), call("take_screenshot", "c2"), call("go_back", "c3"))
    episode, model = work([batch, DONE])
    assert did(episode) == [(Tap(540, 180),), (Key("back"),), OVER]
    assert [len(each.images) for each in model.requests[1].messages[3:]] == [0, 1, 1]


def test_a_confirmation_is_given_and_recorded():
    episode, model = work([says(call("click", x=500, y=75, safety_decision=CONFIRM)), DONE])
    assert did(episode) == [(Tap(540, 180),), OVER]
    assert "This buys a list." in episode.steps[0].said
    asked = model.requests[1].messages[2].tool_calls[0].arguments["safety_decision"]
    assert asked == CONFIRM
    assert model.requests[1].messages[3].text == "confirmed by the user, and done"


@pytest.mark.parametrize("explained", [CONFIRM, {"decision": "require_confirmation"}])
def test_a_user_who_does_not_confirm_ends_the_task(explained):
    buying = says(call("click", x=500, y=75, safety_decision=explained))
    episode, _ = work([buying], options={"confirm": "no"})
    why = explained.get("explanation", "click")
    assert did(episode) == [(Impossible(f"the user does not confirm: {why}"),)]


@pytest.mark.parametrize(
    "wrong",
    [
        call("fly"),
        call("click", x=2000, y=75),
        call("navigate", url="https://example.com"),
        call("type", text={"a": 1}),
    ],
)
def test_a_call_that_cannot_be_read_is_answered_and_uses_a_step(wrong):
    episode, model = work([says(wrong, call("go_back", "c2")), DONE])
    assert did(episode) == [(), OVER]
    answers = model.requests[1].messages[3:]
    assert [each.is_error for each in answers] == [True, True]
    assert answers[0].text.startswith("not done: ")


@pytest.mark.parametrize("stop", ["length", "malformed"])
def test_a_reply_without_a_readable_call_is_a_step(stop):
    episode, model = work([ScriptedReply("", stop=stop), DONE])
    assert did(episode) == [(), OVER]
    assert "was cut off, or its call was invalid" in model.requests[1].messages[-1].text


def test_a_refusal_gives_up():
    episode, _ = work([ScriptedReply("", stop="refusal")])
    assert did(episode) == [(Impossible("the model refuses"),)]


def test_the_agent_asks_the_user():
    asking = says(call("ask_user", question="Which list?"))
    episode, model = work([asking, DONE], task=Task("Count.", user="The red one."))
    assert episode.steps[0].action == Ask("Which list?")
    assert "The user answers: The red one." in model.requests[1].messages[-1].text


def test_the_three_newest_screenshots_stay():
    _, model = work([says(call("wait", seconds=0))] * 5 + [DONE], phone=notes_phone(size=SMALL))
    assert [len(request.images) for request in model.requests] == [1, 2, 3, 3, 3, 3]


def test_all_screenshots_stay_as_far_as_a_request_may_be_large(monkeypatch):
    _, model = work([DONE], phone=notes_phone(size=SMALL))
    most = 3 * len(model.requests[0].images[0].data) + 9
    monkeypatch.setitem(shipped("gemini_computer_use").start.__globals__, "MOST_BYTES", most)
    wait = says(call("wait", seconds=0))
    _, model = work([wait] * 4 + [DONE], options={"pictures": 0}, phone=notes_phone(size=SMALL))
    assert [len(request.images) for request in model.requests] == [1, 2, 3, 3, 3]


def test_the_agent_speaks_with_geminis_api():
    several = says(call("click", x=500, y=75, safety_decision=CONFIRM), call("go_back", "c2"))
    model = ScriptedModel([LOOK, several, BACK, DONE])
    with model.serve() as served:
        client = Gemini("gemini-3.8-flash", f"{served}/v1beta", "key")
        agent = shipped("gemini_computer_use")
        episode = play(agent, "Count.", phone=notes_phone(), model=client)
        client.close()
    assert did(episode) == [(Tap(540, 180), Key("back")), (Key("back"),), OVER]
    answered = [message for message in model.requests[-1].messages if message.answers]
    assert [message.answers for message in answered] == ["c0", "c1", "c2", "c2"]
    assert '"safety_acknowledgement": "true"' in answered[1].text
    assert [len(message.images) for message in answered] == [1, 0, 1, 1]
