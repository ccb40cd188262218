"""Recorded models, asked through real SDKs and their base URLs."""

from __future__ import annotations

import base64
import io
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import openai
import pytest
from PIL import Image as pillow

from pytest_mobileagent.llm.budget import Budget, Limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.program.port import HOST, RoutePort
from pytest_mobileagent.testing import ScriptedReply, ToolCall, When

from .conftest import ASKED, PRICES, REPLY, chat, complete, post

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import Request


def png() -> bytes:
    content = io.BytesIO()
    pillow.new("RGB", (8, 8)).save(content, "PNG")
    return content.getvalue()


PNG = png()


def test_chat_is_recorded(make, provider):
    provider(REPLY)
    recorder = make()
    reply = complete(recorder, temperature=0)
    assert reply.choices[0].message.content == "Tap it."
    (line,) = recorder.lines
    assert line["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert line["reply"] == {"text": "Tap it.", "stop": "end", "tool_calls": []}
    call = line["call"]
    assert (call["model"], call["role"], call["line"]) == ("openai:own", "actor", 1)
    assert (call["input_tokens"], call["output_tokens"], call["cached_tokens"]) == (100, 10, 4)
    assert call["price_usd"] == pytest.approx(0.2)
    assert recorder.watcher.told == ["begins", "ended: Tap it."]
    assert recorder.watcher.lines == [1]


def test_streamed_chat_is_recorded(make, provider):
    provider(REPLY)
    recorder = make()
    chunks = complete(recorder, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Tap it."
    (line,) = recorder.lines
    assert line["settings"]["include_usage"] == "added"
    assert line["call"]["input_tokens"] == 100
    assert line["call"]["seconds_to_first"] > 0


def test_anthropic_messages_are_recorded(make, provider):
    import anthropic

    tool = ScriptedReply("Hm.", [ToolCall("t1", "tap", {"x": 1})], input_tokens=9, output_tokens=2)
    provider(tool, REPLY)
    recorder = make()
    with anthropic.Anthropic(
        api_key="sk-ant-program", base_url=recorder.models.anthropic_base_url
    ) as client:
        reply = client.messages.create(
            model="claude-opus-4-5", max_tokens=9, messages=[{"role": "user", "content": "Go"}]
        )
        with client.messages.stream(
            model="claude-opus-4-5", max_tokens=9, messages=[{"role": "user", "content": "On"}]
        ) as stream:
            assert stream.get_final_text() == "Tap it."
    assert reply.stop_reason == "tool_use"
    first, second = recorder.lines
    assert first["reply"]["tool_calls"][0]["arguments"] == {"x": 1}
    assert first["call"]["model"] == "anthropic:claude-opus-4-5"
    assert first["call"]["price_usd"] == pytest.approx((9 * 5 + 2 * 25) / 1e6)
    assert second["call"]["input_tokens"] == 100
    assert second["call"]["cached_tokens"] == 4


def test_tools_and_pictures_of_a_response_are_recorded(make, provider):
    call = ScriptedReply("", [ToolCall("c1", "tap", {"x": 1})], input_tokens=70, output_tokens=7)
    provider(call, REPLY)
    recorder = make(roles={"gpt-5*": "planner"})
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    seen = {"type": "input_image", "image_url": url, "detail": "auto"}
    asked = {"role": "user", "content": [{"type": "input_text", "text": "Look:"}, seen]}
    tool = {"type": "function", "name": "tap", "parameters": {}, "strict": False}
    with chat(recorder) as client:
        client.responses.create(model="gpt-5", input=[asked], tools=[tool])  # type: ignore[list-item]
        events = list(client.responses.create(model="gpt-5", input="And now?", stream=True))
    assert events[-1].type == "response.completed"
    first, second = recorder.lines
    assert first["prompt"][0]["content"][0] == "Look:"
    picture = first["prompt"][0]["content"][1]["picture"]
    assert (recorder.pictures / picture).read_bytes() == PNG
    assert first["settings"]["tools"][0]["name"] == "tap"
    assert first["reply"]["tool_calls"][0]["name"] == "tap"
    assert (first["call"]["images"], first["call"]["role"]) == (1, "planner")
    assert recorder.watcher.told[1] == 'ended: tap({"x":1})'
    assert second["reply"]["text"] == "Tap it."
    assert second["call"]["input_tokens"] == 100
    assert second["call"]["seconds_to_first"] > 0


@pytest.mark.parametrize("end", ["generateContent", "streamGenerateContent", "…?alt=sse"])
def test_gemini_is_recorded(make, provider, end):
    provider(REPLY)
    recorder = make()
    path = end.replace("…", "streamGenerateContent")
    url = f"{recorder.environment['GOOGLE_GEMINI_BASE_URL']}/v1beta/models/gemini-2.5-pro:{path}"
    body = {"contents": [{"role": "user", "parts": [{"text": "What now?"}]}]}
    post(url, body)
    (line,) = recorder.lines
    assert line["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert line["reply"]["text"] == "Tap it."
    assert line["call"]["model"] == "gemini:gemini-2.5-pro"
    assert (line["call"]["input_tokens"], line["call"]["output_tokens"]) == (100, 10)
    assert line["call"]["price_usd"] > 0


def test_unreported_usage_is_estimated(make, provider):
    provider("Tap it.")
    recorder = make(include_usage=False)
    complete(recorder, stream=True)
    (line,) = recorder.lines
    assert line["call"]["estimated"]
    assert (line["call"]["input_tokens"], line["call"]["output_tokens"]) == (3, 2)
    assert "include_usage" not in line["settings"]


def test_keys_are_not_recorded(make, provider):
    key = "sk-program-0123456789abcdef"
    provider(f"Your key is {key}.")
    recorder = make()
    said = [{"role": "user", "content": f"My key is {key}."}]
    complete(recorder, api_key=key, messages=said)
    assert key not in (recorder.folder / "calls.jsonl").read_text()
    assert recorder.lines[0]["reply"]["text"] == "Your key is …."


def test_other_requests_pass_unrecorded(make, provider):
    provider(REPLY)
    recorder = make()
    with chat(recorder) as client:
        assert [model.id for model in client.models.list()] == ["scripted"]
    assert recorder.lines == []
    assert recorder.watcher.told == []


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/chat/completions"])
def test_host_and_port_are_enough_without_a_token(make, provider, path):
    provider(REPLY)
    recorder = make()
    port = RoutePort(recorder.models, "openai")
    recorder.run(port.start())
    url, asked = f"http://{HOST}:{port.number}{path}", {"model": "own", "messages": ASKED}
    assert b"Tap it." in post(url, asked)
    recorder.run(port.close())
    with pytest.raises(urllib.error.URLError, match="refused"):
        post(url, asked)
    assert [line["call"]["input_tokens"] for line in recorder.lines] == [100]


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Host": "["}]
)
def test_port_without_a_token_is_not_for_web_pages(make, provider, headers):
    provider(REPLY)
    recorder = make()
    port = RoutePort(recorder.models, "openai")
    recorder.run(port.start())
    url = f"http://{HOST}:{port.number}/v1/chat/completions"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(url, b"{}", headers), timeout=10)
    refused.value.close()
    recorder.run(port.close())
    assert refused.value.code == 403
    assert recorder.lines == []


def test_port_without_a_token_ends_with_the_budget(make, provider):
    provider(REPLY, REPLY)
    recorder = make(EpisodeModels(prices=PRICES, budget=Budget(tokens=Limit(task=100))))
    port = RoutePort(recorder.models, "openai")
    recorder.run(port.start())
    url = f"http://{HOST}:{port.number}/v1/chat/completions"
    post(url, {"model": "own", "messages": ASKED})
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(url, {"model": "own", "messages": ASKED})
    refused.value.close()
    recorder.run(port.close())
    assert refused.value.code == 429
    assert len(recorder.over) == 1


def test_concurrent_calls_are_distinguished(make, provider):
    both = threading.Barrier(2, timeout=10)

    def answer(request: Request) -> str:
        both.wait()
        return f"to {request.text}"

    provider(When("one", answer), When("two", answer))
    recorder = make()
    with chat(recorder) as client, ThreadPoolExecutor(2) as pool:

        def ask(word: str) -> str | None:
            asked: Any = [{"role": "user", "content": word}]
            reply = client.chat.completions.create(model="own", messages=asked)
            return reply.choices[0].message.content

        assert list(pool.map(ask, ["one", "two"])) == ["to one", "to two"]
    said = {line["prompt"][0]["content"][0]: line["reply"]["text"] for line in recorder.lines}
    assert said == {"one": "to one", "two": "to two"}
    assert sorted(line["call"]["line"] for line in recorder.lines) == [1, 2]


def test_script_answers_for_every_provider(make, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    script = tmp_path / "replies.jsonl"
    script.write_text('"one"\n"two"\n')
    model = parse_reference(f"scripted:{script}")
    recorder = make(model=model, roles={"gpt-5*": "planner"})
    said = []
    with openai.OpenAI(
        api_key=recorder.environment["OPENAI_API_KEY"], base_url=recorder.models.openai_base_url
    ) as client:
        said.append(client.responses.create(model="gpt-5", input="Hi").output_text)
        done = client.chat.completions.create(model="gpt-4o", messages=ASKED)
        said.append(done.choices[0].message.content or "")
    assert said == ["one", "two"]
    # The program gets neither the script's server nor its key, and no record contains the key.
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "calls.jsonl" for path in files)
    assert not [path for path in files if b"sk-scripted-" in path.read_bytes()]
    assert not [name for name, text in recorder.environment.items() if "sk-scripted-" in text]
    assert {line["call"]["price_usd"] for line in recorder.lines} == {0.0}
    assert [line["call"]["role"] for line in recorder.lines] == ["planner", "actor"]
