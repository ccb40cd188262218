"""Parses the data that a program sends to services and sockets of the phone into commands.

A socket belongs to a server of an automation tool; the path of an HTTP request shows which. The
input of an interactive shell is read line by line.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import h11

from pytest_mobileagent.action import Raw
from pytest_mobileagent.program.commands import (
    REBOOTS,
    Command,
    Request,
    keeping_the_screen_on,
    script,
    tool_servers,
    webdriver,
)
from pytest_mobileagent.program.commands.script import cut
from pytest_mobileagent.program.commands.shell import read_script, read_words
from pytest_mobileagent.program.commands.steps import BINARY

if TYPE_CHECKING:
    from collections.abc import Iterator


_CONTROLLED = re.compile(r"scrcpy|minitouch|maatouch|touch", re.IGNORECASE)
_METHODS = (b"GET ", b"POST ", b"PUT ", b"DELETE ", b"HEAD ", b"OPTIONS ", b"PATCH ", b"CONNECT ")
_LONGEST_METHOD = 16  # bytes, with line ends before it
_MOST_BODY = 4 << 20  # bytes of a request's body that are read


class SocketReader:
    """Reads the data that one stream carries to a socket of the phone.

    HTTP is read request by request. Streams of scrcpy and similar tools are binary: they are only
    known to control something. Any other data is passed on without being read.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._controlled = bool(_CONTROLLED.search(name))
        self._request: _Incoming | None = _Incoming()

    @property
    def is_read(self) -> bool:
        """Whether requests are being read, and not passed on as data of unknown effect."""
        return self._request is not None

    def feed(self, data: bytes) -> list[tuple[bytes, Command | None]]:
        """Split data into pieces, in order.

        A piece with a command completes it; it has no effect until the piece reaches the phone.
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
                self._treat_as_binary()
                break
            yield data[: len(data) - len(rest or b"")], self._read(complete=rest is not None)
            data = rest or b""
        if data:
            text = f"{self._name}{BINARY}"
            yield data, Command(text, (Raw(text),)) if self._controlled else None

    def _read(self, *, complete: bool) -> Command | None:
        """Read the request once it is complete, and prepare for the next one."""
        if not complete or self._request is None:
            return None
        request, self._request = self._request.request, _Incoming(first=False)
        if request.upgrades:
            self._treat_as_binary()
        return read_request(request)

    def _treat_as_binary(self) -> None:
        """Treat everything that follows as binary control, because its effect is unknown."""
        self._request, self._controlled = None, True


class NotHttpError(Exception):
    """A stream does not begin like HTTP."""


class _Incoming:
    """A request that is still arriving."""

    def __init__(self, *, first: bool = True) -> None:
        self._first = first
        self._begun = b""
        # A new connection for each request: h11 expects an answer, but nothing answers here.
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 16)
        self._body = bytearray()
        self.request = Request("", "")

    def feed(self, data: bytes) -> bytes | None:
        """Process data; return what follows the end of the request, or None before its end.

        Raises:
            NotHttpError: if the stream does not begin with a request.
            h11.RemoteProtocolError: if the data is not a request.
        """
        self._begun = (self._begun + data[:_LONGEST_METHOD])[:_LONGEST_METHOD]
        start = self._begun.lstrip(b"\r\n")
        if not any(start.startswith(each) or each.startswith(start) for each in _METHODS):
            if self._first:
                raise NotHttpError
            raise h11.RemoteProtocolError("it does not begin like a request")
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
                self.request = dataclasses.replace(self.request, body=bytes(self._body))
                return self._connection.trailing_data[0]


_SHELLS = {"/shell", "/shell/background", "/shell/stream"}  # of atx-agent
_LOOKS = ("/screenshot", "/dump/hierarchy", "/minicap", "/source")


def read_request(request: Request) -> Command:
    """Return the command of a request."""
    return dataclasses.replace(keeping_the_screen_on(_read(request)), request=request)


def _read(request: Request) -> Command:
    body = request.body[:2000].decode("utf-8", "replace")
    raw = cut(f"{request.method} {request.target} {body}")
    path, values = request.path, request.values
    if path.rstrip("/").startswith("/jsonrpc"):
        return tool_servers.read_calls(values, raw)
    if (command := webdriver.read(request.method, path, values, raw)) is not None:
        return command
    members = values if isinstance(values, dict) else {}
    if tool_servers.is_call(members):
        return tool_servers.read_calls(values, raw)
    if path in _SHELLS:
        return read_script(str(members.get("command") or members.get("c") or ""), raw)
    acts = () if request.method == "GET" else tool_servers.portal_acts(path, members, raw)
    return Command(raw, acts, looks=path.startswith(_LOOKS) or tool_servers.portal_shows(path))


_LONGEST = 1 << 20  # bytes of an incomplete line
_MOST_LINES = 100  # of one command with an open quote


class ShellSession:
    """Reads the standard input of an interactive shell."""

    def __init__(self) -> None:
        self._rest = b""
        self._open: list[str] = []  # lines of an unfinished command

    def feed(self, data: bytes) -> list[Command]:
        """Return a command for each line that `data` completes, in order.

        If the shell waits for more input after a line, such as for the end of a quote, the line's
        command does nothing; the command of the last such line does what all of them say.
        """
        whole = (self._rest + data).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._rest = whole.split(b"\n")
        if len(self._rest) > _LONGEST:
            lines, self._rest = [*lines, self._rest], b""
        return [self._read(line.decode("utf-8", "replace")) for line in lines]

    def _read(self, line: str) -> Command:
        text = "\n".join([*self._open, line])
        if len(self._open) < _MOST_LINES and _is_unfinished(text):
            self._open.append(line)
            return Command(line)
        self._open.clear()
        return read_script(text, text)


def _is_unfinished(text: str) -> bool:
    try:
        script.parse(text)
    except script.UnfinishedError:
        return True
    except script.UnreadableScriptError:
        return False
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


_SHELL = re.compile(r"(shell(?:,[^:]*)?|exec):(.*)", re.DOTALL)
_RESTARTS = "it would restart the phone's adbd, which the benchmark is connected to"
_REFUSED = {
    **dict.fromkeys(("root", "unroot", "tcpip", "usb"), _RESTARTS),
    **dict.fromkeys(("reboot", "remount", "disable-verity", "enable-verity"), REBOOTS),
}


def read_service(service: str) -> Command:
    """Return the command of opening an adb service, such as `shell:input tap 1 2`."""
    if match := _SHELL.match(service):
        return read_script(match[2], service)
    name, _, rest = service.partition(":")
    if name in _REFUSED:
        return Command(service, refused=_REFUSED[name])
    if name in {"abb", "abb_exec"}:
        return read_words(["cmd", *rest.rstrip("\0").split("\0")], service)
    if name == "dev" and "/dev/input/" in rest:
        return Command(service, (Raw(service),))
    return Command(service, looks=name == "framebuffer")
