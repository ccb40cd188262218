"""The phone's events and its log, read from adb streams that stay open.

docs/events.md describes the event listener's protocol. Reading costs a step no extra time: `mark`
sends the listener a ping before each observation, and the reply arrives while the observation is
made. Each observation also writes a line to the log. Once that line is received, all lines before
it have been received too; if the stream is lost, the log is read again from the last mark.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shlex
import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.drivers.adb.shell import (
    STDERR,
    STDOUT,
    FrameReader,
    open_service,
    receive,
)
from pytest_mobileagent.device.logcat import MARKS, parse_line
from pytest_mobileagent.episode.event import from_json
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Address, LogLevel
    from pytest_mobileagent.episode.event import Event, LogLine

PACKAGE = "org.mobileagent.listener"
COMPONENT = f"{PACKAGE}/{PACKAGE}.ListenerService"
SOCKET = f"localabstract:{PACKAGE}"
PROTOCOL = 1
_BIND_SECONDS = 10.0  # the longest that a busy phone takes to start a service that was just enabled
_ANSWER_SECONDS = 5.0
_SETTING = "secure enabled_accessibility_services"

# Enables the listener's service in addition to the enabled ones, or prints that it is missing.
ENABLE = f"""\
pm path {PACKAGE} >/dev/null 2>&1 || {{ echo missing; exit; }}
enabled=$(settings get {_SETTING})
case ":$enabled:" in
*:{COMPONENT}:*|*:{PACKAGE}/.ListenerService:*) ;;
:null:|::) settings put {_SETTING} {COMPONENT} ;;
*) settings put {_SETTING} "$enabled:{COMPONENT}" ;;
esac
echo enabled"""


class EventStream:
    """Receives the events of a device's listener, beginning with `start`.

    `problem` says why no events can be received; it is empty while they can.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.problem = "it was not started"
        self._stream: socket.socket | None = None
        self._received = bytearray()
        self._events: list[Event] = []
        self._session = ""
        self._sequence = 0
        self._asked = 0
        self._answered = 0

    def start(self, run: Callable[[str], str]) -> None:
        """Enable the listener, by a script passed to `run`, and receive events from now on."""
        self.stop()
        if run(ENABLE).strip().endswith("missing"):
            self.problem = f"the app {PACKAGE} is not installed"
            return
        deadline = time.monotonic() + _BIND_SECONDS
        while True:
            try:
                self._connect()
            except DeviceError as error:
                self.problem = str(error)
                if time.monotonic() > deadline:
                    return
                time.sleep(0.05)
            else:
                self.problem = ""
                return

    def stop(self) -> None:
        """Stop receiving events, and discard those received."""
        self._disconnect()
        self._events.clear()
        self._session, self._sequence = "", 0
        self.problem = "it was stopped"

    def mark(self) -> None:
        """Ask the listener for a reply, which it sends after all earlier events."""
        if self._stream is not None:
            self._asked += 1
            with contextlib.suppress(OSError):  # `take` connects again
                self._send({"ping": self._asked})

    def take(self) -> tuple[Event, ...]:
        """Return the events since the last call, at least up to the last mark.

        Raises:
            DeviceError: if the connection to the listener was lost, and cannot be restored.
        """
        if self.problem:
            return ()
        try:
            self._catch_up()
        except (OSError, EOFError):
            # If the device came back, only the connection is lost: the listener stores its events.
            self._connect()
            try:
                self._catch_up()
            except (OSError, EOFError) as error:
                what = f"lost the connection to the event listener of {self.address}"
                raise DeviceError(f"{what}: {error}") from error
        events, self._events = self._events, []
        return tuple(events)

    def _catch_up(self) -> None:
        if self._stream is None:
            raise EOFError
        if self._answered == self._asked:
            self.mark()
        deadline = time.monotonic() + _ANSWER_SECONDS
        while self._answered < self._asked:
            self._take_line(self._line(deadline))

    def _connect(self) -> None:
        """Connect, and request the events since the last one that was received.

        Raises:
            DeviceError: if no listener answers, or it uses a different version of the protocol.
        """
        self._disconnect()
        self._stream = open_service(self.address, SOCKET)
        try:
            hello = self._line(time.monotonic() + _ANSWER_SECONDS)
            if hello.get("protocol") != PROTOCOL:
                self._disconnect()
                msg = f"the event listener of device {self.address} answered {hello}, which is "
                msg += f"not version {PROTOCOL} of the protocol (docs/events.md)"
                raise DeviceError(msg)
            if not self._session:
                self._sequence = int(hello["sequence"])
            elif hello["session"] != self._session:  # it has restarted: all of its events are new
                self._sequence = 0
            self._session = str(hello["session"])
            self._send({"since": self._sequence})
        except (OSError, EOFError, LookupError, ValueError) as error:
            self._disconnect()
            what = f"the event listener of device {self.address} does not answer"
            raise DeviceError(f"{what}: {error}") from error

    def _disconnect(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._received.clear()
        self._asked = self._answered = 0

    def _send(self, request: dict[str, Any]) -> None:
        assert self._stream is not None
        self._stream.settimeout(_ANSWER_SECONDS)
        self._stream.sendall(json.dumps(request).encode() + b"\n")

    def _line(self, deadline: float) -> dict[str, Any]:
        assert self._stream is not None
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            self._received += receive(self._stream, deadline)
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError(line)
        return message

    def _take_line(self, message: dict[str, Any]) -> None:
        if "pong" in message:
            self._answered = int(message["pong"])
        elif "type" in message:
            event = from_json(message)
            self._sequence = event.sequence
            self._events.append(event)


_TAG = f"{MARKS}look"
_FILTERS: dict[LogLevel, tuple[str, ...]] = {
    "off": ("AndroidRuntime:E", "ActivityManager:E", "DEBUG:F", "*:S"),  # only reports of crashes
    "warnings": ("*:W",),
    "all": ("*:V",),
}
_LATE_SECONDS = 0.5  # the limit for reading the rest, as lines may keep coming


class LogStream:
    """Reads a device's log from `start` on; `problem` says why it cannot be read, or is empty."""

    def __init__(self, address: Address, level: LogLevel) -> None:
        self.address = address
        self.problem = "it was not started"
        self.level = level
        self._stream: socket.socket | None = None
        self._frames, self._rest = FrameReader(), bytearray()
        self._lines: list[LogLine] = []
        self._marked = 0  # how many of the lines were received before the last mark
        self._token = ""
        self._asked = 0  # the number of the last mark that was written
        self._answered = 0  # the number of the last mark that was received
        self._is_known = False  # whether the stream has reached lines not received before

    def start(self) -> None:
        """Start to receive lines, beginning with the next mark."""
        self.stop()
        self._token = secrets.token_hex(8)
        self._lines, self._marked, self._asked, self._answered = [], 0, 0, 0
        self.problem = ""

    def stop(self) -> None:
        """Stop receiving lines, and discard those received."""
        self._disconnect()
        self.problem = "it was stopped"

    def mark(self) -> str:
        """Return a script that writes a mark to the log; `take` returns the lines before it."""
        if self.problem:
            return ""
        self._asked += 1
        return f"log -p i -t {_TAG} {self._token}-{self._asked}"

    def take(self) -> tuple[LogLine, ...]:
        """Return the lines between the previous mark and the last one.

        If the log can no longer be read, the result is empty and `problem` says why.
        """
        if self.problem or not self._asked:
            return ()
        try:
            self._catch_up()
        except (OSError, EOFError):
            self._disconnect()
            try:
                self._catch_up()
            except (OSError, EOFError, DeviceError) as error:
                self._fail(f"its stream was lost: {error}")
        except DeviceError as error:
            self._fail(str(error))
        taken, self._lines = tuple(self._lines[: self._marked]), self._lines[self._marked :]
        self._marked = 0
        return taken

    def rest(self) -> tuple[LogLine, ...]:
        """Return the lines after the last mark that have arrived, without waiting for more."""
        if self.problem or self._stream is None:
            return ()
        deadline = time.monotonic() + _LATE_SECONDS
        with contextlib.suppress(OSError, EOFError):  # the stream is lost when the phone ends
            while is_readable(self._stream, 0.0):
                self._receive(receive(self._stream, deadline))
        taken, self._lines, self._marked = tuple(self._lines), [], 0
        return taken

    def _fail(self, why: str) -> None:
        self._disconnect()
        self.problem = why

    def _catch_up(self) -> None:
        if self._stream is None:
            self._connect()
        assert self._stream is not None
        deadline = time.monotonic() + _ANSWER_SECONDS
        while self._answered < self._asked:
            try:
                self._receive(receive(self._stream, deadline))
            except TimeoutError:
                raise DeviceError(f"device {self.address} does not print its log") from None

    def _receive(self, part: bytes) -> None:
        for kind, data in self._frames.feed(part):
            if kind in {STDOUT, STDERR}:
                self._rest += data
        *whole, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        for raw in whole:
            if (line := parse_line(raw.decode("utf-8", "replace"))) is not None:
                self._take_line(line)

    def _take_line(self, line: LogLine) -> None:
        if not line.tag.startswith(MARKS):
            if self._is_known:
                self._lines.append(line)
            return
        token, _, number = line.text.strip().partition("-")
        if line.tag != _TAG or token != self._token or not number.isdigit():
            return
        mark, last = int(number), max(1, self._answered)
        if not self._is_known and mark > last:
            raise DeviceError("its log was cleared after its stream was lost")
        self._is_known = self._is_known or mark == last
        self._answered = max(self._answered, mark)
        self._marked = len(self._lines)

    def _connect(self) -> None:
        filters = (f"{_TAG}:I", *_FILTERS[self.level])
        words = ["logcat", "-b", "main,system,crash", "-v", "threadtime", *filters]
        self._stream = open_service(self.address, f"shell,v2,raw:{shlex.join(words)}")
        self._frames, self._rest, self._is_known = FrameReader(), bytearray(), False
        del self._lines[self._marked :]  # lines after the last mark are read again

    def _disconnect(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
