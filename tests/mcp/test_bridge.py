"""The bridge from standard streams to the server, for clients that start a command."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

import pytest

from pytest_mobileagent.action import Finish
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.mcp.bridge import stdio_command
from tests.mcp.fakes import MODERN, FakePhone, call
from tests.mcp.test_endpoint import AT, CLICK, HELLO

READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_of_the_sdk_plays_through_a_command(serve, mode):
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    phone = FakePhone()
    program, *words = stdio_command(serve(phone))

    async def play():
        server = StdioServerParameters(command=program, args=words)
        async with Client(stdio_client(server), mode=mode) as client:
            assert len((await client.list_tools()).tools) > 20
            await client.call_tool(CLICK, AT)
            assert len((await client.call_tool("mobile_take_screenshot", {})).content) == 2
            several = [client.call_tool("mobile_get_orientation", {}) for _ in range(3)]
            assert [r.is_error for r in await asyncio.gather(*several)] == [False] * 3
            await client.call_tool("finish", {"answer": "é ✓"})

    asyncio.run(play())
    assert phone.done == [Tap(540, 1200), Finish("é ✓")]


def passed(url, *messages):
    """Write messages to the command, close its input, and return its replies by id."""
    lines = [m if isinstance(m, str) else json.dumps(m) for m in messages]
    result = subprocess.run(
        stdio_command(url),
        check=False,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (result.returncode, result.stderr) == (0, "")
    replies = [json.loads(line) for line in result.stdout.splitlines()]
    return {reply["id"]: reply for reply in replies}


def modern(message):
    return {**message, "params": {**message.get("params", {}), "_meta": MODERN}}


def test_requests_before_the_end_of_input_are_answered(serve):
    phone = FakePhone()
    replies = passed(
        serve(phone), HELLO, READY, "", call(1, CLICK, **AT), "no JSON", call("b", "?")
    )
    assert replies[0]["result"]["serverInfo"]["name"] == "phone"
    assert "(step 1)" in replies[1]["result"]["content"][0]["text"]
    assert replies["b"]["result"]["isError"] is True
    assert replies[None]["error"]["code"] == -32700
    assert phone.done == [Tap(540, 1200)]


def test_modern_requests_get_their_headers(serve):
    asked = [modern(call(1, CLICK, **AT)), modern(call(2, "kein Wörkzeug"))]
    asked += [modern({"jsonrpc": "2.0", "id": 3, "method": "server/discover"})]
    asked += [modern({"jsonrpc": "2.0", "id": 4, "method": "nothing/such"})]
    replies = passed(serve(FakePhone()), *asked)
    assert "(step 1)" in replies[1]["result"]["content"][0]["text"]
    assert "There is no tool" in replies[2]["result"]["content"][0]["text"]
    assert "2026-07-28" in replies[3]["result"]["supportedVersions"]
    assert replies[4]["error"]["code"] == -32601


def test_a_server_that_is_gone_is_an_error_of_each_request(unused_port):
    url = f"http://127.0.0.1:{unused_port}/mcp"
    replies = passed(url, READY, call(1, CLICK, **AT), modern(call(2, CLICK, **AT)))
    assert replies.keys() == {1, 2}
    assert "the episode is over" in replies[1]["error"]["message"]


def test_a_cancelled_request_gets_no_reply_and_holds_nothing_up(serve):
    phone = FakePhone()
    phone.go_on.clear()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with subprocess.Popen(
        stdio_command(serve(phone)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(modern(call(1, CLICK, **AT))).encode() + b"\n")
        process.stdin.flush()
        assert phone.began.wait(10)
        process.stdin.write(json.dumps(modern(cancel)).encode() + b"\n")
        assert process.communicate(timeout=10)[0] == b""
    phone.go_on.set()


def test_the_url_may_stand_in_the_environment_and_loads_nothing_heavy(serve):
    code = (
        "import sys; from pytest_mobileagent.__main__ import main; "
        "status = main(['mcp']); print(status, 'mcp' in sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(HELLO),
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "MOBILEAGENT_MCP_URL": serve(FakePhone())},
    )
    assert '"serverInfo"' in result.stdout
    assert result.stderr == "0 False\n"
