"""What a program sends to a socket of the phone, on which a server of its tool listens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import h11

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.program.commands.merging import BINARY
from pytest_mobileagent.program.commands.requests import Request, read_request
from pytest_mobileagent.program.watching import Command

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROLLED = re.compile(r"scrcpy|minitouch|maatouch|touch", re.IGNORECASE)
_METHODS = (b"GET ", b"POST ", b"PUT ", b"DELETE ", b"HEAD ", b"OPTIONS ", b"PATCH ", b"CONNECT ")
_LONGEST_METHOD = 16  # bytes, with line ends before it
_MOST_BODY = 4 << 20  # bytes of a request that are kept to be read


class SocketReader:
    """Reads what goes to one socket of the phone, over one stream.

    HTTP is read request by request. Streams of scrcpy and the like are binary: all that is known
    is that something is controlled. What else there is, is passed on.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._controlled = bool(_CONTROLLED.search(name))
        self._request: _Incoming | None = _Incoming()

    def feed(self, data: bytes) -> list[tuple[bytes, Command | None]]:
        """Return the pieces that data consists of, in order.

        A piece with a command is what completes it: as long as that does not reach the phone, it
        is not done.
        """
        return list(self._pieces(data))

    def _pieces(self, data: bytes) -> Iterator[tuple[bytes, Command | None]]:
        while data and self._request:
            try:
                rest = self._request.feed(data)
            except NotHttpError:
                self._request = None
                break
            except h11.RemoteProtocolError:
                self._go_blind()
                break
            yield data[: len(data) - len(rest or b"")], self._read(complete=rest is not None)
            data = rest or b""
        if data:
            yield data, self._binary() if self._controlled else None

    def _read(self, *, complete: bool) -> Command | None:
        """Read the request that is there, and get ready for the next."""
        if not complete or self._request is None:
            return None
        request, self._request = self._request.request, _Incoming(first=False)
        if request.upgrades:
            self._go_blind()
        return read_request(request)

    def _go_blind(self) -> None:
        """Take whatever follows for control: nobody knows what the server makes of it."""
        self._request, self._controlled = None, True

    def _binary(self) -> Command:
        text = f"{self._name}{BINARY}"
        return Command(text, (Raw(text),))


class NotHttpError(Exception):
    """A stream that does not begin as HTTP does."""


def _may_be_http(begun: bytes) -> bool:
    start = begun.lstrip(b"\r\n")
    return any(start.startswith(each) or each.startswith(start) for each in _METHODS)


class _Incoming:
    """A request while it comes in."""

    def __init__(self, *, first: bool = True) -> None:
        self._first = first
        self._begun = b""
        # Each request has a connection of its own: nothing here answers, as h11 expects.
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 16)
        self._body = bytearray()
        self.request = Request("", "")

    def feed(self, data: bytes) -> bytes | None:
        """Take data, and return what is left after the end of the request; None if more is due.

        Raises:
            NotHttpError: it is no request, and there was none before it.
            h11.RemoteProtocolError: it is no request.
        """
        self._begun = (self._begun + data[:_LONGEST_METHOD])[:_LONGEST_METHOD]
        if not _may_be_http(self._begun):
            if self._first:
                raise NotHttpError
            msg = "it does not begin as a request does"
            raise h11.RemoteProtocolError(msg)
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
