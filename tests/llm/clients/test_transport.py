"""The limits of replies in time and size, and redirects, for all clients over real HTTP."""

from __future__ import annotations

import contextlib
import gc
import gzip
import json
import threading
import tracemalloc
import warnings
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

import httpx2
import pytest

from pytest_mobileagent.llm.clients import ReplyWatch, check_redirect, sdk
from pytest_mobileagent.llm.clients.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.clients.gemini import Gemini
from pytest_mobileagent.llm.clients.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.clients.predict import Predict
from pytest_mobileagent.llm.model import (
    Message,
    ProviderBusyError,
    ProviderError,
    Request,
    RequestRefusedError,
)
from tests.clocks import jumping_clock

from .conftest import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHATS = [OpenAIChat, OpenAIResponses, AnthropicMessages]
clients = pytest.mark.parametrize("kind", [*CHATS, Predict])
Answer = dict[str, Any]


class Server:
    """Answers every request as `answers` says: with a status, headers and pieces of a body.

    The last piece is repeated until the client hangs up or `stop` is set. Without any piece, the
    server says nothing until then.
    """

    def __init__(self, status: int = 200, pieces: tuple[bytes, ...] = (), **headers: str) -> None:
        self.stop = threading.Event()
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.asked.append((self.path, dict(self.headers), body))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                with contextlib.suppress(OSError):
                    for piece in pieces[:-1]:
                        self.wfile.write(piece)
                    while not server.stop.wait(0.005):
                        for piece in pieces[-1:]:
                            self.wfile.write(piece)

            do_GET = do_POST  # noqa: N815 - the name is the method's

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    with contextlib.ExitStack() as stack:
        yield lambda *given, **more: stack.enter_context(Server(*given, **more))


def asked(*, stream: bool = False) -> Request:
    return Request((Message("user", ("the secret prompt",)),), stream=stream)


