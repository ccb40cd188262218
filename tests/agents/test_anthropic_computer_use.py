from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from pytest_mobileagent.action import Finish, Impossible, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Scroll, Tap
from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.model import Message, ToolCall
from pytest_mobileagent.llm.scripted import ScriptedModel
from pytest_mobileagent.llm.scripted.entries import ScriptedReply
from pytest_mobileagent.testing import play
from tests.agents.playing import did, notes_phone, player, shipped

if TYPE_CHECKING:
    from pytest_mobileagent import Episode

# The size of the picture of a 1080x2400 screen.
SIZE = (705, 1568)


def use(action: str, id: str = "t1", **more: Any) -> ToolCall:
    return ToolCall(id, "computer", {"action": action, **more})


def says(*calls: ToolCall, text: str = "") -> ScriptedReply:
    return ScriptedReply(text, calls)


TAP = says(use("left_click", coordinate=[352, 118]), text="I tap Notes.")
LOOK = says(use("screenshot", "t0"))
BACK = says(ToolCall("t2", "back", {}))
DONE = "two notes"


OLDER = {"version": "20251124"}
TOOLSET = {"version": "20260801"}


def member(name: str, id: str = "t1", **given: Any) -> ToolCall:
    return ToolCall(id, name, given, "computer")


def work(replies: list[Any], **given: Any) -> tuple[Episode, ScriptedModel]:
    return player("anthropic_computer_use")(replies, **{"options": OLDER, **given})


def shade(message: Message) -> Any:
    picture = Image.open(io.BytesIO(message.images[-1].data))
    assert picture.size == SIZE
    return picture.convert("L").getpixel((5, 5))


def test_the_agent_acts_until_it_uses_no_tool():
    typing = says(use("type", text="milk\n"))
    scroll = says(use("scroll", coordinate=[352, 784], scroll_direction="down", scroll_amount=5))
    opening = says(ToolCall("t3", "open_app", {"name": "Clock"}))
    several = says(use("key", text="Return"), use("right_click", "t4", coordinate=[352, 784]))
    episode, _ = work([TAP, typing, scroll, opening, several, BACK, DONE])
    assert did(episode) == [
        (Tap(539, 180),),
        (Type("milk", enter=True),),
        (Scroll("up", (539, 1200)),),
        (Open("com.android.deskclock"),),
        (Key("enter"), LongPress(539, 1200)),
        (Key("back"),),
        (Finish("two notes"),),
    ]
    assert episode.answer == "two notes"


def test_each_use_is_answered_and_the_last_one_with_the_screen():
    both = says(use("left_click", coordinate=[352, 118]), use("wait", "t2", duration=1))
    _, model = work([both, DONE])
    first, second = model.requests
    assert [message.role for message in first.messages] == ["system", "user"]
    assert shade(first.messages[1]) == 200
    assert [message.role for message in second.messages[2:]] == ["assistant", "tool", "tool"]
    assert [message.answers for message in second.messages[3:]] == ["t1", "t2"]
    assert not second.messages[3].images
    assert shade(second.messages[4]) == 100


def test_the_agent_declares_the_size_of_the_picture():
    _, model = work([DONE])
    computer, *functions = model.requests[0].tools
    assert computer.provider == {
        "type": "computer_20251124",
        "name": "computer",
        "display_width_px": 705,
        "display_height_px": 1568,
    }
    assert [tool.name for tool in functions][:2] == ["back", "home"]


def test_the_older_tool_clicks_where_the_mouse_was_moved_to():
    move = says(use("mouse_move", coordinate=[352, 118]))
    episode, _ = work([move, says(use("left_click")), DONE], options={"version": "20241022"})
    assert did(episode) == [(Tap(539, 180),), (Finish("two notes"),)]
    assert len(episode.steps[0].calls) == 2


def test_an_action_that_phones_lack_is_reported_and_uses_a_step():
    episode, model = work([says(use("triple_click", coordinate=[1, 1])), DONE])
    assert did(episode) == [(), (Finish("two notes"),)]
    assert "a touchscreen has no triple click" in model.requests[1].messages[-1].text


def test_the_three_newest_screenshots_stay():
    wait = says(use("wait", duration=0))
    _, model = work([wait] * 5 + [DONE], phone=notes_phone(size=(108, 240)))
    assert [len(request.images) for request in model.requests] == [1, 2, 3, 3, 3, 3]


