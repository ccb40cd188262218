"""A web server for one user's page: on this machine's loopback only, and only with a token.

Other users of the machine, and other sites open in the same browser, are kept out. Each request
needs the token, in the address or in the cookie that the page sets. The Host header must be a name
of the loopback, not a name that somebody else has pointed at it. A request that changes anything
must come from the page itself.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.jsonable import to_line, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

_HOSTS = {"127.0.0.1", "localhost", "[::1]"}  # with any port: ssh may forward it
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_POLICY = (
    "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_STALE = "this address is not valid, or no longer valid: open the one that the command printed"


class RefusedError(Exception):
    """A request that is refused; the message says why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Server(ThreadingHTTPServer):
    """Serves the answers of `handler`, on a free port if `port` is 0; `name` is that of its cookie.

    Raises:
        OSError: if the port is taken.
    """

    daemon_threads = True

    def __init__(self, handler: type[Handler], name: str, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.token = secrets.token_urlsafe(32)
        self.cookie = f"{name}_{self.server_port}"  # browsers send cookies to all ports of a host
        self._invitations: set[str] = set()

    @property
    def url(self) -> str:
        """The address of the page, including the token."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    def invitation(self) -> str:
        """Return an address that works once, as others can read a browser's command line."""
        word = secrets.token_urlsafe(32)
        self._invitations.add(word)
        return f"http://127.0.0.1:{self.server_port}/?token={word}"

    def __enter__(self) -> Self:
        """Serve in a thread until the context ends."""
        threading.Thread(target=self.serve_forever, args=(0.1,), name="page", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a browser that disconnects is not an error."""

    def has_token(self, given: str) -> bool:
        """Return whether the text is the token, in time that does not depend on it."""
        with suppress(KeyError):
            self._invitations.remove(given)  # atomic: of two concurrent requests, only one succeeds
            return True
        return secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


class Handler(BaseHTTPRequestHandler):
    """Answers requests with `get` and `post`, which raise RefusedError for unknown paths."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "mobileagent", ""
    timeout = 60  # idle seconds of a connection
    statuses: ClassVar[Mapping[type[Exception], HTTPStatus]] = {
        HostError: HTTPStatus.INSUFFICIENT_STORAGE,
        RecordError: HTTPStatus.INSUFFICIENT_STORAGE,
    }

    def get(self, path: str) -> None:
        """Answer a request for a path; the query is in `self.query`."""
        raise NotImplementedError

    def post(self) -> None:
        """Answer a request that changes something."""
        raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "there is nothing to change")

    @property
    def query(self) -> Mapping[str, list[str]]:
        """The query fields of the address."""
        return parse_qs(urlsplit(self.path).query)

    def do_GET(self) -> None:
        """Answer a GET request."""
        self._answer(lambda: self.get(urlsplit(self.path).path))

    def do_POST(self) -> None:
        """Answer a POST request, if it comes from the page itself."""
        self._answer(self._post)

    def _post(self) -> None:
        if self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "only the page itself may decide")
        self.post()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing, because addresses contain the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that is not valid HTTP, without repeating it."""
        self.close_connection = True
        self.send(HTTPStatus(code), "text/plain; charset=utf-8", HTTPStatus(code).phrase.encode())

    def _answer(self, act: Callable[[], None]) -> None:
        try:
            self._check()
            act()
        except RefusedError as refused:
            self.close_connection = True  # the request's body may not have been read
            self.send_json({"error": str(refused)}, refused.status)
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - a record may contain anything; other requests go on
            status = next((s for k, s in self.statuses.items() if isinstance(error, k)), None)
            what = str(error) if status else f"{type(error).__name__}: {error}"
            self.send_json({"error": what}, status or HTTPStatus.INTERNAL_SERVER_ERROR)

    def _check(self) -> None:
        host = self.headers.get("Host", "")
        if re.sub(r":\d{1,5}\Z", "", host).lower() not in _HOSTS:
            raise RefusedError(HTTPStatus.FORBIDDEN, "this page is only for this machine")
        pairs = self.headers.get("Cookie", "").split(";")
        cookies = (each.strip().partition("=") for each in pairs)
        cookie = next((value for name, _, value in cookies if name == self.server.cookie), "")
        given = self.query.get("token", [cookie])
        if not self.server.has_token(given[0]):
            raise RefusedError(HTTPStatus.FORBIDDEN, _STALE)

    def send_page(self, page: bytes, policy: Mapping[str, str] | None = None) -> None:
        """Send a page together with the cookie."""
        cookie = f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = {**(policy or {}), "Set-Cookie": cookie}
        self.send(HTTPStatus.OK, "text/html; charset=utf-8", page, headers)

    def send_scripted_page(self, page: str) -> None:
        """Send a page that runs only the styles and scripts marked with `{nonce}`."""
        nonce = secrets.token_urlsafe(16)
        policy = {"Content-Security-Policy": _POLICY.format(nonce=nonce)}
        self.send_page(page.replace("{nonce}", nonce).encode(), policy)

    def answer_json(self, most: int, what: str, answer: Callable[[Any], Any]) -> None:
        """Send what `answer` returns for the request's body, which is JSON.

        Raises:
            RefusedError: if it has more than `most` bytes, is not JSON, or `answer` refuses it; the
                message calls the body `what` ("the note"), or is that of `answer`.
        """
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"{what} must be JSON")
        length = self.headers.get("Content-Length", "")
        if not is_number(length) or int(length) > most:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{what} is too long")
        body = self.rfile.read(int(length))
        try:
            answered = answer(json.loads(body))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, why_unreadable(error)) from None
        self.send_json(answered)

    def send_news(self, value: Any) -> None:
        """Send JSON-able data, unless the page already has it, since it may be a megabyte."""
        body = to_line(value).encode()
        tag = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"'}
        if self.headers.get("If-None-Match") == tag["ETag"]:
            self.send(HTTPStatus.NOT_MODIFIED, "application/json", b"", tag)
        else:
            self.send(HTTPStatus.OK, "application/json", body, tag)

    def send_json(self, value: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send JSON-able data."""
        self.send(status, "application/json", to_line(value).encode())

    def send(
        self, status: HTTPStatus, kind: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a response, which browsers do not cache unless `headers` say otherwise."""
        self.send_response(status)
        given = {"Content-Type": kind, "Content-Length": str(len(body)), **_ALWAYS}
        for name, value in ({"Cache-Control": "no-store"} | given | dict(headers or {})).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def is_number(text: str) -> bool:
    """Return whether a part of an address is a whole number of at most nine digits."""
    return re.fullmatch(r"[0-9]{1,9}", text) is not None
