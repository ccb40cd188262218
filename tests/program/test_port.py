"""The local port: what it serves under a name, and to whom."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.program.port import LocalPort


def post(url: str, body: bytes) -> bytes:
    with urllib.request.urlopen(url, body, timeout=10) as response:
        content: bytes = response.read()
        return content


def failed(url: str, body: bytes) -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(url, body)
    with refused.value as error:
        return error.code, error.read().decode()


def test_function_is_served():
    async def double(given: dict[str, Any]) -> dict[str, Any]:
        if given["x"] == 13:
            raise HostError("unlucky")
        return {"twice": 2 * given["x"]}

    async def main() -> None:
        async with LocalPort() as port:
            port.answer("double", double)
            url = port.url("double")
            assert json.loads(await asyncio.to_thread(post, url, b'{"x": 4}')) == {"twice": 8}
            assert await asyncio.to_thread(failed, url, b"[]") == (
                400,
                "the body must be a JSON object",
            )
            assert await asyncio.to_thread(failed, url, b'{"x": 13}') == (500, "unlucky")
            assert (await asyncio.to_thread(failed, port.url("triple"), b"{}"))[0] == 404
            wrong = url.replace(port.token, "x" * len(port.token))
            assert await asyncio.to_thread(failed, wrong, b"{}") == (404, "nothing is here")

    asyncio.run(main())


def test_other_port_is_started_on_demand_and_proxied():
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head.decode())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()

    async def main() -> None:
        async with LocalPort() as port:
            server: asyncio.Server | None = None

            async def target() -> int:
                nonlocal server
                server = server or await asyncio.start_server(answer, "127.0.0.1", 0)
                number: int = server.sockets[0].getsockname()[1]
                return number

            port.relay("mcp", target)
            for _ in range(2):
                assert await asyncio.to_thread(post, port.url("mcp") + "/a?b=c", b"{}") == b"hi"
            assert asked[0].startswith("POST /mcp/a?b=c HTTP/1.1\r\n")
            assert f"Host: 127.0.0.1:{await target()}\r\n" in asked[0]
            assert server is not None
            server.close()

    asyncio.run(main())


@pytest.mark.parametrize("said", [b"\x16\x03\x01\x02", b"GET\r\n\r\n", b"x" * 200_000, b""])
def test_other_protocols_are_refused(said):
    async def main() -> bytes:
        async with LocalPort() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port.number)
            writer.write(said)
            writer.write_eof()
            try:
                return await reader.read()
            except ConnectionError:
                return b""
            finally:
                writer.close()

    assert asyncio.run(main()).startswith((b"HTTP/1.1 400", b"HTTP/1.1 431")) or not said.strip(
        b"x"
    )


def test_closed_port_ends_its_connections():
    async def main() -> None:
        port = LocalPort()
        await port.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", port.number)
        writer.write(b"POST /")
        await writer.drain()
        await port.close()
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        await port.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port.number)

    asyncio.run(main())
