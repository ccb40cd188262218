"""The HTTP server: parsing requests from a stream, and responding."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.automation import http
from pytest_mobileagent.virtual.automation.http import Request, Response


class Wire:
    """Provides bytes in pieces, and collects the response."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.answered = b""

    async def read(self, n: int = -1) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    async def write(self, data: bytes) -> None:
        self.answered += data


def talk(*pieces: bytes) -> tuple[list[Request], bytes]:
    seen: list[Request] = []

    async def handle(request: Request) -> Response:
        seen.append(request)
        return Response(200, request.body.upper(), "text/plain")

    wire = Wire(*pieces)
    asyncio.run(http.Server(handle).serve(wire))  # type: ignore[arg-type]
    return seen, wire.answered


POST = b"POST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"


def test_a_request_is_answered() -> None:
    (request,), answer = talk(POST)
    assert (request.method, request.path, request.body) == ("POST", "/x?y", b"abc")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-length: 3" in head
    assert b"connection: keep-alive" in head
    assert body == b"ABC"


@given(st.lists(st.integers(1, 40), max_size=12))
def test_requests_may_arrive_in_any_pieces(cuts: list[int]) -> None:
    data, pieces = POST * 3, []
    for size in cuts:
        pieces.append(data[:size])
        data = data[size:]
    requests, answer = talk(*[piece for piece in [*pieces, data] if piece])
    assert [request.body for request in requests] == [b"abc"] * 3
    assert answer.count(b"HTTP/1.1 200 OK") == 3


def test_bodies_may_come_in_chunks() -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    (request,), _ = talk(head + b"2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n")
    assert request.body == b"abc"


def test_the_connection_ends_when_the_client_wants_that() -> None:
    close = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    requests, answer = talk(close, close)
    assert len(requests) == 1
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET / FTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20000,
    ],
)
def test_invalid_requests_are_refused(data: bytes) -> None:
    requests, answer = talk(data)
    assert requests == []
    assert answer.startswith(b"HTTP/1.1 400 Bad Request")


def test_a_body_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BODY", 10)
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n"
    assert talk(head, b"abcdef", b"ghijkl")[1].startswith(b"HTTP/1.1 400 Bad Request")


def test_half_a_request_is_not_answered() -> None:
    assert talk(POST[:-1]) == ([], b"")
