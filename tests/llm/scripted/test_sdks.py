"""The official SDKs with a served model, used as in any agent: typed, and with streaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply, ToolCall, When

if TYPE_CHECKING:
    from collections.abc import Iterator

    import anthropic
    import openai

CALL = ToolCall("c1", "tap", {"x": 1, "words": "día"})
REPLY = ScriptedReply("I tap it.", [CALL], input_tokens=100, output_tokens=7, cached_tokens=40)
COMPUTER = ToolCall("c2", "computer", {"type": "click", "button": "left", "x": 1, "y": 2},
                    "computer_call")  # fmt: skip


@pytest.fixture
def model() -> ScriptedModel:
    clicks = When("Click.", ScriptedReply("", [COMPUTER]))
    return ScriptedModel([clicks, When("Uncounted.", "so"), REPLY, Fault(429), REPLY])


@pytest.fixture
def url(model: ScriptedModel) -> Iterator[str]:
    with model.serve() as url:
        yield url


@pytest.fixture
def by_openai(url: str) -> Iterator[openai.OpenAI]:
    import openai

    with openai.OpenAI(api_key="x", base_url=f"{url}/v1") as client:
        yield client


@pytest.fixture
def by_anthropic(url: str) -> Iterator[anthropic.Anthropic]:
    import anthropic

    with anthropic.Anthropic(api_key="x", base_url=url) as client:
        yield client


def said(words: str = "What now?") -> list[Any]:
    return [{"role": "user", "content": words}]


def test_chat_completions(by_openai, model):
    for _ in range(2):  # the second time, the SDK itself retries after the fault
        done = by_openai.chat.completions.create(model="m", messages=said())
        [choice] = done.choices
        assert choice.message.content == "I tap it."
        assert choice.message.tool_calls[0].function.arguments == '{"x": 1, "words": "día"}'
        assert (done.usage.prompt_tokens, done.usage.total_tokens) == (100, 107)
    assert len(model.requests) == 3


def test_chat_completions_accumulated(by_openai):
    with by_openai.chat.completions.stream(
        model="m", messages=said(), stream_options={"include_usage": True}
    ) as stream:
        done = stream.get_final_completion()
    assert done.choices[0].message.content == "I tap it."
    assert done.choices[0].finish_reason == "tool_calls"
    assert done.choices[0].message.tool_calls[0].function.name == "tap"
    assert done.usage.completion_tokens == 7


def test_unscripted_token_counts_are_zero(by_openai, by_anthropic):
    ask = {"model": "m", "messages": said("Uncounted.")}
    done = by_openai.chat.completions.create(**ask)
    *_, last = by_openai.chat.completions.create(
        **ask, stream=True, stream_options={"include_usage": True}
    )
    for usage in (done.usage, last.usage):
        assert usage.prompt_tokens + usage.completion_tokens == usage.total_tokens == 0
        assert usage.prompt_tokens_details.cached_tokens == 0
    answered = by_openai.responses.create(model="m", input="Uncounted.")
    with by_openai.responses.stream(model="m", input="Uncounted.") as stream:
        streamed = stream.get_final_response()
    for usage in (answered.usage, streamed.usage):
        assert usage.input_tokens + usage.output_tokens == usage.total_tokens == 0
    assert by_anthropic.messages.create(**ask, max_tokens=9).usage.input_tokens == 0


def test_responses(by_openai):
    done = by_openai.responses.create(model="m", input="What now?")
    assert (done.output_text, done.status) == ("I tap it.", "completed")
    assert done.usage.input_tokens_details.cached_tokens == 40
    clicked = by_openai.responses.create(model="m", input="Click.", reasoning={"effort": "low"})
    assert [item.type for item in clicked.output] == ["reasoning", "computer_call"]
    assert clicked.output[1].action.x == 1
    assert clicked.usage.total_tokens == 0


def test_responses_accumulated(by_openai):
    with by_openai.responses.stream(model="m", input="What now?") as stream:
        kinds = {event.type for event in stream}
        done = stream.get_final_response()
    assert {"response.created", "response.output_text.delta", "response.completed"} <= kinds
    assert (done.output_text, done.output[1].arguments) == ("I tap it.", '{"x": 1, "words": "día"}')


def test_messages(by_anthropic):
    done = by_anthropic.messages.create(model="m", max_tokens=9, messages=said())
    assert [block.type for block in done.content] == ["text", "tool_use"]
    assert done.content[1].input == {"x": 1, "words": "día"}
    assert (done.usage.input_tokens, done.usage.cache_read_input_tokens) == (60, 40)


@pytest.mark.parametrize(("words", "tokens"), [("What now?", 7), ("Uncounted.", 0)])
def test_messages_accumulated(by_anthropic, words, tokens):
    with by_anthropic.messages.stream(model="m", max_tokens=9, messages=said(words)) as stream:
        text = "".join(stream.text_stream)
        done = stream.get_final_message()
    assert text == ("I tap it." if tokens else "so")
    assert done.stop_reason == ("tool_use" if tokens else "end_turn")
    assert done.usage.output_tokens == tokens


def test_models(by_openai, by_anthropic):
    assert [known.id for known in by_openai.models.list()] == ["scripted"]
    assert [known.id for known in by_anthropic.models.list()] == ["scripted"]


def test_errors():
    import anthropic
    import openai

    with ScriptedModel([Fault(429), Fault(529), Fault(404)]).serve() as url:
        with (
            openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0) as client,
            pytest.raises(openai.RateLimitError, match="too many requests") as caught,
        ):
            client.chat.completions.create(model="m", messages=said())
        assert caught.value.code == "rate_limit_exceeded"
        with anthropic.Anthropic(api_key="x", base_url=url, max_retries=0) as client:
            with pytest.raises(anthropic.APIStatusError, match="overloaded_error"):
                client.messages.create(model="m", max_tokens=9, messages=said())
            with pytest.raises(anthropic.NotFoundError):
                client.messages.create(model="m", max_tokens=9, messages=said())
