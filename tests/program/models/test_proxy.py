"""Programs with a provider's URL built in, for which the port acts as a proxy."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.llm.reference import parse_reference

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Make, Recorder

BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": "What now?"}]}
OPENAI = "https://api.openai.com/v1/chat/completions"
PYTHON = {
    "urllib": """
import json, sys, urllib.request
headers = {"Content-Type": "application/json"}
request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), headers)
print(urllib.request.urlopen(request).read().decode())
""",
    "requests": """
import json, sys, requests
print(requests.post(sys.argv[1], json=json.loads(sys.argv[2])).text)
""",
    "httpx": """
import json, sys, httpx2
print(httpx2.post(sys.argv[1], json=json.loads(sys.argv[2])).text)
""",
}


@pytest.fixture
def recorder(make: Make, tmp_path: Path) -> Recorder:
    """Recorded models whose replies come from a script."""
    script = tmp_path / "replies.jsonl"
    script.write_text('{"reply": "Tap it.", "input_tokens": 9, "output_tokens": 2}\n"two"\n')
    return make(model=parse_reference(f"scripted:{script}"))


def run(recorder: Recorder, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **recorder.environment, **more}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=30, check=False
    )


def command(client: str, url: str, body: Any) -> list[str]:
    if client == "curl":
        kind = "Content-Type: application/json"
        return ["curl", "-sS", "--http1.1", "-H", kind, "-d", json.dumps(body), url]
    return [sys.executable, "-c", PYTHON[client], url, json.dumps(body)]


@pytest.mark.parametrize(
    "client", ["curl", "urllib", "requests", pytest.param("httpx", marks=pytest.mark.slow)]
)
def test_fixed_url_is_recorded(recorder, client):
    done = run(recorder, *command(client, OPENAI, BODY))
    assert json.loads(done.stdout)["choices"][0]["message"]["content"] == "Tap it.", done.stderr
    (line,) = recorder.lines
    assert line["prompt"] == [{"role": "user", "content": ["What now?"]}]
    assert line["call"]["input_tokens"] == 9
    assert line["call"]["model"].startswith("scripted:")


def test_fixed_url_is_streamed(recorder):
    done = run(recorder, *command("curl", OPENAI, {**BODY, "stream": True}), "-N")
    assert done.stdout.endswith("data: [DONE]\n\n")
    assert '"choices":[],' not in done.stdout.replace(" ", "")
    assert recorder.lines[0]["call"]["input_tokens"] == 9


def test_other_users_of_the_machine_cannot_use_the_proxy(recorder):
    proxy = f"http://127.0.0.1:{recorder.port.number}"
    done = run(recorder, *command("curl", OPENAI, BODY), HTTPS_PROXY=proxy, https_proxy=proxy)
    assert "407" in done.stderr
    url = f"{proxy}/wrong/openai/v1/chat/completions"
    done = run(recorder, *command("curl", url, BODY), "-w", "%{http_code}")
    assert done.stdout.endswith("404")
    assert recorder.lines == []


def test_hosts_other_than_models_can_be_refused(make):
    recorder = make(network="models")
    for url in ("https://example.com/", "http://example.com/"):
        done = run(recorder, *command("curl", url, {}), "-w", "%{http_connect} %{http_code}")
        assert "403" in done.stdout


def test_plain_http_passes_and_model_calls_are_recorded(make):
    """The port itself serves both here: first as any other host, then as a provider."""
    recorder, other = make(hosts=["localhost"]), make()

    async def say(given: dict[str, Any]) -> dict[str, Any]:
        return {"choices": [{"message": {"content": "Tap it."}}], **given}

    other.port.answer("chat", say)
    url = other.port.url("chat")
    done = run(recorder, *command("curl", url, {"a": 1}), "--noproxy", "")
    assert json.loads(done.stdout)["a"] == 1
    assert recorder.lines == []
    url = url.replace("127.0.0.1", "localhost") + "/completions"
    done = run(recorder, *command("curl", url, BODY), "--noproxy", "")
    assert json.loads(done.stdout)["model"] == "gpt-4o"
    assert recorder.lines[0]["reply"]["text"] == "Tap it."


def test_other_hosts_are_tunnelled(make):
    """Bytes pass unchanged through a tunnel; NO_PROXY is cleared so that there is one."""
    recorder = make()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read(5))[::-1])
        await writer.drain()
        writer.close()

    async def serve() -> asyncio.Server:
        return await asyncio.start_server(echo, "127.0.0.1", 0)

    async def ask(port: int) -> bytes:
        login = recorder.environment["HTTPS_PROXY"].partition("//")[2].rpartition("@")[0]
        basic = base64.b64encode(login.encode()).decode()
        reader, writer = await asyncio.open_connection("127.0.0.1", recorder.port.number)
        writer.write(
            f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n"
            f"Proxy-Authorization: Basic {basic}\r\n\r\n".encode()
        )
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"12345")
        came = await reader.read()
        writer.close()
        return came

    async def both() -> bytes:
        async with await serve() as server:
            return await ask(server.sockets[0].getsockname()[1])

    assert recorder.run(both()) == b"54321"
