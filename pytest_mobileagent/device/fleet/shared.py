"""The folder that the processes of a run share, through which they reach its supervisor."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from pytest_mobileagent.device.fleet import supervisor
from pytest_mobileagent.device.fleet.programs import python_program
from pytest_mobileagent.device.fleet.supervisor import MARK, MEMORY, OWNER_LOCK, SOCKET, remove
from pytest_mobileagent.errors import HostError, InfrastructureError
from pytest_mobileagent.processes import without_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX = "mobileagent-run-"
_STALE_SECONDS = 60.0  # a younger folder may belong to a run that has not locked it yet
_ANSWER_SECONDS = 180.0
_STOP_SECONDS = 40.0  # emulators take long to end


class SharedRun:
    """The shared folder of a run, as seen by its owner (pytest itself) or by a worker.

    The owner creates the folder and holds its lock as long as it lives. The first process that
    needs a device starts the supervisor. `mark` begins the environment of every process that agents
    start (see `processes`), so that they can be ended with the run, however that ends.

    Raises:
        HostError: if the folder cannot be created.
    """

    def __init__(self, folder: Path | None = None, mark: str = "") -> None:
        self._lock: FileLock | None = None
        if folder is None:
            with contextlib.suppress(OSError):  # the folder for temporary files does not exist
                _sweep()
            # The path of a socket is limited to about 100 characters.
            try:
                short = None if len(os.fsencode(tempfile.gettempdir())) < 60 else "/tmp"  # noqa: S108
                folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=short))
                (folder / MARK).write_text(mark, "utf-8")
            except OSError as error:
                msg = f"cannot create a temporary folder for the run (TMPDIR sets where): {error}"
                raise HostError(msg) from error
            self._lock = FileLock(folder / OWNER_LOCK)
            self._lock.acquire()
        self.folder = folder

    def memory(self) -> Path:
        """Create a folder that is removed with this one, in memory if this machine can."""
        link = self.folder / MEMORY
        try:
            link.symlink_to(tempfile.mkdtemp(prefix=_PREFIX, dir="/dev/shm"))
        except OSError:
            link.mkdir()
        return link.resolve()

    def ask(self, request: dict[str, Any], seconds: float = _ANSWER_SECONDS) -> dict[str, Any]:
        """Send a request to the supervisor, which is started if necessary, and return its reply.

        The supervisor must answer within `seconds`.

        Raises:
            HostError: if the supervisor cannot be started.
            InfrastructureError: if the request failed, or the supervisor has ended.
        """
        self.watch()
        try:
            with self._connect() as stream, stream.makefile("rw", encoding="utf-8") as lines:
                stream.settimeout(seconds)
                lines.write(json.dumps(request) + "\n")
                lines.flush()
                reply: dict[str, Any] = json.loads(lines.readline() or "{}")
        except OSError as error:
            msg = f"the supervisor of this run's devices is gone: {error}: {self._last_output()}"
            raise InfrastructureError(msg) from error
        if not reply or "error" in reply:
            gone = f"the supervisor of this run's devices has ended: {self._last_output()}"
            raise InfrastructureError(f"no device: {reply.get('error', gone)}")
        return reply

    def watch(self) -> None:
        """Start the supervisor if it is not running: it cleans up when the run ends.

        Raises:
            HostError: if the supervisor cannot be started.
            InfrastructureError: if the supervisor failed to start.
        """
        try:
            self._ensure_supervisor()
        except OSError as error:
            msg = f"the supervisor of this run's devices cannot be started: {error}"
            raise HostError(msg) from error

    def close(self) -> None:
        """End the supervisor and all that it started, and remove the folder, if we own it."""
        if self._lock is None:
            return
        with contextlib.suppress(OSError), self._connect() as stream:
            stream.sendall(b'{"do": "stop"}\n')
            stream.settimeout(_STOP_SECONDS)
            stream.recv(1)  # the supervisor closes the connection when everything has ended
        self._lock.release()
        remove(self.folder)

    @property
    def _log(self) -> Path:
        return self.folder / "supervisor.log"

    def _last_output(self) -> str:
        """Return the end of the supervisor's log."""
        try:
            return self._log.read_text("utf-8", "replace").strip()[-1000:] or "it printed nothing"
        except OSError:
            return "its folder is gone"

    def _connect(self) -> socket.socket:
        stream = socket.socket(socket.AF_UNIX)
        try:
            stream.connect(str(self.folder / SOCKET))
        except OSError:
            stream.close()
            raise
        return stream

    def _ensure_supervisor(self) -> None:
        with opened(self.folder / "supervisor.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with contextlib.suppress(OSError):
                self._connect().close()
                return
            (self.folder / SOCKET).unlink(missing_ok=True)
            with self._log.open("ab") as output:
                # This returns once the supervisor, a child of the program, listens.
                started = subprocess.run(
                    python_program(supervisor.__name__, str(self.folder)),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=output,
                    env=without_keys(),
                    start_new_session=True,
                    check=False,
                )
            if started.returncode != 0:
                msg = f"the supervisor of this run's devices does not start: {self._last_output()}"
                raise InfrastructureError(msg)


def open_lock(path: Path) -> int:
    """Open a lock file for `fcntl.flock`; closing it, or the end of the process, frees the lock.

    Unlike `FileLock`, this never creates the folder of a run that is over again.

    Raises:
        HostError: if the file cannot be opened.
        InfrastructureError: if the folder of the file is gone.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError as error:
        msg = f"the run to which this worker belongs is over: {path.parent} is gone"
        raise InfrastructureError(msg) from error
    except OSError as error:
        msg = f"cannot open {path}, which the processes of this run share: {error}"
        raise HostError(msg) from error


@contextlib.contextmanager
def opened(path: Path) -> Iterator[int]:
    """Yield the descriptor of an open lock file (see `open_lock`).

    Raises:
        HostError: if the file cannot be opened.
    """
    descriptor = open_lock(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _sweep() -> None:
    """Remove the folders of runs that were killed before they had a supervisor."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, Timeout):
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
                continue  # another user's folder, or a link that another user has planted
            if time.time() - about.st_mtime > _STALE_SECONDS:
                with FileLock(folder / OWNER_LOCK, timeout=0):
                    remove(folder)
