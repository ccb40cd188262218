"""The server of the page: on this machine's loopback only, for who has the token.

Other users of the machine, and pages of other sites in the same browser, are kept out: each request
needs the token, in the address or in the cookie that the page sets; the host has to be this
machine's (a name that somebody else lets point here is not); what changes anything has to come from
the page itself. No part of a request becomes a path: episodes and screens have numbers.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.plain import to_line
from pytest_mobileagent.review.desk import UnknownEpisodeError
from pytest_mobileagent.review.page import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.review.desk import Desk

_HOSTS = {"127.0.0.1", "localhost", "[::1]"}  # whatever the port: it may be forwarded by ssh
_MOST = 100_000  # bytes of a request's body
_POLICY = (
    "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_STALE = "this address is not valid, or no longer: open the one that the command printed"


class RefusedError(Exception):
    """A request that is not answered; the text says why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Server(ThreadingHTTPServer):
    """Serves a desk; `port` 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """

    daemon_threads = True

    def __init__(self, desk: Desk, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        self.cookie = f"review_{self.server_port}"  # cookies do not tell ports apart
        self._invitations: set[str] = set()

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    def invitation(self) -> str:
        """Return an address that works once: other users can read a browser's command line."""
        word = secrets.token_urlsafe(32)
        self._invitations.add(word)
        return f"http://127.0.0.1:{self.server_port}/?token={word}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser that hangs up is no error, and the next request is served."""

    def has_token(self, given: str) -> bool:
        """Whether a text is the token, in a time that does not tell how much of it is right."""
        if given in self._invitations:
            self._invitations.discard(given)
            return True
        return secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "review", ""
    timeout = 60  # seconds that a connection may rest

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: addresses hold the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer what is no HTTP, without repeating it."""
        self.close_connection = True
        self._send(HTTPStatus(code), "text/plain; charset=utf-8", HTTPStatus(code).phrase.encode())

    def _answer(self, act: Any) -> None:
        try:
            self._check()
            act()
        except RefusedError as refused:
            self.close_connection = True  # its body may not have been read
            self._json({"error": str(refused)}, refused.status)
        except (HostError, RecordError) as error:
            self._json({"error": str(error)}, HTTPStatus.INSUFFICIENT_STORAGE)
        except UnknownEpisodeError as error:
            self._json({"error": str(error)}, HTTPStatus.NOT_FOUND)
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - a record may hold anything; others are served
            what = f"{type(error).__name__}: {error}"
            self._json({"error": what}, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _check(self) -> None:
        host = self.headers.get("Host", "")
        if re.sub(r":\d{1,5}\Z", "", host).lower() not in _HOSTS:
            raise RefusedError(HTTPStatus.FORBIDDEN, "this page is only for this machine")
        given = parse_qs(urlsplit(self.path).query).get("token", [self._cookie()])
        if not self.server.has_token(given[0]):
            raise RefusedError(HTTPStatus.FORBIDDEN, _STALE)

    def _cookie(self) -> str:
        for each in self.headers.get("Cookie", "").split(";"):
            name, _, value = each.strip().partition("=")
            if name == self.server.cookie:
                return value
        return ""

    def _get(self) -> None:
        desk, parts = self.server.desk, urlsplit(self.path).path.split("/")[1:]
        match parts:
            case [""]:
                self._page()
            case ["queue"]:
                self._queue()
            case ["episode", episode] if _is_number(episode):
                self._json(desk.episode(int(episode)))
            case ["screen", episode, screen] if _is_number(episode) and _is_number(screen):
                png = desk.screen(int(episode), int(screen))
                if png is None:
                    raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such screen")
                keep = {"Cache-Control": "private, max-age=3600"}
                self._send(HTTPStatus.OK, "image/png", png, keep)
            case _:
                raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")

    def _post(self) -> None:
        if self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "only the page itself may decide")
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision is JSON")
        length = self.headers.get("Content-Length", "")
        if not _is_number(length) or int(length) > _MOST:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a note is too long")
        body = self.rfile.read(int(length))
        if urlsplit(self.path).path != "/verdict":
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")
        try:
            given = json.loads(body)
            told = self.server.desk.decide(
                given["episode"],
                given["decision"],
                str(given.get("who", "")),
                str(given.get("note", "")),
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"this is no decision: {error}") from None
        self._json(told)

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        cookie = f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = {"Content-Security-Policy": _POLICY.format(nonce=nonce), "Set-Cookie": cookie}
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", page(nonce).encode(), headers)

    def _queue(self) -> None:
        """Send the queue, unless the page has it as it is: of a large run it is a megabyte."""
        body = to_line(self.server.desk.queue()).encode()
        tag = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"'}
        if self.headers.get("If-None-Match") == tag["ETag"]:
            self._send(HTTPStatus.NOT_MODIFIED, "application/json", b"", tag)
        else:
            self._send(HTTPStatus.OK, "application/json", body, tag)

    def _json(self, value: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(status, "application/json", to_line(value).encode())

    def _send(
        self, status: HTTPStatus, kind: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        given = {"Content-Type": kind, "Content-Length": str(len(body)), **_ALWAYS}
        for name, value in ({"Cache-Control": "no-store"} | given | dict(headers or {})).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text) is not None
