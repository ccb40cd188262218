"""Runs one emulator, as a program that the supervisor of a run starts.

It prints a line of JSON once the emulator has completely booted. It stops the emulator when its
standard input closes, or on SIGTERM. If this program is killed, the emulator dies with it.

The emulator runs with the user's HOME rather than one of the run's, because its AVDs, the token of
its console and ~/.android/adbkey are there. The emulator passes that key to the phone at boot; the
run's adb server must use the same key, or the phone does not trust it. A snapshot remembers the
keys that it trusts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.console import Console
from pytest_mobileagent.device.drivers.adb.shell import Shell, listed, register
from pytest_mobileagent.errors import DeviceError, HostError, InfrastructureError
from pytest_mobileagent.processes import die_with_parent, without_keys

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Self


GPU = {"software": "swiftshader_indirect", "host": "host"}
_FLAGS = ("-no-window", "-no-audio", "-no-boot-anim", "-no-snapshot-save")
_STILL = (
    "settings put global window_animation_scale 0",
    "settings put global transition_animation_scale 0",
    "settings put global animator_duration_scale 0",
    "settings put global hide_error_dialogs 1",
)
# Ways to end the emulator (None: by its console), and the seconds that each may take.
_ENDING = ((None, 15.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
GRACE_SECONDS = sum(seconds for _, seconds in _ENDING) + 2  # that this program needs to end


class Emulator:
    """A running emulator.

    Raises:
        HostError: if the emulator's program cannot be run.
    """

    def __init__(self, options: argparse.Namespace, port: int) -> None:
        self.avd: str = options.avd
        self.snapshot: str | None = options.snapshot
        home = str(Path.home())
        self.address = Address(f"emulator-{port}", "127.0.0.1", options.adb_server_port, home)
        # An unpredictable name, so that no other user can plant a link that redirects our writes.
        number, log = tempfile.mkstemp(prefix=f"emulator-{port}-", suffix=".log")
        self.log = Path(log)
        with os.fdopen(number, "wb") as output:
            try:
                self.process = subprocess.Popen(
                    command(options, port),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=without_keys() | {"ANDROID_ADB_SERVER_PORT": str(options.adb_server_port)},
                    start_new_session=True,
                    preexec_fn=die_with_parent,  # noqa: PLW1509 - there are no threads yet
                )
            except OSError as error:
                self.log.unlink()
                raise HostError(f"{options.emulator} cannot be run: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def await_boot(self, seconds: float, stop: threading.Event) -> None:
        """Wait until the phone can be used, and turn off animations and error dialogs.

        Raises:
            InfrastructureError: if the emulator has ended, or is not ready in time.
        """
        deadline = time.monotonic() + seconds
        shell = Shell(self.address)
        while True:
            problem = self._missing(shell)
            # Checked first, because another user's emulator may answer at the port.
            if self.process.poll() is not None:
                ended = f"ended with status {self.process.returncode} before it had booted"
                raise self._failure(ended)
            if problem is None:
                break
            if time.monotonic() > deadline:
                raise self._failure(f"has not booted in {seconds:g} s ({problem})")
            if stop.wait(0.25):
                raise self._failure("was asked to stop before it had booted")
        shell.run_all(_STILL)
        shell.close()

    def loaded(self) -> str:
        """Return the name of the snapshot that the emulator started from; empty for a cold boot."""
        started = re.search(r"Successfully loaded snapshot(?: '([^']+)')?", self._output())
        if started:
            return started[1] or self.snapshot or "default_boot"
        with contextlib.suppress(DeviceError):  # older consoles lack the command
            return Console(self.address).loaded()
        return ""

    def end(self) -> None:
        """End the emulator and its child processes, by its console or else by signals."""
        for number, seconds in _ENDING:
            if self.process.poll() is not None:
                break
            if number is None:
                try:
                    Console(self.address).kill()
                except DeviceError:  # the console does not listen: do not wait for it
                    continue
            else:
                self._signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        self._signal(signal.SIGKILL)
        self.log.unlink(missing_ok=True)

    def _missing(self, shell: Shell) -> str | None:
        """Return why the phone cannot be used yet, even if it says that it has booted, or None."""
        file = "/data/local/tmp/mobileagent-boot.xml"
        try:
            booted, animation, packages = shell.run_all(
                ["getprop sys.boot_completed", "getprop init.svc.bootanim", "pm list packages"], 20
            )
            if booted.text.strip() != "1":
                return f"sys.boot_completed is {booted.text.strip()!r}"
            if animation.text.strip() == "running":
                return "the boot animation is still running"
            if "package:" not in packages.text:
                return f"the package manager answers {packages.text.strip()[:100]!r}"
            dump = shell.run(f"uiautomator dump {file}; cat {file}; rm -f {file}", 90).text
        except DeviceError as error:
            register(self.address)  # in case the emulator came up before the adb server
            return str(error)
        return None if "</hierarchy>" in dump else f"uiautomator answers {dump.strip()[:100]!r}"

    def _output(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def _failure(self, what: str) -> InfrastructureError:
        output = self._output()
        last = "".join(f"\n    {line}" for line in output.strip().splitlines()[-8:])
        quote = f"; its output:{last}" if last else ""
        return InfrastructureError(f"the emulator of AVD {self.avd} {what}{quote}{advice(output)}")

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def command(options: argparse.Namespace, port: int) -> list[str]:
    """Return the command that starts the emulator."""
    # Several emulators can run the same AVD only if none of them writes to it.
    start = ["-no-snapshot"] if options.writable else ["-read-only"]
    start += ["-snapshot", options.snapshot] if options.snapshot else []
    flags = [*_FLAGS, "-gpu", GPU[options.gpu], *start, *options.flags]
    return [options.emulator, "-avd", options.avd, "-port", str(port), *flags]


def advice(output: str) -> str:
    """Return a line of advice for an emulator that failed with this output; empty if unknown."""
    if re.search(r"permissions? to use KVM|/dev/kvm.*(denied|permission)", output, re.IGNORECASE):
        fix = "let yourself use /dev/kvm: `sudo gpasswd -a $USER kvm`, then log in again"
    elif re.search(r"hardware acceleration|CPU acceleration|\bKVM\b", output):
        fix = "enable virtualisation in the firmware or the cloud machine, and load the kvm module"
    else:
        return ""
    slow = "or run without it, many times slower, with -o mobile_emulator_flags='-accel off'"
    return f"\n  To fix it: {fix}; {slow}."


def main(argv: Sequence[str] | None = None) -> int:
    """Run an emulator until it is asked to stop; the exit status is 1 if it did not boot."""
    options = _parser().parse_args(argv)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    try:
        # The adb server may still list an emulator that has just ended.
        known = listed("127.0.0.1", options.adb_server_port)
        avoid = {int(name.rpartition("-")[2]) for name in known if re.match(r"emulator-\d", name)}
        with console_port(avoid) as port, Emulator(options, port) as emulator:
            threading.Thread(target=_read_to_the_end, args=(stop,), daemon=True).start()
            emulator.await_boot(options.boot_limit, stop)
            about = {"serial": emulator.address.serial, "snapshot": emulator.loaded()}
            print(json.dumps(about), flush=True)
            while emulator.process.poll() is None and not stop.wait(0.1):
                pass
    except InfrastructureError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="emulator", allow_abbrev=False)
    parser.add_argument("--emulator", required=True)
    parser.add_argument("--avd", required=True)
    parser.add_argument("--adb-server-port", type=int, required=True)
    parser.add_argument("--boot-limit", type=float, required=True)
    parser.add_argument("--gpu", choices=GPU, default="software")
    parser.add_argument("--snapshot")
    parser.add_argument("--writable", action="store_true")
    parser.add_argument("flags", nargs="*")
    return parser


def _read_to_the_end(stop: threading.Event) -> None:
    with contextlib.suppress(OSError, ValueError):
        while os.read(0, 4096):
            pass
    stop.set()


CONSOLE_PORTS = range(5554, 5684, 2)  # the ports that Android's emulator may use for its console


@contextlib.contextmanager
def console_port(avoid: Collection[int] = ()) -> Iterator[int]:
    """Yield a free console port whose successor, which adb will use, is free as well.

    No other caller of this function gets the same port until the context, or this process, ends.
    Ports in `avoid` are skipped.

    Raises:
        HostError: if no port is free.
    """
    for port in CONSOLE_PORTS:
        lock = None if port in avoid else _locked(port)
        if lock is None:
            continue
        with lock:
            # The lock excludes other callers only; any other program may use the ports.
            if _free(port) and _free(port + 1):
                yield port
                return
    raise HostError(f"no two ports in a row are free for an emulator from {CONSOLE_PORTS[0]} up")


def _locked(port: int) -> socket.socket | None:
    """Lock a port by binding the UDP port of the same number; None if that is taken.

    Emulators use no UDP ports. Unlike a lock file in a folder that all users can write to, the
    lock leaves nothing behind and cannot be replaced by another user.
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


if __name__ == "__main__":
    sys.exit(main())
