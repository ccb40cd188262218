"""The HTTP side of all clients: replies have limits, and no request follows to another server."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING, Any

import httpx2  # installed with the SDKs, by an extra

from pytest_mobileagent.llm.clients import ReplyWatch, check_redirect
from pytest_mobileagent.urls import by_proxy, proxy_of, redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.llm.clients import Server

_CONNECT_SECONDS = 30.0
_WATCH = "reply_watch"  # the key among a request's extensions


def http_options(base_url: str, seconds: float) -> dict[str, Any]:
    """Return the arguments of an `httpx2.Client` for a provider; `seconds` is a `ReplyWatch`'s.

    Its requests raise `ProviderError` for replies that are too large or stall, and for redirects to
    other servers.

    Raises:
        ValueError: if the environment names a proxy that cannot be used.
    """
    place = redact_urls(base_url)
    timeout = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))

    def sent(request: httpx2.Request) -> None:
        # An SDK may have set one number for everything.
        request.extensions |= {"timeout": timeout.as_dict(), _WATCH: ReplyWatch(place, seconds)}

    return {
        "timeout": timeout,
        "follow_redirects": True,
        "event_hooks": {"request": [sent], "response": [_answered]},
        **_route(base_url),
    }


def _route(base_url: str) -> dict[str, Any]:
    """Return the arguments with which a client uses this proxy, or none, whatever it would read."""
    proxy = proxy_of(base_url)
    if not proxy:
        alive = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
        return {"transport": httpx2.HTTPTransport(socket_options=alive)}
    try:
        return {"proxy": httpx2.Proxy(proxy)}
    except (ValueError, httpx2.InvalidURL):  # their words may contain the password
        msg = f"{redact_urls(base_url)} cannot be reached{by_proxy(base_url)}: write a URL of "
        msg += "http, https, socks5 or socks5h, and special characters of a password as in %23"
        raise ValueError(msg) from None


def _answered(response: httpx2.Response) -> None:
    """Limit the body of a response, and check the target of a redirect."""
    request = response.request
    if response.has_redirect_location:
        with contextlib.suppress(httpx2.InvalidURL):  # the client reports it
            target = request.url.join(response.headers["location"])
            check_redirect(_server(request.url), _server(target))
    response.stream = _limited(response, request.extensions[_WATCH])
    response.headers.pop("content-encoding", None)


def _server(url: httpx2.URL) -> Server:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


class _Body(httpx2.SyncByteStream):
    """The pieces of a response's body, and how to close its connection."""

    def __init__(self, pieces: Iterator[bytes], close: Callable[[], None]) -> None:
        self._pieces, self.close = pieces, close  # type: ignore[method-assign]

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces


def _limited(response: httpx2.Response, watch: ReplyWatch) -> _Body:
    """Return the body of a response, decoded by httpx2 in small pieces, as far as limits allow."""
    body = response.stream
    assert isinstance(body, httpx2.SyncByteStream)

    def received() -> Iterator[bytes]:
        for data in body:
            watch.check()
            yield data

    encoded = httpx2.Response(
        response.status_code,
        headers=response.headers.copy(),
        stream=_Body(received(), body.close),
        request=response.request,
    )

    def decoded() -> Iterator[bytes]:
        for data in encoded.iter_bytes():
            watch.received(data)
            yield data

    return _Body(decoded(), body.close)