def test_the_agent_speaks_with_the_messages_api():
    several = says(use("left_click", coordinate=[352, 118]), use("key", "t2", text="Return"))
    model = ScriptedModel([LOOK, several, BACK, DONE])
    with model.serve() as served:
        client = AnthropicMessages("claude-opus-4-7", served, "key")
        agent, phone = shipped("anthropic_computer_use"), notes_phone()
        episode = play(agent, "Count the notes.", phone=phone, model=client, options=OLDER)
        client.close()
    assert did(episode) == [(Tap(539, 180), Key("enter")), (Key("back"),), (Finish("two notes"),)]
    answered = [message.answers for message in model.requests[-1].messages if message.answers]
    assert answered == ["t0", "t1", "t2", "t2"]


def zoomed(message: Message) -> tuple[tuple[int, int], Any]:
    picture = Image.open(io.BytesIO(message.images[0].data))
    return picture.size, picture.convert("L").getpixel((5, 5))


def test_the_toolset_is_one_entry_without_a_size():
    _, model = work([DONE], options=TOOLSET)
    assert model.requests[0].tools[0].provider == {"type": "computer_toolset_20260801"}
    assert model.requests[0].max_tokens == 16_384


def test_members_of_a_batch_are_performed_in_order():
    batch = says(
        member("left_click", coordinate=[352, 118]),
        member("key", "t2", text="Return", repeat=2),
        ToolCall("t3", "back", {}),
    )
    episode, model = work([batch, DONE], options=TOOLSET)
    assert episode.steps[0].actions == (Tap(539, 180), Key("enter"), Key("enter"), Key("back"))
    answers = model.requests[1].messages[3:]
    assert [(each.answers, each.text, len(each.images)) for each in answers] == [
        ("t1", "done", 0), ("t2", "done", 0), ("t3", "done", 1)
    ]  # fmt: skip


@pytest.mark.parametrize("first", [{"name": "fly"}, {"name": "wait", "duration": 1000}])
def test_a_batch_stops_at_the_first_failure(first):
    batch = says(member(**first), member("type", "t2", text="milk"), member("screenshot", "t3"))
    episode, model = work([batch, DONE], options=TOOLSET)
    assert Type("milk") not in [each for step in episode.steps for each in step.actions[:1]]
    answers = model.requests[1].messages[3:]
    assert [each.is_error for each in answers] == [True, True, True]
    fixed = "Not executed: an earlier computer action in this turn failed."
    assert [each.text for each in answers[1:]] == [fixed, fixed]
    assert [len(each.images) for each in answers] == [0, 0, 1]


def test_the_action_that_failed_is_told_apart_from_those_before_it():
    batch = says(
        member("left_click", coordinate=[352, 118]),
        member("wait", "t2", duration=1000),
        member("type", "t3", text="milk"),
    )
    episode, model = work([batch, DONE], options=TOOLSET)
    assert episode.steps[0].notice
    answers = model.requests[1].messages[3:]
    assert [each.is_error for each in answers] == [False, True, True]
    assert "That could not be done" in answers[1].text


def test_a_zoom_is_answered_without_a_step():
    look = says(member("zoom", region=[0, 0, 200, 300]), member("cursor_position", "t2"))
    episode, model = work([look, DONE], options=TOOLSET)
    assert did(episode) == [(Finish("two notes"),)]
    zoom, cursor = model.requests[1].messages[3:]
    assert zoomed(zoom) == ((1045, 1568), 200)
    assert (cursor.text, len(cursor.images)) == ("X=0,Y=0", 1)


def test_a_look_within_a_batch_shows_what_the_calls_before_it_did():
    batch = says(
        member("screenshot", "t0"),
        member("left_click", coordinate=[352, 118]),
        member("screenshot", "t2"),
        ToolCall("t3", "back", {}),
    )
    episode, model = work([batch, DONE], options=TOOLSET)
    assert did(episode) == [(Tap(539, 180),), (Key("back"),), (Finish("two notes"),)]
    before, click, after, back = model.requests[1].messages[3:]
    assert [shade(each) for each in (before, after, back)] == [200, 100, 200]
    assert (click.text, click.images) == ("done", ())


def test_a_strange_region_shows_what_lies_within_the_screen():
    regions = [None, [-5, -5, 9000, 9000], ["0", "0", "200", "300"]]
    looks = (member("zoom", f"t{at}", region=region) for at, region in enumerate(regions))
    _, model = work([says(*looks), DONE], options=TOOLSET)
    zooms = [zoomed(each)[0] for each in model.requests[1].messages[3:]]
    assert [max(size) for size in zooms] == [1568] * 3


