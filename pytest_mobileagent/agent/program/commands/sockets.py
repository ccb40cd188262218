"""What a program sends to a socket of the phone, on which a server of its tool listens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import h11

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.agent.program.commands.merging import BINARY
from pytest_mobileagent.agent.program.commands.requests import Request, read_request
from pytest_mobileagent.agent.program.watching import Command

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROLLED = re.compile(r"scrcpy|minitouch|maatouch|touch", re.IGNORECASE)
_METHOD = re.compile(rb"(?:GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH|CONNECT|TRACE) ")
_LONGEST_METHOD = 8
_MOST_BODY = 4 << 20  # bytes of a request that are kept to be read


class SocketReader:
    """Reads what goes to one socket of the phone, over one stream.

    HTTP is read request by request. Streams of scrcpy and the like are binary: all that is known
    is that something is controlled. What else there is, is passed on.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._begun = b""
        self._controlled = bool(_CONTROLLED.search(name))
        self._request: _Incoming | None = None
        self._is_http: bool | None = None

    def feed(self, data: bytes) -> list[tuple[bytes, Command | None]]:
        """Return the pieces that data consists of, in order.

        A piece with a command is what completes it: as long as that does not reach the phone, it
        is not done.
        """
        if not data:
            return []
        if self._is_http is None:
            self._begun += data[:_LONGEST_METHOD]
            self._is_http = _looks_like_http(self._begun)
        if self._is_http is False:
            return [(data, self._binary() if self._controlled else None)]
        return [piece for piece in self._pieces(data) if piece[0]]

    def _pieces(self, data: bytes) -> Iterator[tuple[bytes, Command | None]]:
        while data:
            self._request = self._request or _Incoming()
            try:
                rest = self._request.feed(data)
            except h11.RemoteProtocolError:
                # Nobody knows what its server makes of it: whatever follows may be anything.
                self._is_http, self._controlled = False, True
                yield data, self._binary()
                return
            if rest is None:
                yield data, None
                return
            request, self._request = self._request.request, None
            yield data[: len(data) - len(rest)], read_request(request)
            data = rest
            if request.upgrades:
                self._is_http, self._controlled = False, True
                if data:
                    yield data, self._binary()
                return

    def _binary(self) -> Command:
        text = f"{self._name}{BINARY}"
        return Command(text, (Raw(text),))


def _looks_like_http(begun: bytes) -> bool | None:
    """Whether a stream begins as HTTP does; None if that cannot be said yet."""
    if _METHOD.match(begun):
        return True
    if len(begun) < _LONGEST_METHOD and any(
        method.startswith(begun)
        for method in (b"GET ", b"POST ", b"PUT ", b"DELETE ", b"HEAD ", b"OPTIONS ", b"PATCH ")
    ):
        return None
    return False


class _Incoming:
    """A request while it comes in."""

    def __init__(self) -> None:
        # Each request has a connection of its own: nothing here answers, as h11 expects.
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 16)
        self._body = bytearray()
        self.request = Request("", "")

    def feed(self, data: bytes) -> bytes | None:
        """Take data, and return what is left after the end of the request; None if more is due.

        Raises:
            h11.RemoteProtocolError: it is no request.
        """
        self._connection.receive_data(data)
        while True:
            event = self._connection.next_event()
            if event is h11.NEED_DATA:
                return None
            if isinstance(event, h11.Request):
                headers = {name.lower(): value for name, value in event.headers}
                self.request = Request(
                    event.method.decode("latin-1"),
                    event.target.decode("latin-1"),
                    upgrades=b"upgrade" in headers or event.method == b"CONNECT",
                )
            elif isinstance(event, h11.Data):
                if len(self._body) < _MOST_BODY:
                    self._body += event.data
            else:
                self.request = self.request.with_body(bytes(self._body))
                return self._connection.trailing_data[0]
