"""Runs an Appium server, as a program that the supervisor of a run starts.

It prints a line of JSON with the server's URL once the server answers. It stops the server when
standard input closes, and exits when the server does. Appium is taken from the folder `--home`,
where npm has installed it, or else it is the program `appium` on the PATH.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import IO

from pytest_mobileagent.processes import die_with_parent, is_readable, without_keys

_START_SECONDS = 50.0
INSTALL = (
    "install it with `npm install --prefix DIR appium appium-uiautomator2-driver`, and pass "
    "-o mobile_appium_home=DIR"
)
# The devices' state is read by shell commands. It is safe to allow them here, because the server
# belongs to the run and only listens on loopback.
_FEATURES = "uiautomator2:adb_shell"


def find_appium(home: Path | None) -> Path:
    """Return the path of Appium's program.

    Raises:
        FileNotFoundError: if Appium is not installed; the message says how to install it.
    """
    if home is not None:
        program = home / "node_modules" / ".bin" / "appium"
        if not program.exists():
            raise FileNotFoundError(f"there is no Appium in {home}: {INSTALL}")
        return program
    found = shutil.which("appium")
    if found is None:
        raise FileNotFoundError(f"Appium is not installed: {INSTALL}")
    return Path(found)


def main(arguments: list[str] | None = None) -> int:
    """Run the server until standard input closes; the exit status is 1 if it fails before that."""
    parser = argparse.ArgumentParser(prog="appium.server")
    parser.add_argument("--home", type=Path)
    options = parser.parse_args(arguments)
    try:
        program = find_appium(options.home)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="appium-") as folder:
        process, url = _start(program, options.home, Path(folder))
        try:
            if not _answers(process, url):
                print(f"{program} does not answer at {url}", file=sys.stderr)
                return 1
            print(json.dumps({"url": url}), flush=True)
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            while process.poll() is None and not _is_closed(sys.stdin, 0.1):
                pass
            if process.returncode is None:
                return 0
            print(f"{program} ended with status {process.returncode}", file=sys.stderr)
            return 1
        finally:
            _end(process)


def _is_closed(stream: IO[str], seconds: float) -> bool:
    """Return whether a stream that carries no data ends within the given seconds."""
    return is_readable(stream, seconds) and not os.read(stream.fileno(), 4096)


def _start(program: Path, home: Path | None, folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = without_keys()
    if home is not None:
        environment["APPIUM_HOME"] = str(home.resolve())
    if not {"ANDROID_HOME", "ANDROID_SDK_ROOT"} & set(environment):
        environment["ANDROID_HOME"] = str(_sdk(folder))
    command = [str(program), "--address", "127.0.0.1", "--port", str(port)]
    command += ["--allow-insecure", _FEATURES, "--log-level", "error:error"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        env=environment,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - this process has one thread
    )
    return process, f"http://127.0.0.1:{port}"


def _sdk(folder: Path) -> Path:
    """Create the minimal Android SDK that Appium needs: a link to this installation's adb."""
    import adbutils  # it takes 50 ms to import

    tools = folder / "sdk" / "platform-tools"
    tools.mkdir(parents=True)
    (tools / "adb").symlink_to(adbutils.adb_path())
    return tools.parent


def _answers(process: subprocess.Popen[bytes], url: str) -> bool:
    deadline = time.monotonic() + _START_SECONDS
    past_proxies = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), past_proxies.open(f"{url}/status", timeout=5):
            return True
        time.sleep(0.05)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
