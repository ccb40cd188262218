"""Clients based on the official SDKs, which take and return JSON-able data, and raise our errors.

The SDKs provide connections, proxies and the reading of streams; no request follows a redirect to
another server. Their types are not used, because servers that speak the same API send more or fewer
fields than these types have. No error contains a key.

If a model refuses a setting by name, it is asked again without it, as in all later requests.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
import weakref
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2  # installed with the SDKs, by an extra

from pytest_mobileagent.jsonable import why_unreadable
from pytest_mobileagent.llm.clients import ReplyWatch, check_redirect
from pytest_mobileagent.llm.model import ProviderBusyError, ProviderError, RequestRefusedError
from pytest_mobileagent.llm.provider_errors import failure_in, refused, scrubbed
from pytest_mobileagent.llm.replies import check
from pytest_mobileagent.llm.streams import Assembled, events
from pytest_mobileagent.urls import by_proxy, hide, proxy_of, redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_mobileagent.llm.clients import Server
    from pytest_mobileagent.llm.model import Completion, Request
    from pytest_mobileagent.llm.streams import Event


T = TypeVar("T")

_OF_PROXIES = {403, 407, 502, 503, 504}  # statuses with which proxies themselves answer, too
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, Warning)

NO_KEY = "none"  # a placeholder, for servers that need no key

# The settings that may be left out: reasoning models only accept their default temperature, some
# models accept no `top_p` beside it, and some servers do not support `stream_options`.
_OPTIONAL = ("top_p", "temperature", "stream_options")
_UNKNOWN = re.compile(
    r"(not |un)(be )?support|unrecogni[sz]ed|unknown|extra|not (be )?(permitted|allowed)|unexpected"
    r"|cannot both|deprecated",
    re.IGNORECASE,
)


class Parameters:
    """The settings that a model accepts; `names` maps some of them to alternative names.

    `refused` are those that the model is known to refuse.
    """

    def __init__(self, names: Mapping[str, str] | None = None, refused: Iterable[str] = ()) -> None:
        self._names = dict(names or {})
        self._renamed: frozenset[str] = frozenset()
        self._dropped = frozenset(refused)

    def rename(self, name: str) -> None:
        """Use a setting's alternative name from now on."""
        self._renamed |= {name}

    def fit(self, body: dict[str, Any], send: Callable[[dict[str, Any]], T]) -> T:
        """Send a body without the settings known to be refused; retry if the model refuses another.

        Raises:
            RequestRefusedError: if the request is refused for another reason.
        """
        renamed, dropped = self._renamed, self._dropped
        while True:
            try:
                answer = send(self._fitted(body, renamed, dropped))
            except RequestRefusedError as error:
                words = str(error)
                sent = self._fitted(body, renamed, dropped)
                if not _UNKNOWN.search(words):
                    raise
                if name := self._misnamed(sent, words, renamed ^ self._renamed):
                    renamed ^= {name}
                elif name := next((n for n in _OPTIONAL if n in sent and _names(words, n)), ""):
                    dropped |= {name}
                else:
                    raise
            else:
                self._renamed, self._dropped = renamed, dropped
                return answer

    def _misnamed(self, sent: Mapping[str, Any], words: str, tried: frozenset[str]) -> str:
        """Return a setting whose alternative name was not tried yet; empty if there is none."""
        for name, other in self._names.items():
            is_named = any(each in sent and _names(words, each) for each in (name, other))
            if is_named and name not in tried:
                return name
        return ""

    def _fitted(
        self, body: Mapping[str, Any], renamed: frozenset[str], dropped: frozenset[str]
    ) -> dict[str, Any]:
        fields = {name: value for name, value in body.items() if name not in dropped}
        return {self._names[n] if n in renamed else n: value for n, value in fields.items()}


