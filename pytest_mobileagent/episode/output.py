"""What programs and agents print in an episode: shown up to a limit, kept up to a larger one."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from collections import deque
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.redaction import current
from pytest_mobileagent.episode.secrets import HIDDEN, secret_bytes, secrets_of, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


_CHUNK = 64 * 1024  # bytes that are read, or of the end dropped, at a time
_LONGEST_LINE = 1024 * 1024  # bytes that are buffered until the line ends
_LONGEST_SOUGHT = 64 * 1024  # maximum bytes of a secret within a longer line
PART_SIZE = 4 * 1024 * 1024  # bytes stored of the beginning, and also of the end


def hide(path: Path, secrets: Iterable[str]) -> None:
    """Remove secrets from a file written by an `Output` that knew only some of them."""
    with contextlib.suppress(OSError):  # the file is missing, or the disk is full
        before = data = path.read_bytes()
        for secret in secret_bytes(secrets):
            data = data.replace(secret, HIDDEN.encode())
        if data != before:
            path.write_bytes(data)


class Output:
    """A file that receives the output of a program, with secrets removed.

    The first `part_size` bytes are written immediately; of the rest, the last `part_size` bytes on
    closing, after a line that says how much is left out. A full disk ends the file only.
    """

    def __init__(self, path: Path, secrets: Iterable[str] = (), part_size: int = PART_SIZE) -> None:
        self.path = path
        self.size = 0  # bytes of the beginning written so far
        self._part_size = part_size
        self._secrets = secret_bytes(secrets)
        self._held = b""  # a possible beginning of a secret
        self._line = b""  # an incomplete line, if strings are to be redacted
        self._tail: deque[bytes] = deque()
        self._in_tail = 0
        self._dropped = 0
        self._file = path.open("wb", buffering=0)

    def write(self, data: bytes) -> None:
        """Accept output of the program."""
        if self.size < self._part_size:
            self._put(self._without_secrets(data))
        else:  # most of it will be dropped, so secrets are removed only at the end
            self._hold(data)

    def close(self) -> None:
        """Write the rest of the output. Nothing is accepted afterwards."""
        if self._file.closed:
            return
        self._put(self._without_secrets(b"", last=True))
        tail = self._without_secrets(b"".join(self._tail), last=True)
        self._tail.clear()
        if dropped := self._dropped + max(0, len(tail) - self._part_size):
            self._append(f"\n… {dropped} bytes are left out …\n".encode())
        self._append(tail[-self._part_size :])
        with contextlib.suppress(OSError):
            self._file.close()

    def _without_secrets(self, data: bytes, *, last: bool = False) -> bytes:
        """Return what may be written now, and hold back what may turn out to be a secret."""
        data = self._as_recorded(data, last=last)
        if not self._secrets:
            return data
        data, self._held = self._held + data, b""
        for secret in self._secrets:
            data = data.replace(secret, HIDDEN.encode())
        if not last:
            begun = max(_begun(data, secret) for secret in self._secrets)
            if begun:
                data, self._held = data[:-begun], data[-begun:]
        return data

    def _as_recorded(self, data: bytes, *, last: bool) -> bytes:
        """Return the lines that are complete, redacted through any encoding."""
        rules = current()
        if rules is None and not self._secrets:
            return data
        data, self._line = self._line + data, b""
        is_long = False
        if not last:
            lines, end, rest = data.rpartition(b"\n")
            is_long = len(rest) >= _LONGEST_LINE
            data, self._line = (data, b"") if is_long else (lines + end, rest)
        text = data.decode("utf-8", "surrogateescape")
        if rules is not None:
            text = rules.text(text)
        text = str(without_secrets(text, map(os.fsdecode, self._secrets)))
        data = text.encode("utf-8", "surrogateescape")
        if is_long:  # its end may be the beginning of a secret
            data, self._line = data[:-_LONGEST_SOUGHT], data[-_LONGEST_SOUGHT:]
        return data

    def _put(self, data: bytes) -> None:
        """Write the part that belongs to the beginning, and buffer the rest."""
        beginning, rest = data[: self._part_size - self.size], data[self._part_size - self.size :]
        self.size += len(beginning)
        self._append(beginning)
        if self.size == self._part_size:
            self._hold(rest + self._held + self._line)
            self._held = self._line = b""

    def _hold(self, data: bytes) -> None:
        """Buffer the last bytes, with enough before them to recognise a secret that ends there."""
        for start in range(0, len(data), _CHUNK):
            self._tail.append(data[start : start + _CHUNK])
            self._in_tail += len(self._tail[-1])
            while self._in_tail - len(self._tail[0]) >= self._part_size + _LONGEST_SOUGHT:
                first = self._tail.popleft()
                self._in_tail -= len(first)
                self._dropped += len(first)

    def _append(self, data: bytes) -> None:
        # The disk is full, which the episode's own record reports.
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self._file.fileno(), data) :]


def _begun(data: bytes, secret: bytes) -> int:
    """Return how many of the last bytes are the beginning of a secret."""
    counts = range(min(len(secret) - 1, len(data)), 0, -1)
    return next((count for count in counts if data.endswith(secret[:count])), 0)


DISPLAY_LIMIT = 64 * 1024  # bytes of each stream
_LAST_CHUNKS = 64  # a pipe holds fewer; output after that is not waited for
_NAMES = {1: "standard output", 2: "standard error"}


class Printed:
    """Captures the output and error streams of an agent, which writes to `descriptors`.

    The beginning is written at once to our own output and error: pytest's capture, or a terminal.
    If there is more, all of it goes to files in the episode's `folder`, with the same size limit as
    for programs (see `Output`).
    """

    def __init__(self, folder: Path) -> None:
        files = {1: "agent-stdout.txt", 2: "agent-stderr.txt"}
        self._streams = [_Stream(number, folder / name) for number, name in files.items()]
        self._closing, self._close = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True, name="mobile-printed")
        self._reader.start()

    @property
    def descriptors(self) -> list[int]:
        """The descriptors to write to, until `sent` is called."""
        return [stream.writing for stream in self._streams]

    def sent(self) -> None:
        """Close our descriptors, which the agent's process has received."""
        for stream in self._streams:
            os.close(stream.writing)

    def close(self) -> None:
        """Read what has been printed so far, and nothing after it."""
        os.close(self._close)
        self._reader.join()

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._closing, selectors.EVENT_READ)
            for stream in self._streams:
                selector.register(stream.reading, selectors.EVENT_READ, stream)
            closing = False
            while not closing:
                for key, _ in selector.select():
                    if key.data is None:
                        closing = True
                    elif not key.data.take():
                        selector.unregister(key.fileobj)
        os.close(self._closing)
        for stream in self._streams:
            stream.close()


