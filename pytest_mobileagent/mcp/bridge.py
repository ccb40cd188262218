"""How MCP clients reach the phone: a configuration, or a command that bridges streams and HTTP.

Messages are passed on unchanged, in both eras of the protocol (with and without a handshake); only
the headers that HTTP needs are added. Clients wait for it to load, so it needs only Python itself.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import re
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_mobileagent.jsonable import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_CONNECT_SECONDS = 10.0
_PARSE_ERROR, _SERVER_ERROR = -32700, -32000


class Bridge:
    """Passes the messages of one client to the server at `url`; replies go to a file descriptor."""

    def __init__(self, url: str, out: int) -> None:
        self._url = urlsplit(url)
        self._out = out
        self._writing = threading.Lock()
        self._session: dict[str, str] = {}  # headers agreed in a handshake
        self._open: dict[str, http.client.HTTPConnection] = {}  # of modern requests, by id

    def run(self, incoming: int) -> None:
        """Pass messages on until the file descriptor `incoming` ends and all are answered."""
        threads: list[threading.Thread] = []
        for line in _lines(incoming):
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                why = f"the message is not JSON: {why_unreadable(error)}"
                self._write(_error(None, _PARSE_ERROR, why))
                continue
            if _method(message) in {"initialize", "notifications/initialized"}:
                self._pass(message)  # later ones need the headers that the handshake agrees on
            elif not self._cancels(message):
                thread = threading.Thread(target=self._pass, args=(message,), daemon=True)
                thread.start()
                threads = [*(each for each in threads if each.is_alive()), thread]
        for thread in threads:
            thread.join()
        self._leave()

    def _pass(self, message: Any) -> None:
        """Send a message, and write the server's replies."""
        request = _id(message)
        connection = self._connect()
        modern = request is not None and _version(message) is not None
        if modern:
            self._open[request or ""] = connection
        try:
            body = json.dumps(message).encode()
            connection.request("POST", self._path, body, self._headers(message))
            response = connection.getresponse()
            session = response.getheader("Mcp-Session-Id")
            if _method(message) == "initialize" and session:
                self._session = {"Mcp-Session-Id": session}
            answered = False
            for reply in _replies(response):
                answered = answered or "method" not in reply
                self._note_version(message, reply)
                self._write(reply)
            if request is not None and not answered:
                self._fail(message, f"the phone's server answered with status {response.status}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            cancelled = modern and self._open.get(request or "") is not connection
            if request is not None and not cancelled:
                self._fail(message, f"the phone's server is gone: the episode is over ({error})")
        finally:
            if modern and self._open.get(request or "") is connection:
                del self._open[request or ""]
            connection.close()

    @property
    def _path(self) -> str:
        return (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")

    def _connect(self) -> http.client.HTTPConnection:
        https = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if https else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=_CONNECT_SECONDS)
        with contextlib.suppress(OSError):  # the request will fail and report it
            connection.connect()
            connection.sock.settimeout(None)  # a tool may run for any length of time
        return connection

    def _headers(self, message: Any) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        version = _version(message)
        if version is None:
            return {**headers, **({} if _method(message) == "initialize" else self._session)}
        method = _method(message)
        headers |= {"MCP-Protocol-Version": version, "Mcp-Method": method}
        name = message["params"].get(_NAMES.get(method, ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = _header(name)
        return headers

    def _note_version(self, message: Any, reply: dict[str, Any]) -> None:
        match reply:
            case {"result": {"protocolVersion": str(version)}} if _method(message) == "initialize":
                self._session["MCP-Protocol-Version"] = version

    def _cancels(self, message: Any) -> bool:
        """Return whether a message cancels a modern request, whose connection is then closed."""
        if _method(message) != "notifications/cancelled":
            return False
        params = message.get("params")
        number = json.dumps(params.get("requestId")) if isinstance(params, dict) else ""
        connection = self._open.pop(number, None)
        if connection is None:
            return _version(message) is not None
        if connection.sock is not None:
            with contextlib.suppress(OSError):  # it may have ended by itself
                connection.sock.shutdown(socket.SHUT_RDWR)
        return True

    def _leave(self) -> None:
        """End the session if there is one."""
        if "Mcp-Session-Id" not in self._session:
            return
        with (
            contextlib.closing(self._connect()) as connection,
            contextlib.suppress(OSError, http.client.HTTPException),  # the server may be gone
        ):
            connection.request("DELETE", self._path, headers=self._session)
            connection.getresponse().read()

    def _fail(self, message: dict[str, Any], why: str) -> None:
        self._write(_error(message["id"], _SERVER_ERROR, why))

    def _write(self, message: dict[str, Any]) -> None:
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._writing, contextlib.suppress(BrokenPipeError):  # the client has gone
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._out, rest) :]


def bridge(url: str) -> int:
    """Bridge the standard streams of this process until the client closes them; return 0."""
    incoming, out = take_streams()
    with contextlib.suppress(KeyboardInterrupt):
        Bridge(url, out).run(incoming)
    return 0


def take_streams() -> tuple[int, int]:
    """Reserve standard input and output for messages, and return their new descriptors.

    All other output of this process goes to standard error from now on.
    """
    incoming, out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return incoming, out


def _lines(incoming: int) -> Iterator[bytes]:
    """Yield the lines of a file descriptor; no lock is held while waiting."""
    rest = b""
    while chunk := os.read(incoming, 1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest


def _replies(response: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    """Yield the messages of a response as they arrive: one as JSON, or several as events."""
    if (response.getheader("Content-Type") or "").startswith("text/event-stream"):
        data: list[str] = []
        for raw in response:
            line = raw.decode("utf-8").rstrip("\r\n")
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield from _objects("\n".join(data))
                data.clear()
    else:
        yield from _objects(response.read().decode("utf-8", "replace"))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return  # the body is empty, or an error page
    if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
        yield message


def _method(message: Any) -> str:
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else ""


def _id(message: Any) -> str | None:
    """Return the id of a request as JSON; None if the message is not a request."""
    asks = isinstance(message, dict) and "method" in message and message.get("id") is not None
    return json.dumps(message["id"]) if asks else None


def _version(message: Any) -> str | None:
    """Return the protocol version that a modern message names; None for other messages."""
    match message:
        case {"params": {"_meta": {"io.modelcontextprotocol/protocolVersion": str(version)}}}:
            return version if re.fullmatch(r"[\w.-]+", version) else None
    return None


def _header(text: str) -> str:
    """Return the text as the value of a header, encoded in base64 if necessary."""
    if re.fullmatch(r"[!-~]([ -~]*[!-~])?", text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def _error(request: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": text}}


def configuration(url: str) -> dict[str, Any]:
    """Return a configuration for Claude Code and other clients, with a server named "phone"."""
    return {"mcpServers": {"phone": {"type": "http", "url": url}}}


def write_configuration(path: Path, url: str) -> None:
    """Write the configuration to a file that only this user can read: the URL contains a token."""
    path.touch(mode=0o600)
    path.write_text(json.dumps(configuration(url), indent=2) + "\n", "utf-8")


def url_of(configuration: Any) -> str:
    """Return the URL that a configuration names; empty if there is none."""
    match configuration:
        case {"mcpServers": {"phone": {"url": str(url)}}}:
            return url
    return ""


def stdio_command(configuration: Path) -> list[str]:
    """Return a command that serves a configuration's server over standard streams.

    It contains the file's name instead of the URL, because all users of the machine can see it.
    """
    return [sys.executable, "-m", "pytest_mobileagent", "mcp", "--connect", str(configuration)]
