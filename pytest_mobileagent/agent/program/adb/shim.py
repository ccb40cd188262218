"""What leads a program to its own adb server: an `adb` first on its PATH, and for Python a hook.

Programs may name a port, a binary's folder, or end and start adb servers as they like: it is
always the same server, and always there.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.agent.program.adb import redirect

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


def write_shims(folder: Path, port: int, base: Mapping[str, str]) -> dict[str, str]:
    """Write what leads to the adb server at `port` into a folder, and return the variables.

    `base` is the environment of the program without them.

    Raises:
        OSError: it cannot be written.
    """
    import adbutils  # noqa: PLC0415 - it takes 50 ms to import

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
    return {
        "PATH": _before(tools, base.get("PATH", os.defpath)),
        "ANDROID_HOME": str(sdk),
        "ANDROID_SDK_ROOT": str(sdk),
        "ANDROID_ADB_SERVER_PORT": str(port),
        "ANDROID_ADB_SERVER_ADDRESS": "127.0.0.1",  # the user's server may be elsewhere
        "ANDROID_ADB_SERVER_HOST": "127.0.0.1",  # adbutils' name of it
        "PYTHONPATH": _before(hooks, base.get("PYTHONPATH", "")),
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
