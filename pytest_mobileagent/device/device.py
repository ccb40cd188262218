"""A device as everything else sees it: its protocols, its address, its options."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pytest_mobileagent.device.settle import Settle
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.log import LogLine
    from pytest_mobileagent.episode.record import DeviceInfo, Reset
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.task import Probe, Value


LogLevel = Literal["off", "warnings", "all"]


@dataclass(frozen=True, slots=True)
class Capture:
    """One look at the device: its screen, and what the probes read at the same moment."""

    screen: Screen
    probes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class DeviceState:
    """What is read together with a look at the screen, but not seen on it.

    `package` and `activity` name what has the focus, `time` is the device's own clock.
    """

    package: str
    activity: str
    time: datetime
    probes: Mapping[str, Value]


class Device(Protocol):
    """A phone that can be looked at and acted on: all that an episode needs.

    Every method raises DeviceError when the device does not answer, or not as Android does.
    """

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""

    @property
    def system(self) -> System | None:
        """The system behind the screen; None where there is none, as with recorded pages."""

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Look at the screen, and read the probes."""

    def perform(self, action: Action) -> None:
        """Do an action on the device, and wait until the screen has settled."""

    def events(self) -> tuple[Event, ...]:
        """Return what happened on the device since the last call; nothing without a listener."""

    def close(self) -> None:
        """Disconnect from the device and leave it as it is."""


@runtime_checkable
class LogReader(Protocol):
    """What a device has whose log can be read."""

    def log(self) -> tuple[LogLine, ...] | None:
        """Return the lines of its log since the last call; None if they cannot be read now.

        At least those of crashes are among them.
        """


class System(Protocol):
    """What only live devices have, for those who prepare them for a task and check their state.

    Every method raises DeviceError when the device does not answer, or not as Android does.
    """

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Bring the device to a task's starting point, and return how that was done.

        That is the snapshot; where the device has none, `apps` are cleared and stopped instead.

        Raises:
            TaskError: the device has snapshots, but not this one.
        """

    def refresh(self) -> None:
        """Read again what is known of the device, after its display or its language changed."""

    def snapshots(self) -> Sequence[str]:
        """Return the names of the snapshots that `reset` can load, if any."""

    def packages(self) -> frozenset[str]:
        """Return the packages that are installed."""

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote, standard error included."""


def log_of(device: Device) -> tuple[LogLine, ...] | None:
    """Return the lines of a device's log since the last call; None where nobody can read it."""
    return device.log() if isinstance(device, LogReader) else None


def system_of(device: Device) -> System:
    """Return the system of a device that has to have one.

    Raises:
        DeviceError: it has none.
    """
    if device.system is None:
        msg = f"device {device.info.serial} is not live: it has no system to reset or to ask"
        raise DeviceError(msg)
    return device.system


@dataclass(frozen=True, slots=True)
class Address:
    """A device that an adb server knows by its serial.

    `home` is the home folder in which the emulator that it may be keeps its console's token.
    """

    serial: str
    adb_host: str
    adb_port: int
    home: str

    def __str__(self) -> str:
        return f"{self.serial} at {self.adb_host}:{self.adb_port}"


@dataclass(frozen=True, slots=True)
class AppiumAddress:
    """A device that the Appium server at `url` chooses for each session."""

    url: str


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """The options that concern devices; a source or a driver takes from them what it needs.

    - `workers`: how many processes each need a device.
    - `apps`: the folders of apps for virtual phones.
    - `driver`: what drives the devices, None for whatever can; `settle`: how long it waits.
    - `log`: which lines of a device's log are read: only those of crashes ("off"), warnings, all.
    - `recycle`: after how many episodes a started device is replaced.
    - `appium_home`, `capabilities`: where Appium is, and what is asked of its sessions.
    - `gpu`, `emulator_flags`, `boot_limit` (seconds): how emulators are started.
    """

    workers: int = 1
    apps: tuple[Path, ...] = ()
    driver: str | None = None
    settle: Settle = field(default_factory=Settle)
    log: LogLevel = "warnings"
    recycle: int = 50
    appium_home: Path | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    gpu: str = "software"
    emulator_flags: tuple[str, ...] = ()
    boot_limit: float = 300.0


POWER = "dumpsys power | grep mWakefulness="
LOCK = "dumpsys window | grep -E 'mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing'"
ROOM = "df -k /data"
LEAST_ROOM_MB = 50  # below it apps crash, and dumps come out empty


def wakefulness(power: str) -> str:
    """Return Awake, Asleep, Dozing or Dreaming, from POWER's output; empty if unknown."""
    found = re.search(r"mWakefulness=(\w+)", power)
    return found[1] if found else ""


def is_locked(window: str) -> bool:
    """Whether a lock screen covers the apps, from the output of LOCK."""
    flags = r"(?:mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing)=true"
    return re.search(flags, window) is not None


def free_mb(df: str) -> int | None:
    """Return the free megabytes of the data partition, from ROOM's output; None if unknown."""
    rows = df.splitlines()
    cells = rows[-1].split() if rows else []
    return int(cells[-3]) // 1024 if len(cells) >= 4 and cells[-3].isdigit() else None
