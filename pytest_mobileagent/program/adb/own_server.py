"""A program's own adb server, a real one with a single device, and the shims that lead to it.

The shims are an `adb` that comes first on the program's PATH, and hooks for Python and Node.
Whichever port or binary the program uses, and however often it kills and starts adb servers, it
reaches the same server, which is always running.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.fleet.programs import ISOLATED_ADB
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.processes import die_with_parent, without_keys
from pytest_mobileagent.program.adb import redirect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.fleet.programs import Process


_NAME = "phone-server"  # programs may kill every process that is called adb
_KEY = "adbkey"  # the public half is beside it, in adbkey.pub
_RESTART_SECONDS = 0.1  # between the end of a server and the start of the next one
_WAITING_CLIENTS = 128


class AdbServer:
    """Runs the real adb binary as a server, and restarts it whenever it has ended.

    This process owns the listening port and passes it to the server. While no server runs, clients
    therefore wait, instead of starting one that would search for all of this machine's devices.
    `folder` is the server's home, and `key` the folder of the user's adb key, which may not exist.
    """

    def __init__(self, folder: Path, key: Path) -> None:
        self._folder, self._key = folder, key
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._keeping: asyncio.Task[None] | None = None
        self._process: Process | None = None
        self.port = 0

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the server, and keep it running.

        Raises:
            HostError: if the server cannot be started.
        """
        try:
            self._listener.bind(("127.0.0.1", 0))
            self._listener.listen(_WAITING_CLIENTS)
            self.port = self._listener.getsockname()[1]
            await asyncio.to_thread(self._prepare)
            self._process = await self._spawn()
        except OSError as error:
            raise HostError(f"the adb server of a program cannot be started: {error}") from error
        self._keeping = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """End the server, and with it all its forwards."""
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
        if (self._key / _KEY).is_file():  # otherwise the server creates a key, which takes 100 ms
            for name in (_KEY, f"{_KEY}.pub"):
                (home / name).symlink_to(self._key / name)
        (self._folder / _NAME).symlink_to(adbutils.adb_path())

    async def _keep(self) -> None:
        while True:
            assert self._process is not None
            await self._process.wait()
            await asyncio.sleep(_RESTART_SECONDS)
            with contextlib.suppress(OSError):  # for example a lack of memory: try again later
                self._process = await self._spawn()

    async def _spawn(self) -> Process:
        own = without_keys()
        environment = {name: value for name, value in own.items() if name not in _UNWANTED}
        environment |= ISOLATED_ADB | {
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


# Variables that refer to the user's own server.
_UNWANTED = {"ADB_VENDOR_KEYS", "ADB_SERVER_SOCKET", "ADB_TRACE", "ANDROID_SERIAL"}


_SHIM = """\
#!/bin/sh
# Runs adb with the server of this program's phone, whichever server is requested.
ANDROID_ADB_SERVER_PORT={port}
export ANDROID_ADB_SERVER_PORT
unset ANDROID_ADB_SERVER_ADDRESS ADB_SERVER_SOCKET
case "$1" in
    -*) ;;
    kill-server|start-server) exit 0 ;;
    *) exec {adb} "$@" ;;
esac
left=$#
command=
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    if [ -n "$command" ]; then
        set -- "$@" "$word"
        continue
    fi
    case "$word" in
        -P|-H|-L)
            if [ "$left" -gt 0 ]; then
                shift
                left=$((left - 1))
            fi
            ;;
        -P*|-H*|-L*|-a|-d|-e) ;;
        -s|-t|--one-device)
            set -- "$@" "$word"
            if [ "$left" -gt 0 ]; then
                word=$1
                shift
                left=$((left - 1))
                set -- "$@" "$word"
            fi
            ;;
        -*) set -- "$@" "$word" ;;
        kill-server|start-server) exit 0 ;;
        *)
            command=$word
            set -- "$@" "$word"
            ;;
    esac
done
exec {adb} "$@"
"""

_NODE_HOOK = """\
// Sends connections of a Node program to the usual adb server to the one of its phone.
"use strict";
const { Socket } = require("net");
const local = ["", "127.0.0.1", "localhost", "::1", "0.0.0.0"];
const connect = Socket.prototype.connect;
const usual = (port, host) => Number(port) === 5037 && local.includes(host || "");
const own = { host: "127.0.0.1", port: %d };
Socket.prototype.connect = function (first, ...others) {
  if (Array.isArray(first)) {
    // The normalised arguments of net.connect, which marks them as such.
    const asked = first[0];
    if (asked && usual(asked.port, asked.host)) first[0] = { ...asked, ...own };
  } else if (first && typeof first === "object") {
    if (usual(first.port, first.host)) first = { ...first, ...own };
  } else {
    const named = typeof others[0] === "string";
    if (usual(first, named ? others[0] : "")) {
      first = own;
      if (named) others.shift();
    }
  }
  return connect.call(this, first, ...others);
};
"""


def write_shims(folder: Path, port: int, base: Mapping[str, str]) -> dict[str, str]:
    """Write the shims for the adb server at `port` into a folder, and return the variables.

    `base` is the environment of the program without these variables.

    Raises:
        OSError: if a shim cannot be written.
    """
    import adbutils  # it takes 50 ms to import

    sdk, hooks = folder / "sdk", folder / "python"
    user_sdk = Path(base.get("ANDROID_HOME") or base.get("ANDROID_SDK_ROOT") or os.devnull)
    tools = sdk / "platform-tools"
    tools.mkdir(parents=True)
    _link_all(user_sdk, sdk, but="platform-tools")
    _link_all(user_sdk / "platform-tools", tools, but="adb")
    shim = tools / "adb"
    shim.write_text(_SHIM.format(port=port, adb=shlex.quote(adbutils.adb_path())), "utf-8")
    shim.chmod(0o755)
    hooks.mkdir()
    source = Path(redirect.__file__).read_text("utf-8")
    (hooks / "sitecustomize.py").write_text(f"{source}\n\ninstall({port}, __file__)\n", "utf-8")
    node = folder / "node.cjs"
    node.write_text(_NODE_HOOK % port, "utf-8")
    quoted = str(node).replace("\\", "\\\\").replace('"', '\\"')
    return {
        "PATH": _before(tools, base.get("PATH", os.defpath)),
        "ANDROID_HOME": str(sdk),
        "ANDROID_SDK_ROOT": str(sdk),
        "ANDROID_ADB_SERVER_PORT": str(port),
        "ANDROID_ADB_SERVER_ADDRESS": "127.0.0.1",  # the user's server may be elsewhere
        "ANDROID_ADB_SERVER_HOST": "127.0.0.1",  # adbutils' name of it
        "PYTHONPATH": _before(hooks, base.get("PYTHONPATH", "")),
        "NODE_OPTIONS": f'--require "{quoted}" {base.get("NODE_OPTIONS", "")}'.rstrip(),
        # If the server is gone, adb starts one, which would log to a folder shared by all users.
        "ANDROID_ADB_LOG_PATH": str(folder / "adb.log"),
    }


def _link_all(source: Path, target: Path, but: str) -> None:
    if source.is_dir():
        for entry in source.iterdir():
            if entry.name != but:
                (target / entry.name).symlink_to(entry.absolute())


def _before(folder: Path, paths: str) -> str:
    return f"{folder}{os.pathsep}{paths}" if paths else str(folder)
