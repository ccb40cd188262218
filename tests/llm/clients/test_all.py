"""Behaviour that all clients share: replies, streams, token counts and errors."""

from __future__ import annotations

import contextlib
import json
import traceback
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies

from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.clients.gemini import Gemini
from pytest_mobileagent.llm.clients.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.clients.predict import Predict
from pytest_mobileagent.llm.model import (
    Image,
    Message,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
    Tool,
    ToolCall,
    Usage,
)
from pytest_mobileagent.testing import Fault, ScriptedModel, ScriptedReply, When

from .conftest import KEY, PATHS, Answering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHATS = [OpenAIChat, OpenAIResponses, AnthropicMessages, Gemini]
ALL = [*CHATS, Predict]
PNG, JPEG = Image(b"\x89PNG picture"), Image(b"\xff\xd8 picture", "low")
FLAVORS = {
    OpenAIChat: ("openai", "chat", "gpt-4o"),
    OpenAIResponses: ("openai", "responses", "gpt-4o"),
    AnthropicMessages: ("anthropic", "default", "claude-sonnet-4-5"),
    Gemini: ("google", "default", "gemini-2.5-flash"),
}

chats = pytest.mark.parametrize("kind", CHATS)
clients = pytest.mark.parametrize("kind", ALL)
streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


KEPT = contextlib.ExitStack()


def kept(client: Any) -> Any:
    """Return a client that tests share, and that is closed after the last of them."""
    KEPT.callback(client.close)
    return client


@pytest.fixture(scope="module", autouse=True)
def closing() -> Iterator[None]:
    with KEPT:
        yield
    unconnected.cache_clear()
    speaking.cache_clear()


def asked(*parts: str | Image, stream: bool = False, **more: Any) -> Request:
    return Request((Message("user", parts or ("What now?",)),), stream=stream, **more)


@clients
@streamed
def test_reply_has_text_model_and_tokens(connect, kind, stream):
    reply = ScriptedReply("tap 540 1200\n", input_tokens=100, output_tokens=7, cached_tokens=40)
    model = ScriptedModel([reply])
    answer = connect(kind, model).ask(asked("What now?", PNG, "And why?", stream=stream))
    assert (answer.text, answer.tool_calls, answer.stop) == ("tap 540 1200\n", (), "end")
    assert (answer.usage.input, answer.usage.output) == (100, 7)
    [request] = model.requests
    assert "What now?" in request.text
    assert "And why?" in request.text
    assert [image.data for image in request.images] == [PNG.data]
    if kind is not Predict:
        assert (answer.model, answer.usage.cached) == ("m", 40)
        assert (answer.seconds_to_first is not None) == stream == request.stream
        json.dumps([answer.raw, answer.usage_data])


@chats
@streamed
def test_genai_prices_understands_the_usage(connect, kind, stream):
    from genai_prices import extract_usage  # slow to import

    reply = ScriptedReply("so", input_tokens=100, output_tokens=7, cached_tokens=40)
    provider, flavor, name = FLAVORS[kind]
    answer = connect(kind, ScriptedModel([reply]), name).ask(asked(stream=stream))
    found = extract_usage(answer.usage_data, provider_id=provider, api_flavor=flavor)
    assert (found.usage.input_tokens, found.usage.output_tokens) == (100, 7)
    assert found.usage.cache_read_tokens == 40


@clients
@streamed
def test_uncounted_tokens_are_none(connect, kind, stream):
    answer = connect(kind, ScriptedModel(["so"])).ask(asked(stream=stream))
    assert (answer.usage, answer.usage_data) == (Usage(), None)


@chats
@streamed
def test_tools_are_offered_called_and_answered(connect, kind, stream):
    calls = [ToolCall("c1", "tap", {"x": 1, "words": "día 日"}), ToolCall("c2", "look", {})]
    model = ScriptedModel([ScriptedReply("I tap.", calls), "done"])
    client = connect(kind, model)
    tools = (Tool("tap", "Taps.", {"type": "object", "properties": {}}), Tool("look"))
    first = asked(stream=stream, tools=tools)
    answer = client.ask(first)
    assert (answer.text, answer.stop) == ("I tap.", "tools")
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("c1", "tap", {"x": 1, "words": "día 日"}),
        ("c2", "look", {}),
    ]
    for raw in (answer.raw, None):
        said = Message("assistant", (answer.text,), answer.tool_calls, raw=raw)
        results = (Message("tool", ("tapped",), (), "c1"), Message("tool", ("", PNG), (), "c2"))
        messages = (*first.messages, said, *results, Message("user", ("Go on.",)))
        model = ScriptedModel(["done"])
        assert connect(kind, model).ask(Request(messages, tools=tools)).text == "done"
        got = model.requests[0]
        assert [tool.name for tool in got.tools] == ["tap", "look"]
        assert got.tools[0].description == "Taps."
        assert got.messages[1].tool_calls == answer.tool_calls
        assert [m.answers for m in got.messages if m.role == "tool"] == ["c1", "c2"]
        assert [image.data for image in got.images] == [PNG.data]
        assert got.messages[-1].text == "Go on."