class _Stream:
    def __init__(self, number: int, path: Path) -> None:
        self._name = _NAMES[number]
        self._path = path
        self._held = b""  # the beginning of the file, if there will be one
        self._size = 0
        self._file: Output | None = None
        self._to: int | None = None
        with contextlib.suppress(OSError):  # it is closed
            self._to = os.dup(number)
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)

    def take(self) -> bool:
        """Read the available data; return False if there is none, or at the end of the stream."""
        try:
            data = os.read(self.reading, _CHUNK)
        except BlockingIOError:
            return False
        before = self._size
        self._size += len(data)
        self._show(data[: max(0, DISPLAY_LIMIT - before)])
        if before <= DISPLAY_LIMIT < self._size:
            with contextlib.suppress(OSError):  # the disk is full, as the episode's record reports
                self._path.unlink(missing_ok=True)  # the agent may have put a link there
                self._file = Output(self._path, secrets_of(os.environ))
                self._file.write(self._held)
            self._held = b""
        if self._file is not None:
            self._file.write(data)
        elif self._size <= DISPLAY_LIMIT:
            self._held += data
        return bool(data)

    def _show(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            while data and self._to is not None:
                data = data[os.write(self._to, data) :]

    def close(self) -> None:
        """Read the rest, and report how much was not shown."""
        for _ in range(_LAST_CHUNKS):
            if not self.take():
                break
        os.close(self.reading)
        if self._file is not None:
            self._file.close()
        if (left := self._size - DISPLAY_LIMIT) > 0:
            where = "they cannot be stored" if self._file is None else f"they are in {self._path}"
            note = f"\n… {left} bytes of the agent's {self._name} are left out; {where}\n"
            self._show(note.encode())
        if self._to is not None:
            os.close(self._to)
