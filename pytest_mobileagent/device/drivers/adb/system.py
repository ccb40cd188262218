"""The system of a phone, through adb: its readiness, properties, apps, log, events and resets.

This part is the same for every device that adb reaches, whichever driver handles the screen.
"""

from __future__ import annotations

import math
import re
import shlex
import time
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import (
    LEAST_ROOM_MB,
    LOCK,
    PERMIT,
    POWER,
    ROOM,
    DeviceState,
    free_mb,
    is_locked,
    wakefulness,
)
from pytest_mobileagent.device.drivers import check_version
from pytest_mobileagent.device.drivers.adb.console import (
    Console,
    NoSnapshotError,
    ReadOnlyError,
    console_of,
)
from pytest_mobileagent.device.drivers.adb.shell import (
    ConnectionLostError,
    ScriptOutput,
    Shell,
    restart_as_root,
)
from pytest_mobileagent.device.drivers.adb.streams import EventStream, LogStream
from pytest_mobileagent.device.screen import FOCUS, Panels, Shot, focus
from pytest_mobileagent.episode.observation import DeviceInfo, Reset
from pytest_mobileagent.errors import DeviceError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_mobileagent._task import Probe, Value
    from pytest_mobileagent.device.device import Address, LogLevel, System
    from pytest_mobileagent.device.sources import Restart
    from pytest_mobileagent.episode.event import Event, LogLine


def read_info(shell: Shell) -> DeviceInfo:
    """Read the facts about a device: its model, version, screen and language.

    Raises:
        DeviceError: if the device does not answer, its answer cannot be parsed, or it is too old.
    """
    properties = ("ro.product.model", "ro.build.version.release", "ro.build.version.sdk")
    scripts = [f"getprop {name}" for name in (*properties, "persist.sys.locale")]
    outputs = shell.run_all([*scripts, "wm size", "wm density"])
    model, android, sdk, locale, size, density = (output.text.strip() for output in outputs)
    pixels = re.findall(r"(\d+)x(\d+)", size)
    dots = re.findall(r"\d+", density)
    if not (sdk.isdigit() and pixels and dots):
        found = f"API level {sdk!r}, `wm size` {size!r}, `wm density` {density!r}"
        raise DeviceError(f"the properties of device {shell.address} cannot be read: {found}")
    info = DeviceInfo(
        serial=shell.address.serial,
        model=model,
        android=android,
        sdk=int(sdk),
        size=(int(pixels[-1][0]), int(pixels[-1][1])),  # the last one: the override, if set
        density=int(dots[-1]),
        locale=locale or "en-US",
    )
    return check_version(info)


CLOCK = "date +%Y-%m-%dT%H:%M:%S%z"
# The second command if the shell may not see all users, such as that of Samsung's Secure Folder.
_PACKAGES = "pm list packages --show-versioncode"
PACKAGES = f"{_PACKAGES} || {_PACKAGES} --user 0"
_BOOT_SECONDS = 60.0
_ROOT_SECONDS = 2.0  # how long adbd may take to begin its restart
_DROPS_SECONDS = 10.0  # how long after loading a snapshot an emulator may drop the connection


