"""Tests of what the Appium driver makes of the errors and page sources of servers and hubs."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Tap, Type
from pytest_mobileagent.device.device import Settle
from pytest_mobileagent.device.drivers.appium import connect_remote
from tests.field.corpus import PNG, outputs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.field.corpus import Output

pytest.importorskip("appium")

PAGE = (
    '<hierarchy rotation="0"><node class="android.widget.Button" bounds="[0,0][1,1]"/></hierarchy>'
)
NO_SHELL = "Potentially insecure feature 'adb_shell' has not been enabled"
ANSWERS = {
    "GET source": PAGE,
    "GET screenshot": base64.b64encode(PNG).decode(),
    "GET window/rect": {"x": 0, "y": 0, "width": 1, "height": 1},
    "GET element/active": {"element-6066-11e4-a52e-4f735466cecf": "1"},
    "mobile: deviceInfo": {"apiVersion": "34"},
    "mobile: getCurrentPackage": "com.example.notes",
    "mobile: getCurrentActivity": ".MainActivity",
    "mobile: getDeviceTime": "2026-03-04T05:06:07+00:00",
}


class Server(ThreadingHTTPServer):
    """A server with a session, which answers one request as the entry says, once."""

    daemon_threads = True

    def __init__(self, entry: Output) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.entry: Output | None = entry
        self.asked: list[str] = []

    def answer(self, request: str) -> tuple[int, str]:
        """Return the HTTP status and the body for a request."""
        self.asked.append(request)
        if self.entry is not None and self.entry.command == request:
            entry, self.entry = self.entry, None
            if entry.output.startswith(("{", "<html")):
                return entry.status, entry.output
            if not entry.status:
                return 200, json.dumps({"value": entry.output})
            return entry.status, failed(entry.also["error"], entry.output.strip())
        if request == "POST session":
            return 200, json.dumps({"value": {"sessionId": "1", "capabilities": {}}})
        if request == "mobile: shell":
            return 500, failed("unknown error", NO_SHELL)
        return 200, json.dumps({"value": ANSWERS.get(request)})


def failed(error: str, message: str) -> str:
    """Return the body of an error in W3C's format."""
    return json.dumps({"value": {"error": error, "message": message, "stacktrace": ""}})


class Handler(BaseHTTPRequestHandler):
    """Reads requests and sends the server's answers."""

    server: Server

    def do(self) -> None:
        """Answer a request."""
        size = int(self.headers.get("Content-Length") or 0)
        content = json.loads(self.rfile.read(size) or "{}")
        path = self.path.removeprefix("/session/1/").strip("/")
        request = content.get("script") or f"{self.command} {path}"
        status, body = self.server.answer(request)
        raw = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if body[:1] == "<" else "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_DELETE = do  # noqa: N815 - their names

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextlib.contextmanager
def serving(entry: Output) -> Iterator[tuple[Server, str]]:
    """Yield a server and its URL."""
    with Server(entry) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def done(entry: Output) -> str:
    """Do what asks for the entry's request; return what came of it, and in which session."""
    with serving(entry) as (server, url):
        result = _done(entry, server, url)
        return result + " in a new session" * (server.asked.count("POST session") > 1)


def _done(entry: Output, server: Server, url: str) -> str:
    device = connect_remote(url, Settle(0), {})
    if entry.command == "mobile: clickGesture":
        device.perform(Tap(1, 2))
    elif "element" in entry.command:
        device.perform(Type("x"))
    else:
        page = device.observe().screen
        return "page" if page.xml == PAGE else ", ".join(each.class_name for each in page.elements)
    effects = {"POST element/1/value", "mobile: type", "mobile: clickGesture"}
    last = [each for each in server.asked if each in effects][-1:]
    return last[0] if last and server.entry is None else "no effect"


@outputs_of("appium")
def test_answers_of_servers(entry: Output) -> None:
    entry.check(lambda: done(entry))
