"""A pair of ports for a phone: the console's, and adbd's after it."""

from __future__ import annotations

import contextlib
import random
import socket

# Above the ports where every adb server looks for emulators when it starts, and below those that
# Linux assigns to any program.
_FREE_CHOICE = range(20000, 32766, 2)

Pair = tuple[socket.socket, socket.socket]


def claim(port: int) -> Pair:
    """Listen on `port` and the next one, or with 0 on a free pair; OSError if they are taken."""
    if not 0 <= port < 65535:
        raise ValueError(f"{port} and the number after it are not both ports")
    if port:
        return _listen(port)
    # in random order: the adb server of a phone that has just ended has to notice that first
    for candidate in random.sample(_FREE_CHOICE, len(_FREE_CHOICE)):
        with contextlib.suppress(OSError):
            return _listen(candidate)
    raise OSError("no two neighbouring ports are free")


def _listen(port: int) -> Pair:
    console = _listener(port)
    try:
        return console, _listener(port + 1)
    except OSError:
        console.close()
        raise


def _listener(port: int) -> socket.socket:
    # asyncio disables Nagle's algorithm (40 ms per answer) only if TCP is named
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(100)
    except OSError as error:
        listener.close()
        raise OSError(
            f"port {port} cannot be used: {error.strerror} (--port=0 finds free ones)"
        ) from error
    return listener