@pytest.mark.parametrize("region", [[1, 2], "all", [1e999] * 4, [900, 900, 0, 0], [800, 0, 900, 9]])
def test_a_zoom_without_a_region_of_the_screen_is_an_error(region):
    _, model = work([says(member("zoom", region=region)), DONE], options=TOOLSET)
    assert model.requests[1].messages[3].is_error


@pytest.mark.parametrize(
    ("model", "longest", "size"),
    [
        ("claude-sonnet-4-5", 1568, (705, 1568)),
        ("claude-sonnet-4-5", 9999, (705, 1568)),
        ("claude-opus-5-5", 1568, (705, 1568)),
        ("claude-opus-5-5", 9999, (1080, 2400)),
    ],
)
def test_pictures_stay_within_the_limits_of_the_model(model, longest, size):
    kind = shipped("anthropic_computer_use")
    agent = kind()
    agent.options = kind.Options()
    agent.options.longest, agent.history = longest, "drop"
    agent.limits = kind.start.__globals__["limits_of"](model)
    assert agent.size((1080, 2400)) == size


def test_an_enlarged_region_stays_within_the_limits_as_well():
    look = says(member("zoom", region=[0, 0, 1080, 1080]))
    _, model = work([look, DONE], options={**TOOLSET, "longest": 0})
    width, height = zoomed(model.requests[1].messages[3])[0]
    assert -(-width // 28) * -(-height // 28) <= 4784


def test_the_last_call_of_a_reply_that_is_cut_off_is_not_performed():
    cut = says(member("wait", duration=0), member("type", "t2", text="mil"))
    episode, model = work([replace(cut, stop="length"), DONE], options=TOOLSET)
    assert did(episode) == [(Wait(0),), (Finish("two notes"),)]
    assert model.requests[1].messages[4].text == "not done: the reply was cut off"


def test_the_calls_of_a_refusal_are_not_performed():
    refused = replace(says(member("wait", duration=0)), stop="refusal")
    episode, _ = work([refused], options=TOOLSET)
    assert episode.steps[0].actions == (Impossible("the model refuses"),)
    options = {**TOOLSET, "on_error": "no action"}
    _, model = work([refused, DONE], options=options)
    assert not any(each.tool_calls for each in model.requests[1].messages)


def test_an_empty_reply_is_a_step_without_an_action():
    episode, model = work([" ", DONE], options=TOOLSET)
    assert did(episode) == [(), (Finish("two notes"),)]
    assert "was empty" in model.requests[1].messages[-1].text


def test_bound_thinking_is_dropped_when_old_screenshots_are():
    wait = says(member("wait", duration=0))
    small = notes_phone(size=(108, 240))
    options = {**TOOLSET, "history": "drop"}
    _, model = work([wait] * 24 + [DONE], options=options, phone=small, step_limit=40)
    kept = [len(request.images) for request in model.requests]
    assert max(kept) == 18
    assert kept[18:20] == [3, 4]
    binding = {"prefix_mismatch_behavior": "drop_block"}
    assert model.requests[0].extra == {
        "thinking": {"type": "adaptive", "block_binding": binding},
        "betas": ["thinking-binding-controls-2026-08-01"],
    }


@pytest.mark.parametrize(
    ("history", "fields"), [("append", set()), ("edit", {"context_management", "betas"})]
)
def test_a_history_that_is_only_appended_to(history, fields):
    wait = says(member("wait", duration=0))
    given = {**TOOLSET, "history": history}
    small = notes_phone(size=(108, 240))
    _, model = work([wait] * 22 + [DONE], options=given, phone=small, step_limit=40)
    assert set(model.requests[0].extra) == fields
    first, *later = [request.messages for request in model.requests]
    for before, after in zip([first, *later], later, strict=False):
        assert after[: len(before)] == before
    assert len(model.requests[-1].images) == 23


def test_the_toolset_in_the_messages_api():
    batch = says(member("left_click", coordinate=[352, 118]), member("fly", "t2"))
    model = ScriptedModel([batch, BACK, DONE])
    with model.serve() as served:
        client = AnthropicMessages("claude-opus-5-5", served, "key")
        agent, phone = shipped("anthropic_computer_use"), notes_phone()
        play(agent, "Count the notes.", phone=phone, model=client, options=TOOLSET)
        client.close()
    said = model.requests[1].messages[2]
    assert [call.kind for call in said.tool_calls] == ["computer", "computer"]
    click, fly, beside = model.requests[1].messages[3:]
    assert [each.is_error for each in (click, fly)] == [False, True]
    assert [len(each.images) for each in (fly, beside)] == [0, 1]
