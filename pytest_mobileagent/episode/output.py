"""A program's output, written to a file of limited size as it arrives."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.redaction import current
from pytest_mobileagent.episode.secrets import HIDDEN, secret_bytes, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CHUNK = 64 * 1024  # bytes of the end that are dropped at a time
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

    The first `part_size` bytes are written immediately. Of the rest, the last `part_size` bytes
    are written on closing, after a line that states how much is left out. A full disk ends the
    file, not the program.
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
    for count in range(min(len(secret) - 1, len(data)), 0, -1):
        if data.endswith(secret[:count]):
            return count
    return 0
