"""An adb server of a program's own: a real one, which knows a single device."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
from typing import TYPE_CHECKING

from pytest_mobileagent.device.fleet.ports import ALONE
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.processes import die_with_parent, without_keys
from pytest_mobileagent.program.adb.wire import Key

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.device.fleet.process import Process

_NAME = "phone-server"  # programs end what is called adb
_KEY = "adbkey"  # with the public half beside it, in adbkey.pub
_RESTART_SECONDS = 0.1  # between its end and a new one
_WAITING_CLIENTS = 128


class AdbServer:
    """Runs the real adb binary as a server, and starts it again whenever it has ended.

    The port is this process's own, and given to the server: while there is none, clients wait
    instead of starting one themselves, which would look for all of this machine's devices.
    `folder` is its home, and `key` the folder that holds the key with which it would introduce
    itself, if there is one already.
    """

    def __init__(self, folder: Path, key: Path) -> None:
        self._folder = folder
        self._key = key
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._keeping: asyncio.Task[None] | None = None
        self._process: Process | None = None
        self.port = 0

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start it, and keep it running.

        Raises:
            HostError: it cannot be started.
        """
        try:
            self._listener.bind(("127.0.0.1", 0))
            self._listener.listen(_WAITING_CLIENTS)
            self.port = self._listener.getsockname()[1]
            await asyncio.to_thread(self._prepare)
            self._process = await self._spawn()
        except OSError as error:
            msg = f"the adb server of a program cannot be started: {error}"
            raise HostError(msg) from error
        self._keeping = asyncio.create_task(self._keep())

    def has_signed(self, signature: bytes, token: bytes) -> bool:
        """Whether a token's signature is by the key of this server."""
        with contextlib.suppress(OSError, ValueError):  # it has not made one yet
            return Key.of(self._folder / ".android" / _KEY).verifies(signature, token)
        return False

    async def close(self) -> None:
        """End it, and with it all its forwards."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        self._listener.close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()  # it has nothing to clean up
            await self._process.wait()

    def _prepare(self) -> None:
        import adbutils  # it takes 50 ms to import

        home = self._folder / ".android"
        home.mkdir(parents=True)
        with contextlib.suppress(OSError, ValueError):  # it makes one of its own
            Key.of(self._key / _KEY)
            for name in (_KEY, f"{_KEY}.pub"):  # making one takes 100 ms
                (home / name).symlink_to(self._key / name)
        (self._folder / _NAME).symlink_to(adbutils.adb_path())

    async def _keep(self) -> None:
        while True:
            assert self._process is not None
            await self._process.wait()
            await asyncio.sleep(_RESTART_SECONDS)
            with contextlib.suppress(OSError):  # no memory, say: there may be some again
                self._process = await self._spawn()

    async def _spawn(self) -> Process:
        own = without_keys()
        environment = {name: value for name, value in own.items() if name not in _UNWANTED}
        environment |= ALONE | {
            "HOME": str(self._folder),
            "TMPDIR": str(self._folder),
            "ANDROID_ADB_LOG_PATH": str(self._folder / "server.log"),
        }
        number = self._listener.fileno()
        return await asyncio.create_subprocess_exec(
            _NAME,
            *("-L", f"acceptfd:{number}", "nodaemon", "server"),
            executable=self._folder / _NAME,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            pass_fds=[number],
            start_new_session=True,
            preexec_fn=die_with_parent,
        )


# Variables that mean the user's own server.
_UNWANTED = {"ADB_VENDOR_KEYS", "ADB_SERVER_SOCKET", "ADB_TRACE", "ANDROID_SERIAL"}
