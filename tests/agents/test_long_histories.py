"""Episodes of 60 steps with stand-ins of the three providers, which enforce what they document."""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import json
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from PIL import Image as Pictures

from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.clients.gemini import Gemini
from pytest_mobileagent.llm.clients.openai import OpenAIResponses
from pytest_mobileagent.testing import play
from tests.agents.playing import notes_phone

if TYPE_CHECKING:
    from pytest_mobileagent import Episode
    from pytest_mobileagent.llm.model import Completion, Request

pytestmark = pytest.mark.slow

STEPS = 60
FIXED = "Not executed: an earlier computer action in this turn failed."
Body = dict[str, Any]


def size_of(data: str) -> tuple[int, int]:
    return Pictures.open(io.BytesIO(base64.b64decode(data.partition(",")[2] or data))).size


def digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass
class Anthropic:
    """Its pictures ("Vision"), its results of tools, and thinking that is bound to what precedes.

    Sources: "Vision", "Computer use tool" and "Preserved thinking" in Anthropic's documentation;
    that a result which is an error has only text, from its SDK (`_toolsets/_sanitize.py`, 2.14.0);
    that no text is empty, from its errors.
    """

    asked: int = 0

    def answer(self, body: Body) -> Body:
        self.asked += 1
        messages = body["messages"]
        digests = [digest(each) for each in messages]
        binding = body.get("thinking", {}).get("block_binding", {})
        for at, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            blocks = message["content"]
            is_bound = binding.get("prefix_mismatch_behavior") != "drop_block"
            signed = [each["signature"] for each in blocks if each["type"] == "thinking"]
            assert not is_bound or signed == [digest(*digests[:at])]
            used = [each["id"] for each in blocks if each["type"] == "tool_use"]
            results = messages[at + 1]["content"][: len(used)]
            assert [each.get("tool_use_id") for each in results] == used
            assert {each.get("toolset_name") for each in results} <= {"computer"}
            failed = [each["content"] for each in results if each.get("is_error")]
            assert {part["type"] for content in failed for part in content} <= {"text"}
            assert all(content == [{"type": "text", "text": FIXED}] for content in failed[1:])
        contents = [part for message in messages for part in message["content"]]
        inner = [*contents, *(each for part in contents for each in part.get("content", ()))]
        assert all(part["text"].strip() for part in inner if part["type"] == "text")
        sizes = [size_of(part["source"]["data"]) for part in inner if part["type"] == "image"]
        assert len(sizes) <= 100
        most = 2000 if len(sizes) > 20 else 2576
        for width, height in sizes:
            assert max(width, height) <= most
            assert math.ceil(width / 28) * math.ceil(height / 28) <= 4784
        thought = {"type": "thinking", "thinking": "Hm.", "signature": digest(*digests)}
        content, stop = self.says()
        return {
            "type": "message", "content": [thought, *content], "stop_reason": stop, "usage": {}
        }  # fmt: skip

    def says(self) -> tuple[list[Body], str]:
        if self.asked > STEPS:
            return [{"type": "text", "text": "done"}], "end_turn"
        several: dict[int, list[tuple[str, Body]]] = {
            1: [("left_click", {"coordinate": [9999, 0]}), ("wait", {"duration": 0})],
            2: [("zoom", {"region": [9000, 0, 9999, 9]}), ("fly", {})],
            3: [("wait", {"duration": 0}), ("zoom", {"region": ["0", 0, 500, 500]})],
        }
        uses = several.get(self.asked % 7, [("wait", {"duration": 0})])
        use: Body = {"type": "tool_use", "toolset_name": "computer"}
        calls: list[Body] = [
            {**use, "id": f"t{self.asked}-{name}", "name": name, "input": given}
            for name, given in uses
        ]
        empty: list[Body] = [{"type": "text", "text": ""}]
        cut: dict[int, tuple[list[Body], str]] = {
            4: ([], "max_tokens"),
            5: (empty, "end_turn"),
            6: ([*empty, *calls], "max_tokens"),
        }
        return cut.get(self.asked % 7, (calls, "tool_use"))


@dataclass
class OpenAi:
    """Its answers to computer calls, and the items of reasoning that precede these.

    Source: OpenAI's guides "Computer use", "Reasoning models" and "Images and vision"; that
    something follows reasoning, from its errors.
    """

    asked: int = 0

    def answer(self, body: Body) -> Body:
        self.asked += 1
        items = body["input"]
        assert items[-1].get("type") != "reasoning"
        for before, item in itertools.pairwise(items):
            is_models = item.get("type", "message") in {"computer_call", "message", "function_call"}
            assert before.get("type") != "reasoning" or is_models
        called = [each["call_id"] for each in items if each.get("type") in CALLS]
        outputs = [each for each in items if each.get("type") in CALLS.values()]
        assert sorted(called) == sorted(each["call_id"] for each in outputs)
        for each in outputs:
            if each["type"] == "computer_call_output":
                assert each["output"]["type"] == "computer_screenshot"
                assert each["output"]["detail"] == "original"
        assert len(outputs) <= 1500
        call = {"type": "computer_call", "id": f"i{self.asked}", "call_id": f"c{self.asked}"}
        home = {"type": "function_call", "call_id": f"f{self.asked}", "name": "fly"}
        wait: Body = {**call, "actions": [{"type": "wait"}], "pending_safety_checks": []}
        wrong = {**wait, "actions": [{"type": "wait"}, {"type": "pinch"}]}
        reasoning = {"type": "reasoning", "id": f"r{self.asked}", "summary": []}
        rough: dict[int, list[Body]] = {
            1: [reasoning],
            2: [reasoning, wrong, {**home, "arguments": "{}"}],
            3: [],
            4: [reasoning, {**home, "arguments": '{"a'}],
        }
        output = rough.get(self.asked % 6, [reasoning, wait])
        status = "incomplete" if self.asked % 6 in {1, 4} else "completed"
        if self.asked > STEPS:
            output = [{"type": "message", "content": [{"type": "output_text", "text": "done"}]}]
            status = "completed"
        return {"object": "response", "status": status, "output": output}


