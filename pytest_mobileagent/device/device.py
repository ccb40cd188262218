"""The interface of a device to the rest of the package: its protocols, addresses and options."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.jsonable import decimal_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from pytest_mobileagent._task import Probe, Value
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.event import Crash, Event, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo, Noise, Reset
    from pytest_mobileagent.screen import Screen


LogLevel = Literal["off", "warnings", "all"]


@dataclass(frozen=True, slots=True)
class Capture:
    """One observation of the device: its screen, and the values of the probes at the same moment.

    `before` is the page that was left, if a device of recorded pages has just gone back. `lost`
    says that typed text seems to have had no effect; "" otherwise.
    """

    screen: Screen
    probes: Mapping[str, Value]
    before: Screen | None = None
    lost: str = ""


@dataclass(frozen=True, slots=True)
class DeviceState:
    """State that is read together with the screen, but is not visible on it.

    `package` and `activity` name what has the focus; `time` is read from the device's own clock.
    """

    package: str
    activity: str
    time: datetime
    probes: Mapping[str, Value]


class Device(Protocol):
    """A phone that can be observed and acted on: all that an episode needs.

    Every method raises DeviceError if the device does not answer, or answers unlike Android. A
    device of recorded pages raises GraphError if it cannot read a page.
    """

    @property
    def info(self) -> DeviceInfo:
        """Facts about the device."""

    @property
    def system(self) -> System | None:
        """The system behind the screen; None if there is none, as with recorded pages."""

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Observe the screen, and read the probes."""

    def perform(self, action: Action) -> None:
        """Perform an action on the device; the next `observe` waits for the screen to settle.

        Raises:
            NoEdgeError: if on a recorded page, nothing is recorded for the action.
        """

    def events(self) -> tuple[Event, ...]:
        """Return the events on the device since the last call; empty without a listener."""

    def close(self) -> None:
        """Disconnect from the device and leave it as it is."""


@runtime_checkable
class PageDevice(Protocol):
    """A device of recorded pages, which can jump to any page."""

    def show(self, page: str) -> None:
        """Show a page by its id, regardless of earlier actions.

        Raises:
            GraphError: if the page does not exist.
        """


@runtime_checkable
class SparingDevice(Protocol):
    """A device that can work without screenshots."""

    def without_screenshots(self) -> AbstractContextManager[None]:
        """Take no screenshots in this context: compare hierarchies to see the screen settle."""


@runtime_checkable
class LogReader(Protocol):
    """A device whose log can be read."""

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return the lines of the log since the last call; None if the log cannot be read now.

        The lines that report crashes are always included. Lines after the last observation may be
        left for the next call; with `late`, which marks the last call, those that have already
        arrived are included.
        """


@runtime_checkable
class CrashStore(Protocol):
    """A device that also stores the crashes of apps outside its log."""

    def stored_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        """Return the crashes since a moment, each with its time; None if the device stores none.

        Times are those of the device's clock. This is called at the end of an episode whose log
        could not be read.
        """


@runtime_checkable
class NoiseMaker(Protocol):
    """A device that adds noise (see `device.noisy`)."""

    @property
    def is_covered(self) -> bool:
        """Whether noise covered the screen when it was last observed, and takes actions."""

    @property
    def noises(self) -> int:
        """How many times noise has appeared so far, whether or not the agent has met it."""

    def noise(self) -> Noise | None:
        """Return the noise that the agent has met since the last call, or None.

        Its `swallowed` are indices, from 0, of the actions since the last call.
        """


class System(Protocol):
    """The system of a live device: what prepares it for a task, and gives access to its state.

    Every method raises DeviceError if the device does not answer, or answers unlike Android.
    """

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Bring the device to a task's starting point, and return how that was done.

        The snapshot is loaded; if the device has none at all, `apps` are stopped and cleared.

        Raises:
            TaskError: if the device has snapshots, but not this one.
        """

    def refresh(self) -> None:
        """Read the facts about the device again, after a change of its display or language."""

    def snapshots(self) -> Sequence[str]:
        """Return the names of the snapshots that `reset` can load; empty if there are none."""

    def packages(self) -> frozenset[str]:
        """Return the installed packages."""

    def versions(self) -> Mapping[str, str]:
        """Return the version code of each installed package; "" if it is unknown."""

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return its output, standard error included."""

    @property
    def adb(self) -> Address | None:
        """Where adb reaches the device; None if it is behind an Appium server."""


@runtime_checkable
class ForkingSystem(Protocol):
    """A system whose state can be copied to another device in the middle of an episode."""

    def fork(self, other: System) -> None:
        """Bring another device to the present state of this one: its screen, apps and files.

        Raises:
            DeviceError: if the devices cannot do that; only virtual phones of one process can.
        """


def without_screenshots(device: Device) -> AbstractContextManager[None]:
    """Return a context in which a device takes no screenshots, if it can work without them."""
    if isinstance(device, SparingDevice):
        return device.without_screenshots()
    return contextlib.nullcontext()


def log_of(device: Device, *, late: bool = False) -> tuple[LogLine, ...] | None:
    """Return the lines of a device's log since the last call; None if it cannot be read."""
    return device.log(late=late) if isinstance(device, LogReader) else None


def noise_of(device: Device) -> Noise | None:
    """Return the noise that an agent has met since the last call; None if the device adds none."""
    return device.noise() if isinstance(device, NoiseMaker) else None


def noises_of(device: Device) -> int:
    """Return how many times noise has appeared on a device so far."""
    return device.noises if isinstance(device, NoiseMaker) else 0


