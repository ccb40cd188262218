"""The ports that emulators may take, when several runs and users start many at once.

The environment here keeps an adb server of our own apart from the user's.
"""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


CONSOLE_PORTS = range(5554, 5684, 2)  # where Android's emulator may have its console


@contextlib.contextmanager
def console_port(avoid: Collection[int] = ()) -> Iterator[int]:
    """Yield a free console port; the next port, which adb will use, is free as well.

    Nobody who asks this way gets it as long as it is held; that ends with the process at the
    latest. Ports to `avoid` are not given.

    Raises:
        HostError: none is free.
    """
    for port in CONSOLE_PORTS:
        lock = None if port in avoid else _locked(port)
        if lock is None:
            continue
        with lock:
            # The lock keeps away those who ask; others may use the ports all the same.
            if _free(port) and _free(port + 1):
                yield port
                return
    msg = f"no two ports in a row are free for an emulator from {CONSOLE_PORTS[0]} up"
    raise HostError(msg)


def _locked(port: int) -> socket.socket | None:
    """Bind the UDP port with the same number; None if it is taken.

    Emulators use none. Unlike a file that all users can reach, it is in nobody's way afterwards,
    and nobody can put anything in its place.
    """
    lock = socket.socket(type=socket.SOCK_DGRAM)
    try:
        lock.bind(("127.0.0.1", port))
    except OSError:
        lock.close()
        return None
    return lock


def _free(port: int) -> bool:
    with socket.socket() as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            stream.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


# Variables with which it looks for no device, and ends for nobody.
ALONE = {
    "ADB_MDNS": "0",
    "ADB_MDNS_OPENSCREEN": "0",
    "ADB_USB": "0",
    "ADB_LIBUSB": "0",
    "ADB_EMU": "0",
    "ADB_REJECT_KILL_SERVER": "1",
}
