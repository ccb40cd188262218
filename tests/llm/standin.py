"""A stand-in for a provider over HTTP, which gives the answers of a list, one after another."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class StandIn(ThreadingHTTPServer):
    """Gives each answer once, and the last one for ever: a status, and JSON data or a text.

    A text is a stream of server-sent events.
    """

    daemon_threads = True

    def __init__(self, answers: list[tuple[int, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.asked = 0

    @property
    def url(self) -> str:
        """The URL of its root."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def do_GET(self) -> None:
        self._send(200, "application/json", b'{"data": []}')

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body = self.server.answers[min(self.server.asked, len(self.server.answers) - 1)]
        self.server.asked += 1
        is_stream = isinstance(body, str)
        kind = "text/event-stream" if is_stream else "application/json"
        self._send(status, kind, body.encode() if is_stream else json.dumps(body).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextlib.contextmanager
def standing_in(*answers: tuple[int, Any]) -> Iterator[StandIn]:
    """Serve answers during a test."""
    with StandIn(list(answers)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def events(*data: Any) -> str:
    """Return a stream of server-sent events."""
    return "".join(f"data: {json.dumps(each)}\n\n" for each in data) + "data: [DONE]\n\n"


def error(code: Any, message: str = "No.", **more: Any) -> dict[str, Any]:
    """Return an error in OpenAI's format."""
    return {"error": {"message": message, "code": code, **more}}


def reply(finish: str, **more: Any) -> dict[str, Any]:
    """Return an empty chat completion."""
    choice = {"index": 0, "message": {"content": ""}, "finish_reason": finish, **more}
    usage = {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}
    return {"object": "chat.completion", "model": "own", "choices": [choice], "usage": usage}


# What a provider answers, and whose fault it is (see report.json).
FAULTS: list[tuple[int, Any, str]] = [
    (400, error("Arrearage"), "infrastructure"),
    (402, error(402, "Insufficient credits"), "infrastructure"),
    (403, error("", "Your team has used all available credits"), "infrastructure"),
    (429, error("1113"), "infrastructure"),
    (200, error(402, "Insufficient credits"), "infrastructure"),
    (400, error("1301"), "agent"),
    (403, error(403, metadata={"reasons": ["violence"]}), "agent"),
    (200, error(403, metadata={"reasons": ["violence"]}), "agent"),
    (200, reply("content_filter: PROHIBITED_CONTENT", message=None), "agent"),
    (200, reply("sensitive"), "agent"),
]
