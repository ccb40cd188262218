"""A program with the SDK's first line, as most published clients still have it."""

from __future__ import annotations

import json
import subprocess
import sys
import venv

import pytest

from pytest_mobileagent.action.action import Finish, Tap
from pytest_mobileagent.mcp.clients import stdio_command
from tests.mcp.fakes import FakePhone

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
    """A Python with the SDK's first line."""
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
