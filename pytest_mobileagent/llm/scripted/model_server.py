"""A scripted model as a local HTTP server that speaks the APIs of real providers."""

from __future__ import annotations

import atexit
import contextlib
import secrets
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from pytest_mobileagent.jsonable import why_unreadable
from pytest_mobileagent.llm.model import RequestRefusedError
from pytest_mobileagent.llm.scripted.apis import Direct, Incoming, ModelRequest, Outgoing, as_json
from pytest_mobileagent.llm.scripted.apis.anthropic_messages import AnthropicMessages
from pytest_mobileagent.llm.scripted.apis.gemini import Gemini
from pytest_mobileagent.llm.scripted.apis.openai import OpenAIChat, OpenAIResponses
from pytest_mobileagent.llm.scripted.apis.predict import Gradio, Names, Predict
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply
from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    from typing import Self

    from pytest_mobileagent.llm.model import Request
    from pytest_mobileagent.llm.scripted.apis import Api

_KEY_HEADERS = ("x-api-key", "api-key", "x-goog-api-key")  # Anthropic's, Azure's, Google's
_CUT = "This reply was meant to be longer, but the connection breaks off in the middle of it."
_MALFORMED = b'{"id": "scripted", "model": '


class Speaker(Protocol):
    """A scripted model that can be served."""

    model: str

    def next(self, request: Request) -> tuple[ScriptedReply | Fault, float]:
        """Return the reply to a request, and its delay in seconds."""


class ServedModel(str):
    """The URL of a scripted model's server, which runs until it is closed or this process ends.

    The URL's path begins with the server's key. Requests with neither this path nor the key, such
    as those of other users of the machine, get the status 401. Command lines and records may show
    `address` instead; `key` then belongs in the environment, like a provider's key.
    """

    __slots__ = ("_server",)

    _server: _Server

    @property
    def address(self) -> str:
        """The URL without the key."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def key(self) -> str:
        """The key, which takes the place of a provider's key; each server has its own."""
        return self._server.key

    @classmethod
    def start(cls, model: Speaker) -> Self:
        """Start a server on a free loopback port, which other machines cannot reach."""
        server = _Server(model)
        url = cls(f"http://127.0.0.1:{server.server_port}/{server.key}")
        url._server = server
        return url

    def close(self) -> None:
        """Stop the server; clients that are still waiting for an answer lose the connection."""
        self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Speaker) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.key = f"sk-scripted-{secrets.token_urlsafe(18)}"
        self.names = Names(model.model)
        kinds = (OpenAIChat, OpenAIResponses, AnthropicMessages, Gemini, Gradio, Predict)
        self.apis: tuple[Api, ...] = (*(kind() for kind in kinds), self.names)
        self.numbers = count(1)
        self.closing = threading.Event()
        self._loop = threading.Thread(target=self.serve_forever, daemon=True, name="scripted model")
        self._loop.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Stop listening, and release waiting requests."""
        if self.closing.is_set():
            return
        self.closing.set()
        atexit.unregister(self.stop)
        with contextlib.suppress(OSError):  # wakes the loop on Linux; elsewhere this is not needed
            self.socket.shutdown(socket.SHUT_RDWR)
        self.shutdown()
        self.server_close()
        self._loop.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """Answer a request for the models or for a result."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer a request to the model."""
        self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def _answer(self, data: bytes) -> None:
        url = urlsplit(self.path)
        kind, query = self.headers.get("Content-Type", ""), dict(parse_qsl(url.query))
        api: Api = self.server.names
        path = self._path(url.path, query.get("key", ""))
        if path is None:
            why = "the key of this scripted model is missing or wrong"
            return self._send(401, api.error(401, why, ""), {"WWW-Authenticate": "Bearer"})
        incoming = Incoming(self.command, path, query, kind, data)
        try:
            for api in self.server.apis:
                if asked := api.read(incoming):
                    break
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            about = f"{type(error).__name__}: {why_unreadable(error)}"
            return self._send(400, api.error(400, f"the body cannot be read: {about}", ""))
        if asked is None:
            return self._send(404, api.error(404, f"nothing is at {path}", ""))
        if isinstance(asked, Direct):
            return self._send(200, asked.body)
        return self._reply(api, asked)

    def _path(self, path: str, asked: str) -> str | None:
        """Return the path of a request without the key; None if the request has no key."""
        first, _, rest = path[1:].partition("/")
        if self._is_key(unquote(first)):
            return f"/{rest}"
        scheme, _, bearer = self.headers.get("Authorization", "").partition(" ")
        given = [asked, bearer.strip() if scheme.lower() == "bearer" else ""]
        given += [self.headers.get(name, "") for name in _KEY_HEADERS]
        return path if any(map(self._is_key, given)) else None

    def _is_key(self, given: str) -> bool:
        key = self.server.key.encode()
        return secrets.compare_digest(given.encode("utf-8", "replace"), key)

    def _reply(self, api: Api, asked: ModelRequest) -> None:
        model = self.server.model
        try:
            entry, wait = model.next(asked.request)
        except RequestRefusedError as error:
            return self._send(400, api.error(400, str(error), ""))
        except Exception as error:  # noqa: BLE001 - from a user's function; clients may see it
            return self._send(400, api.error(400, f"{type(error).__name__}: {error}", ""))
        if isinstance(entry, Fault):
            return self._fail(api, asked, entry)
        outgoing = self._outgoing(entry, asked)
        if not asked.request.stream:
            if self.server.closing.wait(wait):
                return None
            return self._send(200, api.whole(outgoing))
        self._begin_stream(api, asked)
        if not self.server.closing.wait(wait):
            for piece in api.stream(outgoing):
                self._piece(piece)
            self._piece(b"")
        return None

    def _outgoing(self, reply: ScriptedReply, asked: ModelRequest) -> Outgoing:
        own = self.server.model.model
        name = asked.model if own == "scripted" and asked.model else own
        return Outgoing(reply, asked, name, next(self.server.numbers))

    def _fail(self, api: Api, asked: ModelRequest, fault: Fault) -> None:
        if fault.status is not None:
            body = api.error(fault.status, fault.words, fault.code)
            wait = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
            return self._send(fault.status, body, wait)
        match fault.kind:
            case "timeout":
                while not (self.server.closing.is_set() or is_readable(self.connection, 0.05)):
                    pass  # until the client goes
            case "cut":
                self._cut(api, asked, fault.pieces)
            case "malformed" if asked.request.stream:
                self._begin_stream(api, asked)
                self._piece(b"data: " + _MALFORMED + b"\n\n")
                self._piece(b"")
            case "malformed":
                self._send(200, _MALFORMED)
        self.close_connection = True
        return None

    def _cut(self, api: Api, asked: ModelRequest, most: int) -> None:
        outgoing = self._outgoing(ScriptedReply(_CUT), asked)
        if asked.request.stream:
            self._begin_stream(api, asked)
            for piece in list(api.stream(outgoing))[:-1][:most]:
                self._piece(piece)
        else:
            data = as_json(api.whole(outgoing))
            self._head(200, "application/json", {"Content-Length": str(len(data))})
            self.wfile.write(data[: len(data) // 2])

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else as_json(body)
        more = {"Content-Length": str(len(data)), **(headers or {})}
        self._head(status, "application/json", more)
        self.wfile.write(data)

    def _begin_stream(self, api: Api, asked: ModelRequest) -> None:
        self._head(200, api.stream_type(asked), {"Transfer-Encoding": "chunked"})

    def _head(self, status: int, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def _piece(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
