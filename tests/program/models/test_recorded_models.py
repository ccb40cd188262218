"""Recorded models, asked by real SDKs over their base URLs."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import anthropic
import openai
import pytest
from PIL import Image as pillow

from pytest_mobileagent.llm.budget import Budget, Limit
from pytest_mobileagent.llm.models import ModelSettings
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply, ToolCall, When
from tests.refusals import refused

from .conftest import PRICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_mobileagent.llm.model import Request

    from .conftest import Recorder

REPLY = ScriptedReply("Tap it.", input_tokens=100, output_tokens=10, cached_tokens=4)
ASKED: Any = [{"role": "user", "content": "What now?"}]


def png() -> bytes:
    content = io.BytesIO()
    pillow.new("RGB", (8, 8)).save(content, "PNG")
    return content.getvalue()


PNG = png()


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Serves a scripted model in the place of all providers."""
    served = contextlib.ExitStack()

    def provider(*replies: object) -> str:
        url = served.enter_context(ScriptedModel(replies).serve())  # type: ignore[arg-type]
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
        return url

    with served:
        yield provider


def post(url: str, body: Any) -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=20) as response:
        content: bytes = response.read()
        return content


def chat(recorder: Recorder, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(api_key="sk-program", base_url=recorder.models.openai_base_url, **options)


def test_a_chat_is_recorded(make: Callable[..., Recorder], provider: Callable[..., str]) -> None:
    provider(REPLY)
    recorder = make()
    with chat(recorder) as client:
        reply = client.chat.completions.create(
            model="own", messages=[{"role": "user", "content": "What now?"}], temperature=0
        )
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


def test_a_streamed_chat_is_recorded(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(REPLY)
    recorder = make()
    with chat(recorder) as client:
        stream = client.chat.completions.create(
            model="own", messages=[{"role": "user", "content": "What now?"}], stream=True
        )
        chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Tap it."
    (line,) = recorder.lines
    assert line["settings"]["include_usage"] == "added"
    assert line["call"]["input_tokens"] == 100
    assert line["call"]["seconds_to_first"] > 0


def test_anthropics_messages_are_recorded(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
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


def test_tools_and_pictures_of_a_response_are_recorded(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
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
def test_gemini_is_recorded(
    make: Callable[..., Recorder], provider: Callable[..., str], end: str
) -> None:
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


def test_what_is_repeated_after_a_failure_is_one_call(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(Fault(429), Fault("drop"), Fault(500), REPLY, REPLY)
    recorder = make()
    with chat(recorder, max_retries=0) as client:
        for _ in range(2):
            with pytest.raises(openai.APIStatusError):
                client.chat.completions.create(model="own", messages=ASKED)
    with chat(recorder, max_retries=1) as client:
        for _ in range(2):
            client.chat.completions.create(model="own", messages=ASKED)
    *failed, repeated, other = recorder.lines
    assert [line["call"] for line in failed] == [None] * 3
    assert "too many requests" in failed[0]["error"]
    assert failed[0]["busy_since"] == failed[2]["busy_since"]
    assert (repeated["call"]["retries"], other["call"]["retries"]) == (3, 0)
    assert repeated["call"]["waited"] > repeated["call"]["seconds"]


def test_a_refused_request_is_recorded_and_is_no_call(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(Fault(400))
    recorder = make()
    with chat(recorder) as client, pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="own", messages=ASKED)
    (line,) = recorder.lines
    assert line["call"] is None
    assert "busy_since" not in line
    assert line["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert recorder.watcher.told == ["begins", "ended: "]


def test_an_outage_is_known_until_a_provider_answers(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(Fault(500), Fault("drop"), REPLY, Fault(401), Fault(400))
    recorder = make()
    seen = []
    with chat(recorder, max_retries=0) as client:
        for _ in range(5):
            with contextlib.suppress(openai.OpenAIError):
                client.chat.completions.create(model="own", messages=ASKED)
            seen.append(recorder.models.outage)
    assert [outage is not None for outage in seen] == [True, True, False, True, False]
    first, second, other = filter(None, seen)
    assert first.why == "openai:own: HTTP 500"
    assert first.since == second.since < other.since


def test_a_stream_cut_by_the_provider_is_kept_as_failed(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(Fault("cut", after=3))
    recorder = make()
    with chat(recorder) as client, pytest.raises(openai.APIConnectionError):
        list(client.chat.completions.create(model="own", messages=ASKED, stream=True))
    (line,) = recorder.lines
    assert line["call"] is None
    assert "broke off" in line["error"]
    assert line["reply"]["text"] == "This reply "


def test_a_budget_that_is_spent_ends_the_asking(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(REPLY)
    settings = ModelSettings(prices=PRICES, budget=Budget(tokens=Limit(task=100)))
    recorder = make(settings)
    with chat(recorder) as client:
        client.chat.completions.create(model="own", messages=ASKED)
        with pytest.raises(openai.RateLimitError, match="--mobile-max-tokens"):
            client.chat.completions.create(model="own", messages=ASKED)
    assert len(recorder.lines) == 1
    assert len(recorder.over) == 1  # the SDK did not ask again


def test_a_model_without_a_price_is_not_asked_within_a_budget_of_dollars(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(REPLY)
    recorder = make(ModelSettings(prices=PRICES, budget=Budget(cost=Limit(task=1.0))))
    with chat(recorder) as client:
        client.chat.completions.create(model="own", messages=ASKED)
        with pytest.raises(openai.RateLimitError, match="no price is known"):
            client.chat.completions.create(model="our-tuned-one", messages=ASKED)
    assert len(recorder.lines) == 1
    assert recorder.over[0].startswith("openai:our-tuned-one: ")


def test_a_watcher_can_refuse_a_call(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(REPLY)
    recorder = make()
    recorder.watcher.refusal = "the episode is over"
    with (
        anthropic.Anthropic(api_key="sk", base_url=recorder.models.anthropic_base_url) as client,
        pytest.raises(anthropic.PermissionDeniedError, match="the episode is over"),
    ):
        client.messages.create(model="claude-opus-4-5", max_tokens=9, messages=ASKED)
    assert recorder.lines == []


def test_without_counts_they_are_estimated(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider("Tap it.")
    recorder = make(include_usage=False)
    with chat(recorder) as client:
        list(client.chat.completions.create(model="own", messages=ASKED, stream=True))
    (line,) = recorder.lines
    assert line["call"]["estimated"]
    assert (line["call"]["input_tokens"], line["call"]["output_tokens"]) == (3, 2)
    assert "include_usage" not in line["settings"]


def test_no_key_is_kept(make: Callable[..., Recorder], provider: Callable[..., str]) -> None:
    key = "sk-program-0123456789abcdef"
    provider(f"Your key is {key}.")
    recorder = make()
    with openai.OpenAI(api_key=key, base_url=recorder.models.openai_base_url) as client:
        client.chat.completions.create(
            model="own", messages=[{"role": "user", "content": f"My key is {key}."}]
        )
    assert key not in (recorder.folder / "calls.jsonl").read_text()
    assert recorder.lines[0]["reply"]["text"] == "Your key is …."


def test_a_websocket_is_refused_so_that_clients_take_http(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(REPLY)
    recorder = make()
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    url = f"{recorder.models.openai_base_url}/responses"
    with refused(426):
        urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20)
    assert recorder.lines == []


def test_what_is_no_call_passes_unrecorded(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
    provider(REPLY)
    recorder = make()
    with chat(recorder) as client:
        assert [model.id for model in client.models.list()] == ["scripted"]
    assert recorder.lines == []
    assert recorder.watcher.told == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages":{"a":[1,null]}}', b"\xff" * 9])
def test_a_request_that_makes_no_sense_is_for_the_provider_to_refuse(
    make: Callable[..., Recorder], provider: Callable[..., str], body: bytes
) -> None:
    provider(REPLY)
    recorder = make()
    with refused(400):
        post(recorder.models.openai_chat_url, body)
    (line,) = recorder.lines
    assert line["call"] is None


def test_two_at_once_are_told_apart(
    make: Callable[..., Recorder], provider: Callable[..., str]
) -> None:
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


def test_a_huge_request_passes(make: Callable[..., Recorder], provider: Callable[..., str]) -> None:
    provider(lambda request: str(len(request.text)))
    recorder = make()
    asked: Any = [{"role": "user", "content": "x" * 8_000_000}]
    with chat(recorder) as client:
        reply = client.chat.completions.create(model="own", messages=asked)
    assert reply.choices[0].message.content == "8000000"


def test_a_script_answers_in_the_place_of_everyone(
    make: Callable[..., Recorder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    # The script's own server is not for the program, nor is its key, and no record holds that.
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "calls.jsonl" for path in files)
    assert not [path for path in files if b"sk-scripted-" in path.read_bytes()]
    assert not [name for name, text in recorder.environment.items() if "sk-scripted-" in text]
    assert {line["call"]["price_usd"] for line in recorder.lines} == {0.0}
    assert [line["call"]["role"] for line in recorder.lines] == ["planner", "actor"]
