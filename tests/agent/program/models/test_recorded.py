"""Recorded models, asked by real SDKs over their base URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anthropic
import openai
import pytest

from pytest_mobileagent.testing import ScriptedModel, ScriptedReply, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Recorder

REPLY = ScriptedReply("Tap it.", input_tokens=100, output_tokens=10, cached_tokens=4)


def serve(monkeypatch: pytest.MonkeyPatch, *replies: object) -> Iterator[str]:
    with ScriptedModel(replies, model="gpt-4o").serve() as url:  # type: ignore[arg-type]
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        yield url


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Serves a scripted model in the place of all providers; it ends with the test run."""

    def provider(*replies: object) -> str:
        url = ScriptedModel(replies).serve()  # type: ignore[arg-type]
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
        return url

    return provider


def chat(recorder: Recorder, **options: object) -> openai.OpenAI:
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
