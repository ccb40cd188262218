"""Measures the time that recording adds to model calls, until the first token and in total.

The provider is a separate process that thinks for 30 ms and streams 20 tokens, 5 ms apart.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import trustme

from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.program.models import RecordedModels
from pytest_mobileagent.program.port import LocalPort

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Command, Passage

REPEATS = 40
TOKENS, PAUSE = 20, 0.005
THINKING = 0.03
PICTURE = b"\x89PNG\r\n\x1a\n" + os.urandom(200_000)  # random: pictures hardly compress
URL = f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"


class Nobody:
    """A watcher that allows all calls."""

    async def command(self, command: Command) -> Passage:
        raise NotImplementedError

    async def call_begins(self) -> str:
        return ""

    def call_ended(self, said: str) -> None:
        pass

    async def step(self, phase: str) -> str:
        return ""


def chunk(delta: dict[str, Any], **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    said = {"id": "1", "model": "gpt-4o", "choices": [choice], **more}
    data = f"data: {json.dumps(said)}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(data), data)


async def provide(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while first := await reader.read(1):
        head = first + await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        body = await reader.readexactly(int(length))
        await asyncio.sleep(THINKING)
        if b'"stream": true' in body[-100:]:
            kind = b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            writer.write(b"HTTP/1.1 200 OK\r\n" + kind)
            for number in range(TOKENS):
                if number:
                    await asyncio.sleep(PAUSE)
                writer.write(chunk({"content": "word "}))
            usage = {"prompt_tokens": 1000, "completion_tokens": TOKENS}
            writer.write(chunk({}, choices=[], usage=usage))
            writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        else:
            message = {"role": "assistant", "content": "word " * TOKENS}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            usage = {"prompt_tokens": 1000, "completion_tokens": TOKENS}
            said = json.dumps({"model": "gpt-4o", "choices": choices, "usage": usage}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(said), said))


async def serve(pem: str) -> None:
    """Serve a provider with TLS and a provider without, and print their ports."""
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(pem)
    options: dict[str, Any] = {"limit": 2**20}
    plain = await asyncio.start_server(provide, "127.0.0.1", 0, **options)
    closed = await asyncio.start_server(provide, "127.0.0.1", 0, ssl=secure, **options)
    ports = [each.sockets[0].getsockname()[1] for each in (plain, closed)]
    sys.stdout.write(f"{json.dumps(ports)}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


def once(connection: http.client.HTTPConnection, path: str, body: bytes) -> tuple[float, float]:
    """Return the milliseconds until the first token, and in total."""
    before = time.perf_counter()
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    response.read1(65536)
    first = time.perf_counter()
    response.read()
    return 1000 * (first - before), 1000 * (time.perf_counter() - before)


def measure(
    what: str, ways: dict[str, tuple[http.client.HTTPConnection, str]], body: bytes
) -> None:
    """Measure all ways in turn, so that other load affects them equally."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for round_ in range(REPEATS + 3):
        for name, (connection, path) in ways.items():
            took = once(connection, path, body)
            if round_ >= 3:
                times[name].append(took)
    for index, part in enumerate(("first token", "in all")):
        base = [each[index] for each in times["direct"]]
        for name, all_ in times.items():
            values = [each[index] for each in all_]
            middle, least = statistics.median(values), min(values)
            added = f"+{middle - statistics.median(base):.1f} / +{least - min(base):.1f}"
            words = f"{what}, {name}, {part}"
            sys.stdout.write(f"{words:48} {middle:7.1f} ms, min {least:6.1f}   added {added}\n")


def main() -> None:
    authority = trustme.CA()
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def run(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(30)

    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        pem, roots = here / "server.pem", here / "roots.pem"
        authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(pem))
        authority.cert_pem.write_to_path(str(roots))
        os.environ["SSL_CERT_FILE"] = str(roots)
        command = [sys.executable, __file__, "provide", str(pem)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as provider:
            assert provider.stdout is not None
            plain, secure = json.loads(provider.stdout.readline())
            os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{plain}/v1"
            models = RecordedModels(
                EpisodeModels(), here, here / "screens", Nobody(), hosts=["localhost"]
            )
            port = LocalPort(models)
            run(port.start())
            compare(port, models, plain, secure)
            run(port.close())
            provider.communicate()


def compare(port: LocalPort, models: RecordedModels, plain: int, secure: int) -> None:
    proxy = urlsplit(models.environment["HTTPS_PROXY"])
    login = f"{unquote(proxy.username or '')}:{proxy.password}".encode()
    trusted = ssl.create_default_context(cafile=models.environment["SSL_CERT_FILE"])
    tunnel = http.client.HTTPSConnection("127.0.0.1", port.number, context=trusted)
    basic = f"Basic {base64.b64encode(login).decode()}"
    tunnel.set_tunnel("localhost", secure, {"Proxy-Authorization": basic})
    route = urlsplit(models.openai_chat_url).path
    ways: dict[str, tuple[http.client.HTTPConnection, str]] = {
        "direct": (http.client.HTTPConnection("127.0.0.1", plain), "/v1/chat/completions"),
        "base URL": (http.client.HTTPConnection("127.0.0.1", port.number), route),
    }
    fixed: dict[str, tuple[http.client.HTTPConnection, str]] = {
        "direct": (
            http.client.HTTPSConnection("localhost", secure, context=trusted),
            "/v1/chat/completions",
        ),
        "proxy": (tunnel, "/v1/chat/completions"),
    }
    words = [{"type": "text", "text": "What now?"}]
    seen = [*words, {"type": "image_url", "image_url": {"url": URL}}]
    for what, content, stream in (
        ("words", words, False),
        ("200 KB picture", seen, False),
        ("200 KB picture, streamed", seen, True),
    ):
        asked = {"messages": [{"role": "user", "content": content}], "model": "gpt-4o"}
        body = json.dumps({**asked, "stream": stream}).encode()
        measure(what, ways, body)
        measure(f"{what}, https", fixed, body)
    for connection, _ in (*ways.values(), *fixed.values()):
        connection.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["provide"]:
        asyncio.run(serve(sys.argv[2]))
    else:
        main()