CALLS = {"computer_call": "computer_call_output", "function_call": "function_call_output"}


@dataclass
class Google:
    """Its signatures of thoughts, its answers to functions, and the size of its requests.

    Sources: "Thought signatures", "Function calling", "Computer Use" and "Image understanding" in
    the documentation of the Gemini API.
    """

    asked: int = 0
    signed: list[str] = field(default_factory=list)

    def answer(self, body: Body) -> Body:
        self.asked += 1
        contents = body["contents"]
        assert all(each["parts"] for each in contents)
        turns = [at for at, each in enumerate(contents) if each["role"] == "model"]
        signed = [contents[at]["parts"][0].get("thoughtSignature") for at in turns]
        assert signed == self.signed
        for at in turns:
            calls = [each["functionCall"] for each in contents[at]["parts"] if len(each) == 2]
            given = [part["functionResponse"] for part in contents[at + 1]["parts"][: len(calls)]]
            assert [each["name"] for each in given] == [each["name"] for each in calls]
            for call, response in zip(calls, given, strict=True):
                asks = "safety_decision" in call["args"]
                assert ("safety_acknowledgement" in response["response"]) == asks
        assert len(json.dumps(body)) <= 20 * 2**20
        parts, finish = self.says()
        if parts and self.asked <= STEPS:
            self.signed.append(base64.b64encode(b"signature %d" % self.asked).decode())
            parts[0]["thoughtSignature"] = self.signed[-1]
        return {"candidates": [{"content": {"parts": parts}, "finishReason": finish}]}

    def says(self) -> tuple[list[Body], str]:
        if self.asked > STEPS:
            return [{"text": "done"}], "STOP"
        args: Body = {"seconds": 0}
        if self.asked % 7 == 0:
            args["safety_decision"] = {"decision": "require_confirmation"}
        wait = {"functionCall": {"name": "wait", "args": args}}
        fly = {"functionCall": {"name": "fly", "args": args}, "thoughtSignature": None}
        rough: dict[int, tuple[list[Body], str]] = {
            1: ([], "STOP"),
            2: ([], "MALFORMED_FUNCTION_CALL"),
            3: ([{"text": "I thi", "thought": True}], "MAX_TOKENS"),
            4: ([wait, fly, {**fly}], "STOP"),
        }
        return rough.get(self.asked % 6, ([wait], "STOP"))


KINDS: dict[str, tuple[Any, Any, str]] = {
    "anthropic_computer_use": (Anthropic, AnthropicMessages, "claude-opus-5-5"),
    "openai_computer_use": (OpenAi, OpenAIResponses, "gpt-5.6-sol"),
    "gemini_computer_use": (Google, Gemini, "gemini-3.8-flash"),
}


def run(agent: str, options: dict[str, Any], wrapped: Any = lambda client: client) -> Episode:
    """Play an episode with a provider's stand-in, which refuses what it does not document."""
    kind, client_of, model = KINDS[agent]
    provider, client = kind(), client_of(model, "http://127.0.0.1:1/v1", "a-key")

    def answer(request: httpx2.Request) -> httpx2.Response:
        try:
            return httpx2.Response(200, json=provider.answer(json.loads(request.content)))
        except AssertionError as error:
            return httpx2.Response(400, json={"error": {"message": f"refused: {error}"}})

    http = client._http if isinstance(client, Gemini) else client._client._client
    http._transport, http._mounts = httpx2.MockTransport(answer), {}
    shipped = find_agent(agent, (shipped_agents(),)).load()
    try:
        return play(shipped, "Wait.", phone=notes_phone(), model=wrapped(client), step_limit=80,
                    time_limit=300.0, options=options)  # fmt: skip
    finally:
        client.close()


TOOLSET = {"version": "20260801"}


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        ("anthropic_computer_use", {**TOOLSET, "history": "drop"}),
        ("anthropic_computer_use", {**TOOLSET, "pictures": 10, "longest": 0}),
        ("anthropic_computer_use", {**TOOLSET, "longest": 0}),
        ("anthropic_computer_use", {**TOOLSET, "history": "append", "longest": 0}),
        ("openai_computer_use", {}),
        ("openai_computer_use", {"pictures": 2}),
        ("gemini_computer_use", {"pictures": 0}),
    ],
)
def test_an_episode_of_60_steps_stays_within_the_limits(agent, options):
    episode = run(agent, options)
    assert (episode.answer, len(episode.steps)) == ("done", STEPS + 1)


class Forgetful:
    """A client that does not send back what only the provider understands."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def ask(self, request: Request) -> Completion:
        messages = tuple(replace(each, raw=None) for each in request.messages)
        answer: Completion = self._client.ask(replace(request, messages=messages))
        return answer


@pytest.mark.parametrize(
    ("agent", "options", "wrapped"),
    [
        ("anthropic_computer_use", {**TOOLSET, "history": "prune"}, lambda client: client),
        ("gemini_computer_use", {}, Forgetful),
    ],
)
def test_a_history_that_breaks_what_the_provider_signed_is_refused(agent, options, wrapped):
    episode = run(agent, options, wrapped)
    assert episode.termination == "agent error"
    assert "refused" in episode.error