def is_covered(device: Device) -> bool:
    """Return whether noise covers the screen of a device, and takes actions."""
    return isinstance(device, NoiseMaker) and device.is_covered


def stored_crashes_of(device: Device, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
    """Return the crashes that a device has stored since a moment; None if they are unknown."""
    try:
        return device.stored_crashes(since) if isinstance(device, CrashStore) else None
    except DeviceError:
        return None


def system_of(device: Device) -> System:
    """Return the system of a device.

    Raises:
        DeviceError: if the device has no system.
    """
    if device.system is None:
        why = "it has no system to reset or to query"
        raise DeviceError(f"device {device.info.serial} is not live: {why}")
    return device.system


@dataclass(frozen=True, slots=True)
class Address:
    """A device that an adb server knows by its serial; by default, adb's server on this machine.

    `home` is the home folder where an emulator stores the token of its console.
    """

    serial: str
    adb_host: str = "127.0.0.1"
    adb_port: int = 5037
    home: str = field(default_factory=lambda: str(Path.home()))

    def __str__(self) -> str:
        return f"{self.serial} at {self.adb_host}:{self.adb_port}"


@dataclass(frozen=True, slots=True)
class AppiumAddress:
    """A device that the Appium server at `url` chooses for each session."""

    url: str


@dataclass(frozen=True, slots=True)
class PagesAddress:
    """A graph of recorded pages, by its folder."""

    folder: Path


AnyAddress = Address | AppiumAddress | PagesAddress


SETTLE_HELP = (
    "must be a number of seconds above 0, then any limits of apps: 5,com.instagram.android=30"
)


@dataclass(frozen=True, slots=True)
class Settle:
    """How long to wait, in seconds, until the screen has settled; `apps` have their own limits."""

    seconds: float = 5.0
    apps: Mapping[str, float] = field(default_factory=dict)

    def limit(self, package: str) -> float:
        """Return the limit, in seconds, for screens of an app."""
        return self.apps.get(package, self.seconds)


def parse_settle(text: str) -> Settle:
    """Parse `SECONDS[,PACKAGE=SECONDS…]`.

    Raises:
        ValueError: if the text does not have this form, or names an app twice.
    """
    first, *others = (word.strip() for word in text.split(","))
    apps: dict[str, float] = {}
    for word in others:
        package, equals, seconds = (part.strip() for part in word.partition("="))
        if not (equals and re.fullmatch(r"[\w.]+", package)):
            raise ValueError(SETTLE_HELP)
        if package in apps:
            raise ValueError(f"names {package} twice")
        apps[package] = _seconds(seconds)
    return Settle(_seconds(first), apps)


def _seconds(text: str) -> float:
    number = decimal_number(text)
    if number is None or number <= 0:
        raise ValueError(SETTLE_HELP)
    return number


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """The options that concern devices, for sources and drivers.

    - `workers`: the number of processes, each of which needs a device.
    - `apps`: the folders of apps for virtual phones.
    - `clock`: the time at which each episode begins, on devices that the run starts; None if free.
    - `driver`: the name of a driver, or None for the first one that can drive the devices.
    - `settle`: how long drivers wait until the screen has settled.
    - `log`: which lines of a device's log are read: only those of crashes ("off"), warnings, all.
    - `recycle`: after how many episodes a device that the run has started is replaced.
    - `appium_home`, `capabilities`: where Appium is installed, and the capabilities of sessions.
    - `copies_pages`: whether records copy the pages of a data set instead of referring to them.
    - `per_program`: how many of the devices that the run starts may share a program, if they can.
    - `size`: the size in pixels of the screens of devices that the run starts; None for their own.
    - `gpu`, `emulator_flags`, `boot_limit` (seconds): how emulators are started.
    """

    workers: int = 1
    apps: tuple[Path, ...] = ()
    clock: datetime | None = None
    driver: str | None = None
    settle: Settle = field(default_factory=Settle)
    log: LogLevel = "warnings"
    recycle: int = 50
    appium_home: Path | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    copies_pages: bool = False
    per_program: int = 1
    size: tuple[int, int] | None = None
    gpu: str = "software"
    emulator_flags: tuple[str, ...] = ()
    boot_limit: float = 300.0


POWER = "dumpsys power | grep mWakefulness="
LOCK = "dumpsys window | grep -E 'mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing'"
ROOM = "df -k /data"
# What makes the builds of some makers permit adb to clear apps, to type and to write settings.
PERMIT = (
    'in its developer options, turn on "USB debugging (Security settings)" (Xiaomi) or "Disable '
    'permission monitoring" (OPPO, OnePlus, realme), then restart it'
)
LEAST_ROOM_MB = 50  # with less, apps crash and dumps are empty


def wakefulness(power: str) -> str:
    """Return Awake, Asleep, Dozing or Dreaming from the output of POWER; empty if unknown."""
    found = re.search(r"mWakefulness=(\w+)", power)
    return found[1] if found else ""


def is_locked(window: str) -> bool:
    """Return whether a lock screen covers the apps, from the output of LOCK."""
    flags = r"(?:mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing)=true"
    return re.search(flags, window) is not None


def free_mb(df: str) -> int | None:
    """Return the free megabytes of the data partition from the output of ROOM; None if unknown."""
    rows = df.splitlines()
    cells = rows[-1].split() if rows else []
    return int(cells[-3]) // 1024 if len(cells) >= 4 and cells[-3].isdigit() else None
