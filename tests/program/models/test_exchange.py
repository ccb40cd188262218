"""Exchanges with providers: streams are not held back, and connections are reused."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import ssl
import subprocess
import threading
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.llm.metered import ReplyCache
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.program import upstream
from pytest_mobileagent.program.models import exchange
from pytest_mobileagent.program.models.requests import Decoder, decoded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from .conftest import Recorder

ASKED = b'{"model":"own","messages":[{"role":"user","content":"What now?"}],"stream":true}'
CHUNK = b'data: {"model":"own","choices":[{"index":0,"delta":{"content":"Tap"}}]}\n\n'
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve as the user's own proxy, which requires a password."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert b"Proxy-Authorization: Basic bWU6cGFzcw==\r\n" in head
    _, _, port = head.split()[1].partition(b":")
    there, back = await asyncio.open_connection("127.0.0.1", int(port))
    try:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(copy(reader, back), copy(there, writer))
    finally:  # also if the event loop is stopped in between
        for each in (back, writer):
            each.transport.abort()


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def whole(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@dataclass
class Provider:
    """A provider that sends bytes; `say` is called for each request and may wait."""

    say: Callable[[Provider, bytes, asyncio.StreamWriter], Awaitable[None]]
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    go_on: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while first := await reader.read(1):
                head = first + await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
                body = await reader.readexactly(int(length or 0))
                self.requests.append(head + body)
                saying = asyncio.ensure_future(self.say(self, head + body, writer))
                while not saying.done():
                    await asyncio.wait({saying}, timeout=0.01)
                    if reader.at_eof():
                        saying.cancel()
                        self.hung_up.set()
                        return
                if writer.is_closing():
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        finally:  # also if the loop is stopped during the closing handshake of TLS
            try:
                writer.close()
                await writer.wait_closed()
            except ConnectionError:
                pass
            finally:
                writer.transport.abort()


@pytest.fixture
def provide(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Provider, int]]]:
    """Makes providers in place of OpenAI, in a separate event loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    servers: list[asyncio.Server] = []

    def provide(
        say: Any, secure: ssl.SSLContext | None = None, serve: Any = None
    ) -> tuple[Provider, int]:
        provider = Provider(say)
        starting = asyncio.start_server(serve or provider.serve, "127.0.0.1", 0, ssl=secure)
        server = asyncio.run_coroutine_threadsafe(starting, loop).result(10)
        servers.append(server)
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        return provider, port

    async def end() -> None:
        for server in servers:
            server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    yield provide
    asyncio.run_coroutine_threadsafe(end(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def ask(recorder: Recorder, body: bytes, more: str = "") -> socket.socket:
    path = recorder.models.openai_chat_url.partition("://")[2].partition("/")[2]
    client = socket.create_connection(("127.0.0.1", recorder.port.number), 10)
    again(client, path, body, more)
    return client


def again(client: socket.socket, path: str, body: bytes, more: str = "") -> None:
    head = f"POST /{path} HTTP/1.1\r\nHost: x\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    client.sendall(head.encode() + body)


def receive(client: socket.socket, end: bytes) -> bytes:
    come = b""
    while end not in come:
        data = client.recv(65536)
        assert data, come
        come += data
    return come


async def first_then_wait(provider: Provider, _: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(STREAM + chunked(CHUNK))
    await asyncio.to_thread(provider.go_on.wait, 10)
    writer.write(chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def test_first_token_is_passed_on_immediately(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    provider, _ = provide(first_then_wait)
    recorder = make()
    with ask(recorder, ASKED) as client:
        receive(client, CHUNK)
        assert recorder.lines == []
        provider.go_on.set()
        receive(client, b"[DONE]")
        assert recorder.watcher.lines == [1]  # written before the whole reply has arrived
    assert recorder.lines[0]["reply"]["text"] == "Tap"


def test_disconnecting_program_ends_the_call(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    provider, _ = provide(first_then_wait)
    recorder = make()
    with ask(recorder, ASKED) as client:
        receive(client, CHUNK)
    assert provider.hung_up.wait(10)
    provider.go_on.set()
    recorder.run(settled(recorder))
    (line,) = recorder.lines
    assert line["reply"]["text"] == "Tap"
    assert line["call"]["estimated"]
    assert line["error"].startswith("the program closed the connection")
    assert recorder.watcher.told == ["begins", "ended: Tap"]


async def all_but_the_end(provider: Provider, _: bytes, writer: asyncio.StreamWriter) -> None:
    last = CHUNK.replace(b"}}]", b'},"finish_reason":"stop"}]')
    writer.write(STREAM + chunked(last) + chunked(b"data: [DONE]\n\n"))
    await asyncio.to_thread(provider.go_on.wait, 10)


def test_complete_reply_is_recorded_despite_a_disconnecting_program(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]], tmp_path: Path
) -> None:
    provider, _ = provide(all_but_the_end)
    (tmp_path / "replies").mkdir()
    recorder = make(cache=ReplyCache(tmp_path / "replies"))
    with ask(recorder, ASKED) as client:
        receive(client, b"[DONE]")
    assert provider.hung_up.wait(10)
    provider.go_on.set()
    recorder.run(settled(recorder))
    assert recorder.lines[0]["reply"]["text"] == "Tap"
    (kept,) = (tmp_path / "replies").rglob("*.json")
    assert "Tap" in kept.read_text("utf-8")


async def settled(recorder: Recorder) -> None:
    while recorder.port._tasks:
        await asyncio.wait(recorder.port._tasks)


def test_ending_episode_records_the_partial_reply(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    provider, _ = provide(first_then_wait)
    recorder = make()
    with ask(recorder, ASKED) as client:
        receive(client, CHUNK)
        recorder.run(recorder.port.close())
    provider.go_on.set()
    (line,) = recorder.lines
    assert "the episode ended" in line["error"]
    assert line["call"]["estimated"]
    assert line["reply"]["text"] == "Tap"


async def no_counts(_: Provider, request: bytes, writer: asyncio.StreamWriter) -> None:
    if b"stream_options" in request:
        writer.write(whole(b'{"error":"unknown field stream_options"}', "400 Bad Request"))
    else:
        writer.write(STREAM + chunked(CHUNK) + chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def test_a_server_that_refuses_counts_is_asked_without(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    provider, _ = provide(no_counts)
    recorder = make()
    for _ in range(2):
        with ask(recorder, ASKED) as client:
            assert b" 200 " in receive(client, b"[DONE]")
    assert [request.endswith(ASKED) for request in provider.requests] == [False, True, True]
    line, _ = recorder.lines
    assert "include_usage" not in line["settings"]
    assert line["call"]["estimated"]


REPLY = json.dumps(
    {
        "model": "own",
        "choices": [{"message": {"content": "Tap it."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
).encode()


async def compressed(_: Provider, __: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(whole(gzip.compress(REPLY, mtime=0), more="Content-Encoding: gzip\r\n"))


def test_compressed_bodies_pass_unchanged_and_are_parsed(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    provider, _ = provide(compressed)
    recorder = make()
    body = gzip.compress(ASKED.replace(b"true", b"false"))
    more = "Content-Encoding: gzip\r\nX-Own: a\r\nAccept-Encoding: gzip, zstd;q=0.5\r\n"
    with ask(recorder, body, more) as client:
        come = receive(client, gzip.compress(REPLY, mtime=0))
    assert come.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Encoding: gzip" in come
    assert provider.requests[0].endswith(body)
    assert b"X-Own: a\r\n" in provider.requests[0]
    assert b"Accept-Encoding: gzip\r\n" in provider.requests[0]  # zstd could not be decoded
    (line,) = recorder.lines
    assert line["prompt"][0]["content"] == ["What now?"]
    assert line["reply"]["text"] == "Tap it."
    assert line["call"]["price_usd"] == pytest.approx(0.2)


async def once(provider: Provider, _: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(whole(REPLY))
    if len(provider.requests) == 2:
        await writer.drain()
        writer.close()


def test_connections_are_reused_and_reopened_if_closed(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    provider, _ = provide(once)
    recorder = make()
    path = recorder.models.openai_chat_url.partition("://")[2].partition("/")[2]
    body = ASKED.replace(b"true", b"false")
    with ask(recorder, body) as client:
        receive(client, REPLY)
        for _ in range(2):
            again(client, path, body)
            receive(client, REPLY)
    assert provider.connections == 2
    assert [line["call"]["retries"] for line in recorder.lines] == [0, 0, 0]


def test_unreachable_provider_is_a_transient_fault(
    make: Callable[..., Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        recorder = make()
        with ask(recorder, ASKED) as client:
            assert b" 502 " in receive(client, b"cannot be reached")
    (line,) = recorder.lines
    assert line["call"] is None
    assert line["busy_since"] > 0


@pytest.mark.parametrize("is_proxied", [False, True])
def test_intercepted_host_receives_the_request(
    make: Callable[..., Recorder],
    provide: Callable[..., tuple[Provider, int]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    is_proxied: bool,
) -> None:
    authority = trustme.CA()
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    host = "model.invalid" if is_proxied else "localhost"
    authority.issue_cert(host).configure_cert(secure)
    roots = tmp_path / "roots.pem"
    authority.cert_pem.write_to_path(str(roots))
    provider, port = provide(once, secure)
    if is_proxied:  # through a proxy named in the user's environment
        _, number = provide(None, serve=tunnel)
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:pass@127.0.0.1:{number}")
    recorder = make(hosts=[host])
    monkeypatch.setenv("SSL_CERT_FILE", str(roots))
    upstream.tls.cache_clear()
    try:
        url = f"https://{host}:{port}/any/chat/completions?key=secret-secret-secret-1"
        body = ASKED.replace(b"true", b"false").decode()
        command = ["curl", "-sS", "--noproxy", "", "-d", body, url]
        environment = {"PATH": "/usr/bin:/bin", **recorder.environment}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=20, check=True)
    finally:
        upstream.tls.cache_clear()
    assert done.stdout == REPLY
    assert provider.requests[0].startswith(b"POST /any/chat/completions?key=secret")
    (line,) = recorder.lines
    assert line["call"]["model"] == f"{host}:own"
    assert "secret" not in json.dumps(line)


BOMB = gzip.compress(b" " * 2**26)


def stalling(*sent: bytes) -> Any:
    """Return a provider that repeats the last piece until the harness hangs up."""

    async def say(_: Provider, __: bytes, writer: asyncio.StreamWriter) -> None:
        for piece in sent[:-1]:
            writer.write(piece)
        while True:
            writer.write(sent[-1])
            await writer.drain()
            await asyncio.sleep(0.005)

    return say


STALLS = {
    "nothing": (stalling(b""), "said nothing"),
    "headers": (stalling(STREAM, b""), "said nothing"),
    "comments": (stalling(STREAM, chunked(b": PROCESSING\n\n")), "said nothing"),
    "spaces": (stalling(STREAM.replace(b"event-stream", b"x"), chunked(b" ")), "said nothing"),
    "tokens": (stalling(STREAM, chunked(CHUNK)), "not complete"),
}


@pytest.mark.parametrize("what", STALLS)
def test_a_stalled_reply_is_the_providers_fault(
    make: Callable[..., Recorder],
    provide: Callable[..., tuple[Provider, int]],
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    say, why = STALLS[what]
    monkeypatch.setattr(exchange, "REQUEST_SECONDS", 0.1)
    provider, _ = provide(say)
    recorder = make()
    with ask(recorder, ASKED) as client:
        while client.recv(65536):
            if what == "nothing":
                break  # it has got an error
    assert provider.hung_up.wait(10)
    (line,) = recorder.lines
    assert line["call"] is None
    assert why in line["error"]
    with pytest.raises(ProviderError, match=why):
        recorder.models.blame_provider("the program failed")


@pytest.mark.parametrize("times", [1, 2])
def test_a_reply_is_limited_after_decompression(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]], times: int
) -> None:
    body = BOMB if times == 1 else gzip.compress(BOMB)
    encoding = ", ".join(["gzip"] * times)

    async def bomb(_: Provider, __: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(whole(body, more=f"Content-Encoding: {encoding}\r\n"))

    provide(bomb)
    recorder = make()
    with ask(recorder, ASKED) as client:
        while client.recv(65536):
            pass
    (line,) = recorder.lines
    assert "larger than 16 MiB" in line["error"]
    with pytest.raises(ProviderError, match="larger"):
        recorder.models.blame_provider("the program failed")


def test_a_redirect_to_another_server_does_not_reach_the_program(
    make: Callable[..., Recorder], provide: Callable[..., tuple[Provider, int]]
) -> None:
    async def redirect(_: Provider, __: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(whole(b"", "307 x", "Location: https://elsewhere.example/v1\r\n"))

    provide(redirect)
    recorder = make()
    with ask(recorder, ASKED) as client:
        come = receive(client, b"another server")
    assert b"502" in come
    assert b"Location" not in come
    assert "https://elsewhere.example:443" in recorder.lines[0]["error"]


@given(st.binary(max_size=2000), st.integers(1, 999), st.sampled_from(["gzip", "zlib", "raw", ""]))
def test_a_body_is_decoded_however_it_arrives(data: bytes, size: int, packing: str) -> None:
    packed = {"gzip": gzip.compress(data) + gzip.compress(data), "zlib": zlib.compress(data)}
    body = {**packed, "raw": packed["zlib"][2:-4], "": data}[packing]
    encoding = {"gzip": "gzip", "": ""}.get(packing, "deflate")
    decoder = Decoder(encoding)
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    found = b"".join(part for piece in pieces for part in decoder.pieces(piece))
    assert found == decoded(body, encoding) == (data * 2 if packing == "gzip" else data)
