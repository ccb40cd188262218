"""The server over HTTP, with clients of both eras of the protocol.

One client is a program with version 1 of the SDK, which most published clients still use.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import json
import logging
import signal
import subprocess
import sys
import threading
import venv
from typing import Any
from urllib.parse import urlsplit

import pytest

from pytest_mobileagent import extras
from pytest_mobileagent.action import Finish, Type
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.mcp.bridge import stdio_command
from pytest_mobileagent.mcp.endpoint import McpEndpoint
from pytest_mobileagent.mcp.tools import TOOLS
from tests.mcp.fakes import MODERN, FakePhone, call, post, post_modern, text_of
from tests.refusals import refused

CLICK = "mobile_click_on_screen_at_coordinates"
AT = {"x": 353, "y": 784}
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_a_client_of_the_sdk_plays_an_episode(serve, mode):
    from mcp.client import Client

    phone = FakePhone(limit=5)
    url = serve(phone)

    async def play():
        async with Client(url, mode=mode) as connected:
            client: Any = connected  # of the many content types, we use two
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools.keys() == TOOLS.keys()
            assert tools["mobile_take_screenshot"].annotations.read_only_hint is True
            assert tools[CLICK].annotations.read_only_hint is False
            text, picture = (await client.call_tool("mobile_take_screenshot", {})).content
            assert "706x1568" in text.text
            assert base64.b64decode(picture.data)[:2] == b"\xff\xd8"
            await client.call_tool(CLICK, {"device": "R5CT", **AT})
            wrong = await client.call_tool(CLICK, {"x": 353})
            assert wrong.is_error
            assert "needs y" in wrong.content[0].text
            unknown = await client.call_tool("mobile_fly", {})
            assert unknown.is_error
            assert (
                "There is no tool 'mobile_fly'. The tools are: mobile_take"
                in unknown.content[0].text
            )
            await client.call_tool("finish", {"answer": "4711"})
            assert (await client.call_tool(CLICK, AT)).is_error

    asyncio.run(play())
    assert phone.done == [Tap(540, 1200), Finish("4711")]


def handshake(url):
    """Begin a session as a client of 2025 does; return the headers of the session."""
    reply, headers = post(url, HELLO)
    session = {
        "Mcp_Session_Id": headers["Mcp-Session-Id"],
        "MCP_Protocol_Version": reply["result"]["protocolVersion"],
    }
    post(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **session)
    return reply["result"], session


def test_a_client_is_served_and_a_repeated_request_acts_once_in_either_era(serve):
    phone = FakePhone()
    url = serve(phone)
    hello, session = handshake(url)
    assert hello["protocolVersion"] == "2025-06-18"
    assert hello["instructions"].endswith("The task: Save it.")
    replies = [post(url, call(7, CLICK, **AT), **session)[0] for _ in range(2)]
    replies += [post_modern(url, call(7, "mobile_type_keys", text="a")) for _ in range(2)]
    assert [reply["id"] for reply in replies] == [7] * 4
    assert "(step 1)" in text_of(replies[0]) == text_of(replies[1])
    assert phone.done == [Tap(540, 1200), Type("a")]
    _, other = handshake(url)
    post(url, call(7, CLICK, **AT), **other)
    post_modern(url, call(8, "mobile_type_keys", text="a"))
    assert phone.done[2:] == [Tap(540, 1200), Type("a")]


def test_a_call_whose_client_went_away_is_done_and_not_repeated(serve):
    phone = FakePhone()
    phone.go_on.clear()
    url = serve(phone)
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname, place.port)
    message = call("a", CLICK, **AT)
    message["params"]["_meta"] = MODERN
    headers = {"Content-Type": "application/json", "Mcp-Method": "tools/call", "Mcp-Name": CLICK}
    headers |= {"Accept": "application/json, text/event-stream"}
    headers["MCP-Protocol-Version"] = "2026-07-28"
    connection.request("POST", place.path, json.dumps(message), headers)
    assert phone.began.wait(10)
    connection.close()
    # Once it has replied to this, the server has noticed that the client is gone.
    post_modern(url, {"jsonrpc": "2.0", "id": "l", "method": "tools/list"})
    phone.go_on.set()
    assert "(step 1)" in text_of(post_modern(url, call("b", CLICK, **AT)))
    assert phone.done == [Tap(540, 1200)]


def test_parallel_calls_are_done_one_after_the_other(serve):
    phone = FakePhone()
    phone.go_on.clear()
    url = serve(phone)
    calls = [
        threading.Thread(target=post_modern, args=(url, call(n, "mobile_type_keys", text=str(n))))
        for n in range(4)
    ]
    for each in calls:
        each.start()
    assert phone.began.wait(10)
    phone.go_on.set()
    for each in calls:
        each.join()
    assert phone.most_busy == 1
    assert len(phone.done) == 4


def test_a_broken_tool_is_an_error_without_internals(serve, monkeypatch, caplog):
    async def broken(self):
        raise RuntimeError("/secret/path")

    monkeypatch.setattr(FakePhone, "packages", broken)
    reply = post_modern(serve(FakePhone()), call(1, "mobile_list_apps"))
    assert reply["result"]["isError"] is True
    assert "mobile_list_apps failed" in text_of(reply)
    assert "secret" not in text_of(reply)
    assert "the tool mobile_list_apps failed" in caplog.text


def test_requests_may_name_the_machine_as_a_container_does_but_not_anyhow(serve):
    url = serve(FakePhone())
    assert post(url, HELLO, Host="host.docker.internal:4000")[0]["result"]
    assert post(url, HELLO, Host="127.0.0.1:1")[0]["result"]
    with refused(400, 403, 421):
        post(url, HELLO, Host="evil.example")
    with refused(403):
        post(url, HELLO, Origin="https://evil.example")


def test_the_secret_path_is_the_only_one(serve):
    url = serve(FakePhone(), path="/secret/mcp")
    assert post(url, HELLO)[0]["result"]
    with refused(404):
        post(url.replace("secret", "guess"), HELLO)


def test_nothing_stays_behind_although_clients_are_still_there(server, caplog):
    caplog.set_level(logging.DEBUG)
    before = signal.getsignal(signal.SIGINT)
    phone = FakePhone()
    endpoint = McpEndpoint(phone)
    port = server.do(endpoint.start())
    url = f"http://127.0.0.1:{port}/mcp"
    _, session = handshake(url)
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {name.replace("_", "-"): value for name, value in session.items()}
    stream.request("GET", "/mcp", headers={**headers, "Accept": "text/event-stream"})
    response = stream.getresponse()
    assert response.status == 200
    phone.go_on.clear()
    waiting = threading.Thread(target=_post_anyhow, args=(url, session))
    waiting.start()
    assert phone.began.wait(10)
    threading.Timer(0.2, phone.go_on.set).start()
    server.do(endpoint.stop())
    waiting.join(10)
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection("127.0.0.1", port).connect()
    response.close()
    stream.close()
    assert server.tasks() == []
    assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []
    assert signal.getsignal(signal.SIGINT) is before
    server.do(endpoint.stop())  # stopping twice is allowed


def _post_anyhow(url, session):
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        post(url, call(1, CLICK, **AT), **session)


def test_the_extra_that_is_missing_is_named(server, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(extras.MissingExtraError, match=r'pip install "\.\[mcp\]"'):
        server.do(McpEndpoint(FakePhone()).start())


PROGRAM = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

async def play(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        assert len(tools.tools) > 20
        shown = await session.call_tool("mobile_take_screenshot", {"device": "x"})
        assert [part.type for part in shown.content] == ["text", "image"], shown
        await session.call_tool(
            "mobile_click_on_screen_at_coordinates", {"device": "x", "x": 353, "y": 784}
        )
        failed = await session.call_tool("mobile_press_button", {"device": "x", "button": "?"})
        assert failed.isError
        await session.call_tool("finish", {"answer": "4711"})

async def main(url, command):
    async with streamablehttp_client(url) as (read, write, _):
        await play(read, write)

async def over_streams(command):
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(server) as (read, write):
        await play(read, write)

url, command = sys.argv[1], json.loads(sys.argv[2])
asyncio.run(main(url, command) if url else over_streams(command))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment with version 1 of the SDK."""
    folder = tmp_path_factory.mktemp("original")
    venv.create(folder, with_pip=True)
    program = str(folder / "bin" / "python")
    installed = subprocess.run(
        [program, "-m", "pip", "install", "--quiet", "mcp<2"],
        check=False,
        capture_output=True,
        text=True,
    )
    if installed.returncode:
        pytest.skip(f"no packages can be had: {installed.stderr[-200:]}")
    return program


@pytest.mark.slow
@pytest.mark.parametrize("over", ["http", "streams"])
def test_the_original_client_plays_unmodified(serve, python, over):
    phone = FakePhone()
    url = serve(phone)
    command = json.dumps([sys.executable, *stdio_command(url)[1:]])
    subprocess.run(
        [python, "-c", PROGRAM, url if over == "http" else "", command], check=True, timeout=60
    )
    assert phone.done == [Tap(540, 1200), Finish("4711")]
