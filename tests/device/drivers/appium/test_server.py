"""Tests of the program that runs an Appium server, with a server that only reports its status."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.device import Settle
from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from pytest_mobileagent.device.drivers.appium import connect_local, server
from pytest_mobileagent.device.drivers.appium.server import AppiumSession
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPIUM = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/die":
            sys.exit(3)
        self.send_response(200)
        self.end_headers()

port = int(sys.argv[sys.argv.index("--port") + 1])
HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yield the program and the server's URL."""
    program = tmp_path / "node_modules" / ".bin" / "appium"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\n{APPIUM}")
    program.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", server.__name__, "--home", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout
        yield process, json.loads(process.stdout.readline())["url"]
        process.kill()


def test_program_ends_when_standard_input_closes(running):
    process, _ = running
    process.stdin.close()
    assert process.wait(20) == 0


def test_program_ends_with_its_server(running):
    process, url = running
    with pytest.raises(OSError, match=r"closed connection"):
        urllib.request.urlopen(f"{url}/die", timeout=20)
    assert process.wait(20) == 1
    assert b"ended with status 3" in process.stderr.read()


def test_failed_session_leaves_no_connection(phone, monkeypatch):
    left = []

    def refuse(session):
        raise OSError("refused")

    monkeypatch.setattr(AppiumSession, "_create", refuse)
    close = AdbSystem.close

    def remember(system):
        left.append(system)
        close(system)

    monkeypatch.setattr(AdbSystem, "close", remember)
    with pytest.raises(DeviceError, match="does not answer"):
        connect_local(phone, "http://127.0.0.1:1", Settle(), {})
    (system,) = left
    assert system._shell._stream is None
