"""An agent's printed output in an episode: shown up to a size limit, and in files beyond it."""

from __future__ import annotations

import os
import selectors
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.output import Output
from pytest_mobileagent.episode.secrets import secrets_of

if TYPE_CHECKING:
    from pathlib import Path

DISPLAY_LIMIT = 64 * 1024  # bytes of each stream
_CHUNK = 64 * 1024
_LAST_CHUNKS = 64  # a pipe holds fewer; output after that is not waited for
_NAMES = {1: "standard output", 2: "standard error"}


class Printed:
    """Captures the output and error streams of an agent, which writes to `descriptors`.

    The beginning is written at once to our own output and error: pytest's capture, or a terminal.
    If there is more, all of it goes to files in the episode's `folder`, with the same size limit as
    for programs (see `Output`).
    """

    def __init__(self, folder: Path) -> None:
        self._streams = [
            _Stream(1, folder / "agent-stdout.txt"),
            _Stream(2, folder / "agent-stderr.txt"),
        ]
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
        with suppress(OSError):  # it is closed
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
            with suppress(OSError):  # the disk is full, which the episode's own record reports
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
        with suppress(OSError):
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
