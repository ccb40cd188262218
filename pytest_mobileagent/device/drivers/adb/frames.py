"""The frames of adb's shell protocol, version 2: a kind, a length, and bytes.

AOSP, packages/modules/adb: shell_protocol.h.
"""

from __future__ import annotations

import struct

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = range(5)
_FAILED = 255  # the exit status of a shell that could not be started

HEADER = struct.Struct("<BI")  # of a frame: its kind, and the bytes that follow


def frame(kind: int, data: bytes) -> bytes:
    """Return a frame as it is sent."""
    return HEADER.pack(kind, len(data)) + data


def failure(why: str) -> bytes:
    """Return what a shell writes that could not be started."""
    text = f"{why}\n".encode("utf-8", "replace")
    return frame(STDERR, text) + frame(EXIT, bytes([_FAILED]))


class FrameReader:
    """Cuts bytes, however they come, into frames."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def between_frames(self) -> bool:
        """Whether no frame has been begun."""
        return not self._rest

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return the frames that are complete now: the kind and the bytes of each."""
        self._rest += data
        frames, start = [], 0
        while len(self._rest) - start >= HEADER.size:
            kind, size = HEADER.unpack_from(self._rest, start)
            end = start + HEADER.size + size
            if end > len(self._rest):
                break
            frames.append((kind, bytes(self._rest[start + HEADER.size : end])))
            start = end
        del self._rest[:start]
        return frames