@chats
def test_every_setting_is_sent(connect, kind):
    model = ScriptedModel(["so"])
    more: Any = {"temperature": 0.0, "top_p": 0.5, "max_tokens": 9}
    system = Message("system", ("Be short.",))
    connect(kind, model).ask(
        Request((system, *asked().messages), extra={"metadata": {"user": "u"}}, **more)
    )
    [request] = model.requests
    assert (request.temperature, request.top_p, request.max_tokens) == (0.0, 0.5, 9)
    assert request.extra["metadata"] == {"user": "u"}
    assert request.messages[0] == Message("system", ("Be short.",))


@chats
@streamed
@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_the_reason_why_a_reply_ended_is_returned(connect, kind, stream, stop):
    model = ScriptedModel([ScriptedReply("I would rather", stop=stop)])
    answer = connect(kind, model).ask(asked(stream=stream))
    assert (answer.text, answer.stop) == ("I would rather", stop)


FAULTS: list[tuple[Any, type[Exception]]] = [
    (408, ProviderBusyError),
    (409, ProviderBusyError),
    (429, ProviderBusyError),
    (500, ProviderBusyError),
    (503, ProviderBusyError),
    (529, ProviderBusyError),
    ("cut", ProviderBusyError),
    ("drop", ProviderBusyError),
    ("malformed", ProviderBusyError),
    (400, RequestRefusedError),
    (413, RequestRefusedError),
    (422, RequestRefusedError),
    (401, ProviderError),
    (403, ProviderError),
    (404, ProviderError),
]


@clients
@streamed
def test_faults_over_http_match_those_in_process(connect, kind, stream):
    model = ScriptedModel([each for fault, _ in FAULTS for each in (Fault(fault), "after all")])
    client = connect(kind, model)
    for fault, error in FAULTS:
        raises(client, stream, fault, error)
    assert len(model.requests) == 2 * len(FAULTS)


def raises(client: Any, stream: bool, fault: Any, error: type[Exception]) -> None:
    with pytest.raises((ProviderError, RequestRefusedError)) as caught:
        client.ask(asked(stream=stream))
    assert type(caught.value) is error, fault
    assert type(Fault(fault).error()) is error, fault
    if isinstance(fault, int):
        assert str(fault) in str(caught.value)
        assert Fault(fault).words in str(caught.value)
    assert client.ask(asked(stream=stream)).text == "after all"


@chats
def test_a_stream_that_is_cut_anywhere_is_not_an_answer(connect, kind):
    pieces = range(30)
    client = connect(kind, ScriptedModel([Fault("cut", after=number) for number in pieces]))
    for _ in pieces:
        with pytest.raises(ProviderBusyError, match=r"127\.0\.0\.1"):
            client.ask(asked(stream=True))


@clients
@pytest.mark.parametrize("seconds", [0, 2.5, None])
def test_busy_provider_says_how_long_to_wait(connect, kind, seconds):
    with pytest.raises(ProviderBusyError) as caught:
        connect(kind, ScriptedModel([Fault(429, retry_after=seconds)])).ask(asked())
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("kind", [OpenAIChat, OpenAIResponses])
def test_exhausted_account_is_not_retried(connect, kind):
    with pytest.raises(ProviderError) as caught:
        connect(kind, ScriptedModel([Fault("quota")])).ask(asked())
    assert not isinstance(caught.value, ProviderBusyError)


@clients
@streamed
def test_provider_that_never_answers_is_busy(connect, kind, stream):
    client = connect(kind, ScriptedModel([Fault("timeout")]), timeout=0.05)
    with pytest.raises(ProviderBusyError, match="time"):
        client.ask(asked(stream=stream))


@chats
def test_time_to_first_token_is_measured(connect, kind):
    model = ScriptedModel([ScriptedReply("so be it", seconds_to_first=0.04)])
    answer = connect(kind, model).ask(asked(stream=True))
    assert answer.seconds_to_first >= 0.04


