"""Shims that lead a program to its adb server: `adb` first on its PATH; hooks of Python and Node.

Programs may name a port, a binary's folder, or end and start adb servers as they like: it is
always the same server, and always there.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.program.adb import redirect

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHIM = """\
#!/bin/sh
# Runs adb with the server of this program's phone, whichever server is asked for.
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
    // What net.connect has made of its arguments, which it marks as such.
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

    `base` is the environment of the program without them.

    Raises:
        OSError: it cannot be written.
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
        # Where no server is any more, adb starts one, which would log in the folder for all.
        "ANDROID_ADB_LOG_PATH": str(folder / "adb.log"),
    }


def _link_all(source: Path, target: Path, but: str) -> None:
    if source.is_dir():
        for entry in source.iterdir():
            if entry.name != but:
                (target / entry.name).symlink_to(entry.absolute())


def _before(folder: Path, paths: str) -> str:
    return f"{folder}{os.pathsep}{paths}" if paths else str(folder)
