"""Exchanges with providers: streams are not held back, and connections are reused."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import trustme

from pytest_mobileagent.llm.known_replies import ReplyCache
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.program import connections
from pytest_mobileagent.program.connections import Origin
from pytest_mobileagent.program.models.exchange import Destination, StandIn
from pytest_mobileagent.program.models.requests import APIS

from .provider import ASKED, CHUNK, STREAM, Provider, again, ask, chunked, receive, whole

if TYPE_CHECKING:
    from .conftest import Recorder


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


async def first_then_wait(provider: Provider, _: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(STREAM + chunked(CHUNK))
    await asyncio.to_thread(provider.go_on.wait, 10)
    writer.write(chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def test_first_token_is_passed_on_immediately(make, provide):
    provider, _ = provide(first_then_wait)
    recorder = make()
    with ask(recorder, ASKED) as client:
        receive(client, CHUNK)
        assert recorder.lines == []
        provider.go_on.set()
        receive(client, b"[DONE]")
        assert recorder.watcher.lines == [1]  # written before the whole reply has arrived
    assert recorder.lines[0]["reply"]["text"] == "Tap"


async def error_in_two_pieces(provider: Provider, _: bytes, writer: asyncio.StreamWriter) -> None:
    body = b'{"error": {"code": "Arrearage", "message": "Pay."}}'
    writer.write(b"HTTP/1.1 400 No\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: %d\r\n\r\n" % len(body))
    await writer.drain()
    await asyncio.to_thread(provider.go_on.wait, 10)
    writer.write(body)


def test_error_is_recorded_before_a_program_that_reads_only_its_status_can_end(make, provide):
    provider, _ = provide(error_in_two_pieces)
    recorder = make()
    with ask(recorder, ASKED) as client:
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(1)  # the status is held back with the body
        provider.go_on.set()
        client.settimeout(10)
        receive(client, b"400 No")
        assert recorder.models.shared.outage is not None


def test_disconnecting_program_ends_the_call(make, provide):
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


def test_complete_reply_is_recorded_despite_a_disconnecting_program(make, provide, tmp_path):
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


def test_ending_episode_records_the_partial_reply(make, provide):
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


def test_a_server_that_refuses_counts_is_asked_without(make, provide):
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


def test_compressed_bodies_pass_unchanged_and_are_parsed(make, provide):
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


def test_connections_are_reused_and_reopened_if_closed(make, provide):
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


def test_unreachable_provider_is_a_transient_fault(make, monkeypatch, unused_port):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{unused_port}/v1")
    recorder = make()
    with ask(recorder, ASKED) as client:
        assert b" 502 " in receive(client, b"cannot be reached")
    (line,) = recorder.lines
    assert line["call"] is None
    assert line["busy_since"] > 0


@pytest.mark.parametrize("is_proxied", [False, True])
def test_intercepted_host_receives_the_request(make, provide, monkeypatch, tmp_path, is_proxied):
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
    connections.tls.cache_clear()
    try:
        url = f"https://{host}:{port}/any/chat/completions?key=secret-secret-secret-1"
        body = ASKED.replace(b"true", b"false").decode()
        command = ["curl", "-sS", "--noproxy", "", "-d", body, url]
        environment = {"PATH": "/usr/bin:/bin", **recorder.environment}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=20, check=True)
    finally:
        connections.tls.cache_clear()
    assert done.stdout == REPLY
    assert provider.requests[0].startswith(b"POST /any/chat/completions?key=secret")
    (line,) = recorder.lines
    assert line["call"]["model"] == f"{host}:own"
    assert "secret" not in json.dumps(line)


@pytest.mark.parametrize(
    ("api", "path", "target"),
    [
        (
            "gemini",
            "/v1beta/models/gemini-x:generateContent",
            "/v1/models/gemini-x:generateContent",
        ),
        ("chat", "/v1/chat/completions", "/v1/openai/chat/completions"),
    ],
)
def test_an_endpoint_of_gemini_answers_in_place_of_a_programs_models(api, path, target):
    stand_in = StandIn(parse_reference("gemini:m@http://here:8000/v1"))
    place = Destination(Origin.of("https://elsewhere.example"), f"{path}?alt=sse", "other")
    to = stand_in.instead(next(each for each in APIS if each.name == api), place)
    assert (to.origin, to.target, to.provider) == (
        Origin.of("http://here:8000"),
        f"{target}?alt=sse",
        "gemini",
    )