class AdbSystem:
    """The system of a device that adb reaches (see `System`).

    `restart` replaces a device that cannot load a snapshot while it runs; None if it cannot be
    replaced. `changed` is called when the screen's earlier content is gone: after a reset, and with
    True after a `refresh`.

    Raises:
        DeviceError: if the device cannot be reached, or is not ready within a minute.
    """

    def __init__(
        self,
        address: Address,
        restart: Restart | None = None,
        changed: Callable[[bool], None] = lambda _: None,
        log: LogLevel = "off",
    ) -> None:
        self.address = address
        self._restart = restart
        self.changed = changed
        self._shell = Shell(address)
        self._listener = EventStream(address)
        self._log = LogStream(address, log)
        self._console: Console | None = None  # through which the device is forked
        self._packages: Mapping[str, str] | None = None  # with their version codes
        self._asked_for_root: tuple[str, float] | None = None  # adbd's process then, and until when
        self._restored_at = -math.inf
        self.panels = Panels()
        self._shell.run("true")  # fails at once if the device does not exist
        try:
            self._await_ready()
            self.info = read_info(self._shell)
        except BaseException:
            self._shell.close()
            raise

    @property
    def adb(self) -> Address:
        return self.address

    @property
    def round_trips(self) -> int:
        """How many round trips the shell has made, for measurements."""
        return self._shell.round_trips

    def run(self, *scripts: str) -> list[ScriptOutput]:
        """Run shell scripts in one round trip, and return the output of each."""
        return self._shell.run_all(scripts)

    def look(self, *scripts: str) -> list[ScriptOutput]:
        """Run scripts that change nothing, so that they can be repeated soon after a reset."""
        self._listener.mark()
        marked = [*scripts, *filter(None, [self._log.mark()])]
        try:
            outputs = self._shell.run_all(marked)
        except ConnectionLostError:
            if time.monotonic() > self._restored_at + _DROPS_SECONDS:
                raise
            self._await_ready(_DROPS_SECONDS)
            outputs = self._shell.run_all(marked)
        return outputs[: len(scripts)]

    def size(self) -> tuple[int, int]:
        self.info = replace(self.info, size=read_info(self._shell).size)
        return self.info.size

    def picture(self) -> Shot:
        return Shot.of(self._shell.run(self.panels.script).raw)

    def seen(self, probes: Mapping[str, Probe]) -> tuple[Shot, DeviceState]:
        """Return a screenshot and the device's state, read in one round trip."""
        shot, *outputs = self.look(self.panels.script, FOCUS, CLOCK, *probe_scripts(probes))
        return Shot.of(shot.raw), state_of(outputs, probes)

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        self._packages = None
        self._listener.stop()
        self._log.stop()
        try:
            self._load(snapshot)
        except NoSnapshotError as why:
            clear(self._shell, apps)
            reset = Reset("cleared", cleared=tuple(apps), reason=str(why))
        else:
            reset = Reset("snapshot", snapshot)
        self._log.start()
        self._check_health()
        self._listen()
        self.changed(False)
        return reset

    def refresh(self) -> None:
        """Read the facts about the device again; Android may have restarted in the meantime."""
        self._listener.stop()
        self._await_ready()
        self._check_health()
        self.info = read_info(self._shell)
        self._listen()
        self.changed(True)

    def _listen(self) -> None:
        """Receive events from now on if a listener is installed."""
        self._listener.start(self._enable_listener)
        self.info = replace(self.info, listener=not self._listener.problem)

    def _enable_listener(self, script: str) -> str:
        done, packages = self.look(script, PACKAGES)
        self._packages = _versions(packages.text) or None
        return done.text

    def events(self) -> tuple[Event, ...]:
        return self._listener.take()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        lines = self._log.take()
        lines += self._log.rest() if late else ()
        return None if self._log.problem else lines

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots; only emulators have snapshots."""
        try:
            return console_of(self.address, self._shell).snapshots()
        except NoSnapshotError:
            return []

    def packages(self) -> frozenset[str]:
        return frozenset(self.versions())

    def versions(self) -> Mapping[str, str]:
        if self._packages is None:
            output = self.look(PACKAGES)[0].text
            self._packages = _versions(output) or None
        if self._packages is None:  # every phone has apps
            printed = f"it printed {output.strip()[:200]!r}"
            raise DeviceError(f"device {self.address} lists no apps; {printed}")
        return self._packages

    def shell(self, script: str) -> str:
        return self._shell.run(f"sh -c {shlex.quote(script)}").text

    def close(self) -> None:
        self._listener.stop()
        self._log.stop()
        self._shell.close()
        if self._console is not None:
            self._console.close()
            self._console = None

    def _await_ready(self, seconds: float = _BOOT_SECONDS) -> None:
        """Wait until the device has booted, and its shell runs as root if the device allows that.

        Only root can read the databases of apps.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                asked = ["id -u", "echo $PPID", "getprop sys.boot_completed"]
                outputs = self._shell.run_all(asked, 10)
                user, adbd, booted = (output.text.strip() for output in outputs)
                problem = f"sys.boot_completed is {booted!r}, not 1"
                if self._becomes_root(user, adbd):
                    problem = "adbd is restarting as root"
                elif booted == "1":
                    return
            except DeviceError as error:
                problem = str(error)
            if time.monotonic() > deadline:
                what = f"device {self.address} is not ready after {seconds:g} s"
                raise DeviceError(f"{what}: {problem}")
            time.sleep(0.02)

    def _becomes_root(self, user: str, adbd: str) -> bool:
        """Return whether adbd is about to restart as root; ask it to if it has not been asked yet.

        A device may announce a restart that does not happen, or that does not make it root.
        """
        if user == "0":
            self._asked_for_root = None  # a snapshot may be loaded in which it is not root
            return False
        if self._asked_for_root is None:
            self._shell.close()
            restarts = restart_as_root(self.address)
            self._asked_for_root = adbd, time.monotonic() + _ROOT_SECONDS if restarts else -math.inf
        process, until = self._asked_for_root
        return adbd == process and time.monotonic() < until

    def _check_health(self) -> None:
        """Wake the phone and dismiss its lock screen, if necessary.

        Raises:
            DeviceError: if the phone stays asleep or locked, or its storage is full.
        """
        for command in ("input keyevent WAKEUP; wm dismiss-keyguard", ""):
            power, window, df = (output.text for output in self.look(POWER, LOCK, ROOM))
            free = free_mb(df)
            if free is not None and free < LEAST_ROOM_MB:
                problem = f"has only {free} MB of storage left"
                break
            if wakefulness(power) in {"Awake", ""} and not is_locked(window):
                return
            problem = "is locked" if is_locked(window) else "does not wake up"
            if command:
                self._shell.run(command)
        raise DeviceError(f"device {self.address} {problem}")

    def fork(self, other: System) -> None:
        """Bring another device to the present state of this one (see `ForkingSystem`)."""
        if not isinstance(other, AdbSystem):
            raise DeviceError(f"device {self.address} can only be forked on a device of adb")
        try:
            self._console = self._console or Console(self.address, stays=True)
            self._console.fork(other.address.serial)
        except DeviceError as error:
            what = f"device {self.address} cannot be forked on {other.address}"
            why = f"as only virtual phones of one process can: {error}"
            raise DeviceError(f"{what}, {why}") from error
        other.forked()

    def forked(self) -> None:
        """Forget what was known of the device's earlier state."""
        self._packages = None
        self.changed(False)

    def _load(self, snapshot: str) -> None:
        console = console_of(self.address, self._shell)
        if not (names := console.snapshots()):
            raise NoSnapshotError("no snapshots")
        if snapshot not in names:
            what = f"device {self.address} has no snapshot {snapshot!r}"
            raise TaskError(f"{what} (it has: {', '.join(names)})")
        try:
            console.load(snapshot)
        except ReadOnlyError:
            self._start_from(snapshot)
        else:
            self._await_ready()
            self._restored_at = time.monotonic()

    def _start_from(self, snapshot: str) -> None:
        """Replace the device by one that is started from the snapshot."""
        if self._restart is None:
            raise NoSnapshotError("no snapshots, as the emulator runs with -read-only")
        self.close()
        address, loaded = self._restart(self.address, snapshot)
        if address != self.address:
            self.address, self._shell = address, Shell(address)
            self._listener = EventStream(address)
            self._log = LogStream(address, self._log.level)
        self._asked_for_root = None
        self._await_ready()
        self.info = read_info(self._shell)
        if not loaded:
            raise NoSnapshotError(f"no snapshots, as the emulator could not start from {snapshot}")