def _names(words: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", words) is not None


def mended(value: Any) -> Any:
    """Return JSON-able data without lone surrogates in its strings.

    Two surrogates that meet where pieces of a stream are joined become their character; a lone
    surrogate becomes U+FFFD, as usual in decoding.
    """
    if isinstance(value, str):
        if value.isascii():  # fast, even for a picture
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [mended(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class SpokenApi:
    """An API: the path of its requests, and how its streams and its replies are read.

    `is_whole` returns whether a reply that was not streamed is complete; `what` is its name.
    """

    path: str
    what: str
    assemble: Callable[[Iterable[Event]], Assembled]
    read: Callable[[dict[str, Any]], Completion]
    is_whole: Callable[[dict[str, Any]], bool]


class Answers:
    """Reads the answers of a server at a URL in a spoken API; no error contains the key."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = url, key

    def completion(self, api: SpokenApi, answer: Any, began: float) -> Completion:
        """Return what an answer says: a JSON object, or what a stream was assembled into.

        `began` is when the request was sent, by the monotonic clock.

        Raises:
            ProviderError, RequestRefusedError: if it is an error, incomplete or unreadable.
        """
        if not isinstance(answer, dict | Assembled):
            raise self.broken(f"its answer is not a JSON object: {str(answer)[:200]!r}")
        try:
            if isinstance(answer, dict):
                answer = Assembled(answer, is_whole=api.is_whole(answer))
            if (error := failure_in(answer.reply)) is not None:  # with a successful status
                raise refused(self.place, 200, error, {}, self._key)
            if not answer.is_whole:
                raise self.broken("its answer ended before the reply was complete")
            reply = mended(answer.reply)
            check(reply)
            first = None if answer.when is None else round(answer.when - began, 3)
            return replace(api.read(reply), seconds_to_first=first)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as wrong:
            why = f"its answer is not a {api.what} ({type(wrong).__name__}: {wrong})"
            raise self.broken(why) from None

    @property
    def place(self) -> str:
        """The provider's URL, redacted for display."""
        return redact_urls(self._url)

    def broken(self, why: str) -> ProviderBusyError:
        """Return the error of an answer that is cut off or unreadable."""
        return ProviderBusyError(f"{self.place}: {scrubbed(hide(why, self._url), self._key)}")

    def unreached(self, cause: BaseException) -> ProviderBusyError:
        """Return the error of a server that cannot be reached."""
        why = hide(str(cause), proxy_of(self._url))
        return self.broken(f"it cannot be reached: {why}{by_proxy(self._url)}")

    def late(self) -> ProviderBusyError:
        """Return the error of an answer that does not come in time."""
        return self.broken(f"no answer came in time{by_proxy(self._url)}")

    @contextlib.contextmanager
    def our_errors(self) -> Iterator[None]:
        """Raise our errors in place of those of sending a request and reading its answer."""
        try:
            yield
        except httpx2.TimeoutException:
            wrong = self.late()
        except (httpx2.ConnectError, httpx2.ProxyError, httpx2.InvalidURL) as error:
            wrong = self.unreached(error)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            wrong = self.broken(f"its answer was cut off: {error}")
        except _UNREADABLE as error:
            wrong = self.broken(f"its answer cannot be read: {why_unreadable(error)}")
        else:
            return
        raise wrong from None

    def refusal(
        self, status: int, body: Any, headers: Mapping[str, str]
    ) -> ProviderError | RequestRefusedError:
        """Return the error for a status other than success, which may be a proxy's."""
        by = by_proxy(self._url) if status in _OF_PROXIES else ""
        return refused(f"{self.place}{by}", status, body, headers, self._key)


class Sdk(Answers):
    """A `Client` of the openai or anthropic SDK, whose own client is of the class `kind`.

    `seconds` is the longest silence of the provider (see `ReplyWatch`).
    """

    api: SpokenApi

    def __init__(self, kind: Any, model: str, url: str, key: str, seconds: float) -> None:
        super().__init__(url, key)
        self._module = import_module(kind.__module__.partition(".")[0])
        http = http_options(url, seconds)
        self._client = kind(
            api_key=key or NO_KEY,
            base_url=url,
            timeout=http["timeout"],
            max_retries=0,
            http_client=self._module.DefaultHttpxClient(**http),
        )
        weakref.finalize(self, self._client.close)  # for clients that the cache has dropped
        self.model = model
        self._parameters = Parameters()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(self, request: Request) -> Completion:
        """Send a request, and return the answer (see `Client`)."""
        send = partial(self._send, headers={}, stream=request.stream)
        return self._parameters.fit(self._body(request), send)

    def _body(self, request: Request) -> dict[str, Any]:
        raise NotImplementedError

    def _send(
        self, body: dict[str, Any], headers: Mapping[str, str], *, stream: bool
    ) -> Completion:
        sent = mended({**body, "stream": True} if stream else body)
        options: dict[str, Any] = {"cast_to": object, "options": {"headers": dict(headers)}}
        options |= {"stream": True, "stream_cls": self._module.Stream[object]} if stream else {}
        began = time.monotonic()
        with self.our_errors(), self._sdk_errors():
            answer = self._client.post(self.api.path, body=sent, **options)
            if stream:
                # The recording of programs reads streams in the same way, and not as the SDKs do.
                with contextlib.closing(answer.response) as response:
                    answer = self.api.assemble(events(response.iter_bytes()))
        return self.completion(self.api, answer, began)

    @contextlib.contextmanager
    def _sdk_errors(self) -> Iterator[None]:
        """Raise our errors in place of the SDK's, whose messages may contain a key."""
        sdk = self._module
        try:
            yield
        except sdk.APIStatusError as error:
            response = error.response
            body = error.body if error.body is not None else response.text
            wrong = self.refusal(response.status_code, body, response.headers)
        except sdk.APITimeoutError:
            wrong = self.late()
        except sdk.APIConnectionError as error:
            cause = error.__cause__ or error
            limited = isinstance(cause, ProviderError)  # by `http_options`
            wrong = cause if limited else self.unreached(cause)
        except sdk.APIError as error:
            wrong = refused(self.place, 200, error.body or str(error), {}, self._key)
        else:
            return
        raise wrong from None


_CONNECT_SECONDS = 30.0
_WATCH = "reply_watch"  # the key among a request's extensions


def http_options(base_url: str, seconds: float) -> dict[str, Any]:
    """Return the arguments of an `httpx2.Client` for a provider; `seconds` is a `ReplyWatch`'s.

    They raise `ProviderError` for replies that stall, are too large, or redirect to other servers.

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
