"""Which ports an emulator may take, when many are started at once by several runs and users."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

CONSOLE_PORTS = range(5554, 5684, 2)  # where Android's emulator may have its console


@contextlib.contextmanager
def console_port(avoid: Collection[int] = ()) -> Iterator[int]:
    """Give the port of a console, free together with the next one, which will be adb's.

    Nobody who asks this way gets it as long as it is held; that ends with the process at the
    latest. Ports to `avoid` are not given.

    Raises:
        HostError: none is free.
    """
    for port in CONSOLE_PORTS:
        if port in avoid or (lock := _locked(port)) is None:
            continue
        try:
            # The lock keeps away those who ask; others may use the ports all the same.
            if _free(port) and _free(port + 1):
                yield port
                return
        finally:
            os.close(lock)
    msg = f"no two ports in a row are free for an emulator from {CONSOLE_PORTS[0]} up"
    raise HostError(msg)


def _locked(port: int) -> int | None:
    """Lock the file of a port; None if somebody has.

    The folder is everybody's, like /tmp itself. A file that is there is opened for reading only,
    as it may be another user's; it is never removed, as somebody may be waiting at it.
    """
    folder = Path("/tmp/mobileagent-ports")  # noqa: S108 - whatever TMPDIR is: ports are everybody's
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o1777)
    path = folder / f"{port}.lock"
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _free(port: int) -> bool:
    with socket.socket() as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            stream.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