def clear(shell: Shell, apps: Sequence[str]) -> None:
    """Stop apps, clear their data, and go to the home screen.

    Raises:
        DeviceError: if the device does not permit it, as some makers' builds do not at first.
    """
    names = [shlex.quote(app) for app in apps]
    scripts = [f"am force-stop {name}; pm clear {name}" for name in names]
    for app, done in zip(apps, shell.run_all([*scripts, "input keyevent 3"]), strict=False):
        if "SecurityException" in done.text:
            why = next(line for line in done.text.splitlines() if "ecurity" in line)
            raise DeviceError(f"device {shell.address} does not clear {app}: {why[:200]}; {PERMIT}")


def state_of(outputs: Sequence[ScriptOutput], probes: Mapping[str, Probe]) -> DeviceState:
    """Return the device's state from the outputs of FOCUS, CLOCK and the scripts of the probes."""
    clock, values = read_clock(outputs[1].text), probe_values(probes, outputs[2:])
    return DeviceState(*focus(outputs[0].text), clock, values)


def read_clock(text: str) -> datetime:
    """Parse the device's time, in ISO 8601; the result has no time zone.

    Raises:
        DeviceError: if the text is not a time.
    """
    try:
        moment = datetime.strptime(text.strip(), "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        raise DeviceError(f"the device's clock reads {text.strip()[:100]!r}") from None
    return moment.replace(tzinfo=None)


def probe_scripts(probes: Mapping[str, Probe]) -> list[str]:
    """Return a script for each probe, to run in the device's shell."""
    return [f"sh -c {shlex.quote(probe.script)}" for probe in probes.values()]


def probe_values(probes: Mapping[str, Probe], outputs: Sequence[ScriptOutput]) -> dict[str, Value]:
    """Return the values that the probes parse from the outputs of their scripts."""
    pairs = zip(probes.items(), outputs, strict=True)
    return {name: probe.parse(output.text) for (name, probe), output in pairs}


def _versions(lines: str) -> dict[str, str]:
    """Return the version codes by package from the output of `pm list packages`."""
    return dict(re.findall(r"(?m)^package:(\S+)(?: versionCode:(\d+))?\s*$", lines))
