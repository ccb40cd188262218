"""The Responses API: computer use, returned reasoning items, and why a response ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_mobileagent.llm.clients.openai import OpenAIResponses
from pytest_mobileagent.llm.model import (
    Image,
    Message,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
    Tool,
    ToolCall,
)
from pytest_mobileagent.testing import ScriptedModel, ScriptedReply

from .conftest import Answering

PNG = Image(b"\x89PNG picture")
URL = "data:image/png;base64,iVBORyBwaWN0dXJl"
ACTION = {"type": "click", "button": "left", "x": 1, "y": 2}
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "Look out."}
PREVIEW = Tool("computer", provider={"type": "computer_use_preview", "display_width": 1080})
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "…"}
COMPUTER = {
    "type": "computer_call",
    "id": "cu_1",
    "call_id": "c1",
    "status": "completed",
    "action": ACTION,
    "pending_safety_checks": [CHECK],
}
GOAL = Message("user", ("Buy eggs.", PNG))


def response(*output: Any, **more: Any) -> dict[str, Any]:
    return {"status": "completed", "error": None, "model": "m-1", "output": list(output), **more}


def words(text: str, kind: str = "output_text") -> dict[str, Any]:
    part = {"type": kind, ("refusal" if kind == "refusal" else "text"): text}
    return {"type": "message", "role": "assistant", "content": [part]}


def client(*answers: Any) -> tuple[OpenAIResponses, Answering]:
    made = OpenAIResponses("m", "http://127.0.0.1:1/v1", "sk-key")
    return made, Answering(made, list(answers))


@pytest.mark.parametrize(
    ("tool", "more"),
    [(PREVIEW, {}), (Tool("computer", provider={"type": "computer"}), {"detail": "original"})],
)
def test_computer_use_continues_over_several_turns(tool, more):
    made, heard = client(response(REASONING, COMPUTER), response(words("Bought.")))
    answer = made.ask(Request((GOAL,), tools=(tool,)))
    [call] = answer.tool_calls
    asked = {**ACTION, "pending_safety_checks": [CHECK]}  # so that it is recorded
    assert (call, answer.stop) == (ToolCall("c1", "computer", asked, "computer_call"), "tools")
    said = Message("assistant", (), answer.tool_calls, raw=answer.raw)
    shown = Message("tool", (PNG,), (), "c1")
    assert made.ask(Request((GOAL, said, shown), tools=(tool,))).text == "Bought."
    first, second = heard.bodies
    assert first["tools"] == [tool.provider]
    assert first.get("truncation") == (None if more else "auto")
    assert first["input"][0]["content"][1]["image_url"] == URL
    assert second["input"][1:] == [
        REASONING,
        COMPUTER,
        {
            "type": "computer_call_output",
            "call_id": "c1",
            "output": {"type": "computer_screenshot", "image_url": URL, **more},
            "acknowledged_safety_checks": [CHECK],
        },
    ]


def test_several_computer_actions_are_one_call():
    made, _ = client(response({**COMPUTER, "action": None, "actions": [ACTION, ACTION]}))
    [call] = made.ask(
        Request((GOAL,), tools=(Tool("c", provider={"type": "computer"}),))
    ).tool_calls
    asked = {"pending_safety_checks": [CHECK]}
    assert call.arguments == {"actions": [ACTION, ACTION], **asked}


@pytest.mark.parametrize(
    "arguments",
    [ACTION, {"actions": [ACTION]}, {"actions": [ACTION], "pending_safety_checks": [CHECK]}],
)
def test_conversation_without_raw_items_is_reconstructed(arguments):
    model = ScriptedModel(["so"])
    call = ToolCall("c1", "computer", arguments, "computer_call")
    said = Message("assistant", ("I click.",), (call,))
    with model.serve() as url:
        made = OpenAIResponses("m", f"{url}/v1")
        made.ask(Request((GOAL, said, Message("tool", (PNG,), (), "c1"))))
        made.close()
    shown = Message("tool", (replace(PNG, detail="original"),), (), "c1")
    assert model.requests[0].messages[1:] == (said, shown)


def test_raw_data_of_another_provider_is_left_out():
    made, heard = client(response(words("so")))
    made.ask(Request((GOAL, Message("assistant", ("I look.",), raw={"anthropic_messages": [{}]}))))
    assert heard.bodies[0]["input"][1] == {
        "role": "assistant",
        "content": "I look.",
    }


def test_settings_use_the_names_of_the_responses_api():
    made, heard = client(response(words("so END of it")))
    tool = Tool("tap", "Taps.", {"type": "object"})
    settings = Request((GOAL,), 9, 0.5, 0.9, 7, ("END",), (tool,), extra={"store": False})
    assert made.ask(settings).text == "so "
    body = heard.bodies[0]
    del body["input"]
    function = {"name": "tap", "description": "Taps.", "parameters": {"type": "object"}}
    assert body == {
        "model": "m",
        "max_output_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "tools": [{"type": "function", **function, "strict": False}],
        "store": False,
    }


def test_reasoning_items_are_returned_unchanged():
    model = ScriptedModel([ScriptedReply("", [ToolCall("c1", "tap", {})]), "so"])
    with model.serve() as url:
        made = OpenAIResponses("m", f"{url}/v1")
        extra = {"reasoning": {"effort": "low"}}
        answer = made.ask(Request((GOAL,), stream=True, extra=extra))
        said = Message("assistant", (), answer.tool_calls, raw=answer.raw)
        made.ask(Request((GOAL, said, Message("tool", ("ok",), (), "c1")), extra=extra))
        made.close()
    kinds = [item["type"] for item in answer.raw["openai_responses"]]
    assert kinds == ["reasoning", "function_call"]
    assert model.requests[1].messages[1].tool_calls == answer.tool_calls


def test_reasoning_that_nothing_follows_is_not_sent_back():
    made, heard = client(response(REASONING, status="incomplete"), response(words("so")))
    cut = made.ask(Request((GOAL,)))
    said = Message("assistant", (), raw=cut.raw)
    made.ask(Request((GOAL, said, Message("user", ("Go on.",)))))
    assert [item.get("type") for item in heard.bodies[1]["input"]] == [None, None]


@pytest.mark.parametrize(
    ("answer", "text", "stop"),
    [
        (response(words("I cannot", "refusal")), "I cannot", "refusal"),
        (
            response(
                words("ha"), status="incomplete", incomplete_details={"reason": "content_filter"}
            ),
            "ha",
            "refusal",
        ),
        (response(words("ha"), status="incomplete"), "ha", "length"),
        (response(words("a"), words("b")), "ab", "end"),
        (response(), "", "end"),
    ],
)
def test_the_reason_why_a_response_ended_is_returned(answer, text, stop):
    made, _ = client(answer)
    said = made.ask(Request((GOAL,)))
    assert (said.text, said.stop, said.model) == (text, stop, "m-1")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("server_error", ProviderBusyError),
        ("rate_limit_exceeded", ProviderBusyError),
        ("insufficient_quota", ProviderError),
        ("invalid_prompt", RequestRefusedError),
    ],
)
def test_failed_response_is_an_error(code, error, stream):
    failed = response(status="failed", error={"code": code, "message": "No."})
    event: Any = failed
    if stream:
        text = f'{{"code": "{code}", "message": "No."}}'
        event = (
            f'event: response.failed\ndata: {{"type": "response.failed", "response": '
            f'{{"status": "failed", "error": {text}}}}}\n\n'
        )
    made, _ = client(event)
    with pytest.raises((ProviderError, RequestRefusedError), match=r"No\.") as caught:
        made.ask(Request((GOAL,), stream=stream))
    assert type(caught.value) is error


def test_unfinished_response_is_truncated():
    made, _ = client(response(status="in_progress"))
    with pytest.raises(ProviderBusyError, match="ended before the reply was complete"):
        made.ask(Request((GOAL,)))