@clients
def test_unreachable_server_is_an_error(connect, kind):
    url = ScriptedModel([]).serve()
    url.close()
    with pytest.raises(ProviderBusyError, match=r"^http://127\.0\.0\.1:\d+"):
        connect.at(kind, url).ask(asked())


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the proxy in the environment, and no host to which it does not apply."""

    def proxied(url: str) -> None:
        for name in ("no_proxy", "NO_PROXY", "https_proxy", "HTTPS_PROXY"):
            monkeypatch.delenv(name, raising=False)
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, url)

    return proxied


@clients
def test_proxies_from_the_environment_are_used(connect, kind, proxied):
    with ScriptedModel(["by a proxy"]).serve() as url:
        proxied(url)
        path = PATHS.get(kind, "")
        client = connect.at(kind, f"http://model.invalid/{url.key}{path}")
        assert client.ask(asked()).text == "by a proxy"


@clients
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_no_proxy_is_between_a_model_on_this_machine_and_a_client(connect, kind, proxied, host):
    with ScriptedModel(["direct"]).serve() as url:
        proxied("socks5://127.0.0.1:9")  # which would also need a package that is not installed
        path = PATHS.get(kind, "")
        client = connect.at(kind, f"{url.replace('127.0.0.1', host)}{path}")
        assert client.ask(asked()).text == "direct"


@clients
def test_a_model_that_cannot_be_reached_through_a_proxy_is_an_error_that_names_it(
    connect, kind, proxied, unused_port
):
    proxied(f"me:s3cret@127.0.0.1:{unused_port}")
    with pytest.raises(ProviderBusyError) as caught:
        connect.at(kind, "http://model.invalid/v1").ask(asked())
    assert f"(through the proxy http://127.0.0.1:{unused_port}, which the" in str(caught.value)
    assert "s3cret" not in str(caught.value)


@clients
@pytest.mark.parametrize("status", [200, 400, 401, 429])
def test_errors_and_repr_contain_no_key(connect, kind, status):
    with garbage(f'{{"error": {{"message": "bad key {KEY}"}}, "text": 3}}', status) as url:
        client = connect.at(kind, f"http://somebody:{KEY}@{url}/v1")
        with pytest.raises((ProviderError, RequestRefusedError)) as caught:
            client.ask(asked())
    shown = "".join(traceback.format_exception(caught.value)) + repr(client)
    assert "somebody" not in shown
    assert KEY not in shown


@clients
@streamed
@settings(max_examples=30)
@given(
    event=strategies.sampled_from(["message_start", "content_block_delta", "message_delta"]),
    body=strategies.recursive(
    strategies.none() | strategies.integers() | strategies.text() | strategies.booleans(),
    lambda inner: strategies.lists(inner) | strategies.dictionaries(
        strategies.sampled_from(
            ["choices", "message", "content", "type", "text", "output", "status", "usage", "error",
             "tool_calls", "function", "delta", "response", "index", "stop_reason", "x",
             "candidates", "parts", "functionCall", "finishReason", "promptFeedback"]
        ), inner,
    ),
    max_leaves=12,
) | strategies.just("\ud800"))  # fmt: skip
def test_any_response_is_an_answer_or_a_provider_error(kind, stream, body, event):
    text = json.dumps(body)
    client = unconnected(kind)
    Answering(client, [f"event: {event}\ndata: {text}\n\n" if stream else body])
    try:
        answer = client.ask(asked(stream=stream))
    except (ProviderError, RequestRefusedError):
        return
    assert isinstance(answer.text, str)


@cache
def unconnected(kind: Any) -> Any:
    return kept(kind("m", "http://127.0.0.1:1/v1", KEY))


class garbage:  # noqa: N801 - it reads as a function
    """A server that replies to every request with the same text."""

    def __init__(self, text: str, status: int = 200) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.handle_request)

    def __enter__(self) -> str:
        self._thread.start()
        return f"127.0.0.1:{self._server.server_port}"

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._server.server_close()


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    """A model that repeats the prompt."""
    with ScriptedModel([When("", lambda request: request.text)]).serve() as url:
        yield url


@cache
def speaking(kind: Any, url: str) -> Any:
    return kept(kind("m", url + PATHS.get(kind, ""), KEY))


@clients
@streamed
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=strategies.text(min_size=1))
@example(words="two\u2028lines\x85and\r\nmore\n\ndata: [DONE]\n\nevent: error")
@example(words="\ud83d\ude00 \ud800 日本語 \x00 <|endoftext|>")
def test_streamed_text_keeps_characters_whole(echo, kind, stream, words):
    if kind is AnthropicMessages and not words.strip():
        return  # the API refuses messages without text
    whole = words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert speaking(kind, echo).ask(asked(words, stream=stream)).text == whole
