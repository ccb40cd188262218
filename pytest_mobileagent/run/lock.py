"""Which runs go on: the lock that the process that owns a run holds for as long as it lives.

The system frees it when that process dies, however it does.
"""

from __future__ import annotations

import contextlib
import errno
import os
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path

LOCK = ".lock"


def hold(run: Path) -> FileLock:
    """Lock the run in a folder for this process, and return the lock.

    Raises:
        HostError: another process holds it, or the folder cannot be written to.
    """
    try:
        lock = _lock(run)
        lock.acquire(timeout=0)
    except Timeout:
        msg = f"{run} goes on still: another process holds {run / LOCK}"
        raise HostError(msg) from None
    except (OSError, NotImplementedError) as error:
        msg = f"{run} cannot be written to: {error}"
        raise HostError(msg) from error
    return lock


def let_go(lock: FileLock) -> None:
    """Free a lock, and take its file away."""
    with contextlib.suppress(OSError):
        os.unlink(lock.lock_file)  # noqa: PTH108 - all that is known of it is a text
    lock.release()


def _lock(run: Path) -> FileLock:
    """Return the lock of a run.

    Raises:
        OSError: its file is none: a link, which would be followed and cut, or a pipe, say.
    """
    path = run / LOCK
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OSError(errno.EINVAL, "it is no regular file: remove it", str(path))
    return FileLock(path, timeout=0)


def is_held(run: Path) -> bool:
    """Whether another process holds the lock of the run in a folder."""
    try:
        if not (run / LOCK).exists():
            return False
        with _lock(run):
            return False
    except Timeout:
        return True
    except (OSError, NotImplementedError):  # somebody else's folder
        return False
