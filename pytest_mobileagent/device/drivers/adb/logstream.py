"""The phone's log, read from an adb stream that stays open: reading costs no round trip.

Each observation also writes a line to the log (`mark`). Once that line is received, all lines
before it have been received too. If the stream is lost, the log is read again from the last mark.
"""

from __future__ import annotations

import contextlib
import secrets
import shlex
import time
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb.shell import (
    STDERR,
    STDOUT,
    FrameReader,
    open_service,
    receive,
)
from pytest_mobileagent.device.logcat import MARKS, parse_line
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    import socket

    from pytest_mobileagent.device.device import Address, LogLevel
    from pytest_mobileagent.episode.event import LogLine

_TAG = f"{MARKS}look"
_FILTERS: dict[LogLevel, tuple[str, ...]] = {
    "off": ("AndroidRuntime:E", "ActivityManager:E", "DEBUG:F", "*:S"),  # only reports of crashes
    "warnings": ("*:W",),
    "all": ("*:V",),
}
_ANSWER_SECONDS = 2.0
_LATE_SECONDS = 0.5  # the limit for reading the rest, as lines may keep coming


class LogStream:
    """Reads the log of a device, beginning with `start`.

    `problem` says why the log cannot be read; it is empty while it can.
    """

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
        if not self._is_known and int(number) >= max(1, self._answered):
            if int(number) > max(1, self._answered):
                raise DeviceError("its log was cleared after its stream was lost")
            self._is_known = True
        self._answered = max(self._answered, int(number))
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
