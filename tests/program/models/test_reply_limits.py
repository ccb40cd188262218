"""The limits of replies that programs get: their time, size and server."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.program.models import exchange
from pytest_mobileagent.program.models.requests import Decoder, decoded
from tests.clocks import jumping_clock

from .provider import ASKED, CHUNK, STREAM, Provider, ask, chunked, receive, whole

BOMB = gzip.compress(b" " * (2**24 + 2**20))


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
def test_a_stalled_reply_is_the_providers_fault(make, provide, monkeypatch, what):
    say, why = STALLS[what]
    if what in {"nothing", "headers"}:  # nothing arrives, so nothing advances the clock
        monkeypatch.setattr(exchange, "REQUEST_SECONDS", 0.1)
    jumping_clock(monkeypatch)
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
def test_a_reply_is_limited_after_decompression(make, provide, times):
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


def test_a_redirect_to_another_server_does_not_reach_the_program(make, provide):
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
def test_a_body_is_decoded_however_it_arrives(data, size, packing):
    packed = {"gzip": gzip.compress(data) + gzip.compress(data), "zlib": zlib.compress(data)}
    body = {**packed, "raw": packed["zlib"][2:-4], "": data}[packing]
    encoding = {"gzip": "gzip", "": ""}.get(packing, "deflate")
    decoder = Decoder(encoding)
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    found = b"".join(part for piece in pieces for part in decoder.pieces(piece))
    assert found == decoded(body, encoding) == (data * 2 if packing == "gzip" else data)
