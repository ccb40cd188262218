"""The command that a person runs, with a virtual phone and without any."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.mcp.bridge import stdio_command, write_configuration
from tests.mcp.fakes import call, post_modern, text_of
from tests.mcp.test_endpoint import AT, CLICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address

COMMAND = [sys.executable, "-m", "pytest_mobileagent", "mcp"]


def where(phone):
    return f"{phone.adb_host}:{phone.adb_port}/{phone.serial}"


@pytest.fixture
def process(phone: Address, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """The command, which serves a phone over HTTP."""
    monkeypatch.setenv("HOME", phone.home)
    with subprocess.Popen(
        [*COMMAND, "--device", where(phone)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


@pytest.mark.slow
def test_a_phone_is_served_until_ctrl_c(process, phone):
    lines = [process.stdout.readline()]
    while "claude mcp add" not in lines[-1]:
        lines.append(process.stdout.readline())
        assert lines[-1], process.stderr.read()
    text = "".join(lines)
    assert lines[0] == f"{phone.serial} is served at\n"
    url = lines[2].strip()
    assert f'"url": "{url}"' in text
    size = text_of(post_modern(url, call(1, "mobile_get_screen_size")))
    assert size == "Screen size is 706x1568 pixels"
    assert text_of(post_modern(url, call(2, CLICK, **AT))).endswith("(step 1)")
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    assert process.stderr.read() == ""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_can_start_it(phone, mode):
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def play():
        words = [*COMMAND[1:], "--stdio", "--device", where(phone)]
        server = StdioServerParameters(command=sys.executable, args=words, env={"HOME": phone.home})
        async with Client(stdio_client(server), mode=mode) as client:
            shown = (await client.call_tool("mobile_take_screenshot", {})).content
            assert len(shown) == 2

    asyncio.run(play())


@pytest.mark.slow
def test_a_client_that_is_killed_takes_it_along(phone):
    words = [*COMMAND, "--stdio", "--device", where(phone)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "HOME": phone.home}
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdin.close()
        assert process.wait(10) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--device is missing"),
        (["--device", "a/b"], "--device=a/b"),
        (["--device", "serial:a,b"], "must name one device"),
        (["--connect", "/no/such/file"], "--connect=/no/such/file cannot be read: [Errno 2]"),
        (["--connect", os.devnull], "it is not a regular file"),
        (["--connect", "ftp://x"], "is not an http:// or https:// URL"),
        (["--connect", "http://x", "--device", "virtual"], "cannot be combined"),
    ],
)
def test_invalid_arguments_are_a_usage_error(words, told, capsys, monkeypatch):
    monkeypatch.delenv("MOBILEAGENT_MCP_URL", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(["mcp", *words])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_device_that_does_not_exist_is_explained(phone, capsys):
    assert main(["mcp", "--device", f"{phone.adb_host}:{phone.adb_port}/nowhere"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("ERROR: --device=")
    assert "does not list it" in shown


def test_a_client_finds_the_phone_by_a_file_so_that_no_token_is_in_a_command_line(
    tmp_path, monkeypatch
):
    asked: list[str] = []
    monkeypatch.setattr("pytest_mobileagent.mcp.bridge", asked.append)
    url, file = "http://127.0.0.1:1/t0k3n/mcp", tmp_path / "mcp.json"
    write_configuration(file, url)
    words = stdio_command(file)
    assert "t0k3n" not in " ".join(words)
    main(words[words.index("mcp") :])
    assert asked == [url]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_configuration_without_a_phone_is_a_usage_error(tmp_path, capsys):
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"camera": {"url": "http://x"}}}')
    with pytest.raises(SystemExit):
        main(["mcp", "--connect", str(tmp_path / "mcp.json")])
    assert 'mcp.json has no server named "phone" with a URL' in capsys.readouterr().err