def chunk(content: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": content}}]}).encode() + b"\n\n"


class _Refusing(BaseHTTPRequestHandler):
    """Refuses all that is sent, and keeps its connections open."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(400)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.mark.parametrize("kind", [*CHATS, Gemini, Predict])
def test_a_client_that_nobody_has_any_more_closes_its_connections(kind):
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ResourceWarning)
            client = kind("m", f"http://127.0.0.1:{server.server_port}/predict", KEY)
            with pytest.raises(RequestRefusedError):
                client.ask(asked())
            del client
            gc.collect()
        server.shutdown()
    assert [str(each.message) for each in warned] == []


SSE = {"Content_Type": "text/event-stream"}
ROLE = b'data: {"choices": [{"delta": {"role": "assistant", "content": null}}]}\n\n'
STALLS: dict[str, tuple[bool, tuple[bytes, ...], dict[str, str], str]] = {
    "headers and then nothing": (False, (), {}, "time"),
    "headers of a stream and then nothing": (True, (), SSE, "time"),
    "comments": (True, (b": OPENROUTER PROCESSING\n\n",), SSE, "said nothing"),
    "comments in pieces": (True, (b": OPENROUTER PROC", b"ESSING\r\n\r\n:"), SSE, "said nothing"),
    "pings": (True, (b'event: ping\ndata: {"type": "ping"}\n\n',), SSE, "said nothing"),
    "empty pings": (True, (b"event: ping\ndata: {}\n\n",), SSE, "said nothing"),
    "comments after the role": (True, (ROLE, b": keep-alive\n\n"), SSE, "said nothing"),
    "spaces": (False, (b" ",), {"Content_Type": "application/json"}, "said nothing"),
    "spaces in a stream": (True, (b"\n",), SSE, "said nothing"),
    "tokens for ever": (True, (chunk("so "),), SSE, "not complete"),
    "white space for ever": (True, (chunk(" \n"),), SSE, "not complete"),
    "empty deltas for ever": (True, (ROLE,), SSE, "not complete"),
}


@pytest.mark.parametrize(  # all clients have the same transport
    ("kind", "stalls"),
    [
        *((OpenAIChat, each) for each in STALLS),
        (OpenAIResponses, "comments"),
        (AnthropicMessages, "pings"),
    ],
)
def test_a_stalled_reply_is_the_providers_fault(connect, serve, kind, stalls, monkeypatch):
    stream, pieces, headers, why = STALLS[stalls]
    jumping_clock(monkeypatch)
    seconds = 300.0 if pieces else 0.1  # without pieces, the real time has to pass
    client = connect.at(kind, serve(200, pieces, **headers).url, timeout=seconds)
    with pytest.raises(ProviderBusyError, match=why):
        client.ask(asked(stream=stream))


def test_a_plain_endpoint_that_stalls_is_at_fault(connect, serve, monkeypatch):
    jumping_clock(monkeypatch)
    client = connect.at(Predict, serve(200, (b" ",)).url + "/predict", timeout=300.0)
    with pytest.raises(ProviderBusyError, match="said nothing"):
        client.ask(asked())


def test_a_slow_reply_within_the_limits_is_read(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("pytest_mobileagent.llm.clients.monotonic", lambda: now[0])
    watch = ReplyWatch("http://model", 300.0)
    for second in range(0, 600, 100):  # more than 300 s in all, but never silent for as long
        now[0] = float(second)
        watch.check()
        watch.received(chunk("so"))
    assert watch.left == 100.0
    now[0] = 600.0
    with pytest.raises(ProviderBusyError, match="600 s"):
        watch.check()


LARGE = 32 * 2**20  # bytes
# What makes a body that is so large when it is decompressed, by its encoding.
BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "gzip, gzip": lambda many: gzip.compress(gzip.compress(many)),
    "deflate": zlib.compress,
    "identity": bytes,
}


@pytest.mark.parametrize(
    ("kind", "bomb", "status"),
    [
        *((OpenAIChat, each, 200) for each in BOMBS),
        *((kind, "gzip", 500) for kind in (AnthropicMessages, Predict)),
    ],
)
def test_a_reply_is_limited_after_decompression(connect, serve, kind, bomb, status):
    body = BOMBS[bomb](b" " * LARGE)
    server = serve(status, (body, b""), Content_Encoding=bomb)
    path = "/predict" if kind is Predict else ""
    client = connect.at(kind, server.url + path)
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError, match="larger than 16 MiB"):
            client.ask(asked())
        assert tracemalloc.get_traced_memory()[1] < LARGE
    finally:
        tracemalloc.stop()


@clients
@pytest.mark.parametrize(("status", "stream"), [(302, False), (307, True), (308, False)])
def test_neither_prompt_nor_key_follows_to_another_server(connect, serve, kind, status, stream):
    other = serve(200, (b"{}", b""))
    server = serve(status, (b"",), Location=f"{other.url}/elsewhere", Content_Length="0")
    path = "/predict" if kind is Predict else ""
    with pytest.raises(ProviderError, match="another server") as caught:
        connect.at(kind, server.url + path).ask(asked(stream=stream))
    assert not isinstance(caught.value, ProviderBusyError)
    assert server.url in str(caught.value)
    assert other.url in str(caught.value)
    assert not other.asked


@pytest.mark.parametrize(
    ("asked", "location", "stays"),
    [
        ("http://a/v1", "/v2", True),
        ("http://a/v1", "http://A:80/v1/", True),
        ("http://a/v1", "https://a/v1", True),
        ("https://a/v1", "https://a:443/v1", True),
        ("https://a/v1", "http://a/v1", False),
        ("http://a/v1", "https://a:8443/v1", False),
        ("http://a/v1", "//b/v1", False),
        ("https://a/v1", "https://a.evil/v1", False),
        ("https://a/v1", "https://b:secret@c/v1", False),
    ],
)
def test_only_redirects_to_the_same_server_are_followed(asked, location, stays):
    refused = contextlib.nullcontext() if stays else pytest.raises(ProviderError, match="redirects")
    with refused as caught:
        here, there = httpx2.URL(asked), httpx2.URL(asked).join(location)
        check_redirect(sdk._server(here), sdk._server(there))
    assert "secret" not in str(caught and caught.value)


@pytest.mark.parametrize("kind", CHATS)
def test_a_redirect_on_the_same_server_is_followed(connect, serve, kind):
    server = serve(307, (b"",), Location="/moved", Content_Length="0")
    with pytest.raises(ProviderBusyError, match="redirects"):  # this server redirects for ever
        connect.at(kind, server.url).ask(asked())
    assert {path for path, _, _ in server.asked[1:]} == {"/moved"}
    assert all(b"the secret prompt" in body for _, _, body in server.asked)
