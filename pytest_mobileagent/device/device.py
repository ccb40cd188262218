"""A device as everything else sees it: its protocols, its address, its options."""

from __future__ import annotations

import contextlib
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, runtime_checkable

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.jsonable import decimal_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.log import Crash, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo, Noise, Reset
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.task import Probe, Value


HELP = "has to be seconds above 0, and may name apps with their own: 5,com.instagram.android=30"


_LOOKS_WITHOUT_TREE = 3  # in a row, before the device counts as broken
L = TypeVar("L", bound="Look")


@dataclass(frozen=True, slots=True)
class Settle:
    """The most seconds to wait after an action until the screen rests; some apps need others."""

    seconds: float = 5.0
    apps: Mapping[str, float] = field(default_factory=dict)

    def limit(self, package: str) -> float:
        """Return the seconds for a screen of an app."""
        return self.apps.get(package, self.seconds)


def parse_settle(text: str) -> Settle:
    """Read `SECONDS[,PACKAGE=SECONDS…]`.

    Raises:
        ValueError: it is not so written.
    """
    first, *others = (word.strip() for word in text.split(","))
    apps: dict[str, float] = {}
    for word in others:
        package, equals, seconds = (part.strip() for part in word.partition("="))
        if not (equals and re.fullmatch(r"[\w.]+", package)):
            raise ValueError(HELP)
        if package in apps:
            msg = f"names {package} twice"
            raise ValueError(msg)
        apps[package] = _seconds(seconds)
    return Settle(_seconds(first), apps)


def _seconds(text: str) -> float:
    number = decimal_number(text)
    if number is None or number <= 0:
        raise ValueError(HELP)
    return number


class Look(Protocol):
    """What is compared: two observations are equal if either their pixels or their trees are."""

    @property
    def png(self) -> bytes:
        """The screenshot; empty if none was taken."""

    @property
    def xml(self) -> str | None:
        """The view hierarchy; None if there was none to be had."""

    @property
    def package(self) -> str:
        """The app that has the focus."""


def settled(
    take: Callable[[], L],
    settle: Settle,
    no_tree: Callable[[L], Exception],
    shot: bytes | None = None,
    tree: str | None = None,
) -> L:
    """Observe until two in a row are equal, or until the app's seconds are over.

    `shot` and `tree` are from before the first observation, if there are any. A cursor that blinks
    changes pixels for ever, but not the hierarchy. `no_tree` makes the error where there is none.
    """
    started = time.monotonic()
    failures = 0
    while True:
        look = take()
        failures = failures + 1 if look.xml is None else 0
        if failures == _LOOKS_WITHOUT_TREE:
            raise no_tree(look)
        patience = settle.limit(look.package)
        equal = (look.png and look.png == shot) or look.xml == tree
        if look.xml is not None and (equal or time.monotonic() - started > patience):
            return look
        shot, tree = look.png, look.xml


LogLevel = Literal["off", "warnings", "all"]


@dataclass(frozen=True, slots=True)
class Capture:
    """One look at the device: its screen, and what the probes read at the same moment.

    `before` is the page that was left, if a device of recorded pages has just gone back.
    """

    screen: Screen
    probes: Mapping[str, Value]
    before: Screen | None = None


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

    Every method raises DeviceError when the device does not answer, or not as Android does. One of
    recorded pages raises GraphError if it cannot read them.
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
        """Do an action on the device, and wait until the screen has settled.

        Raises:
            NoEdgeError: on a recorded page, nothing is recorded for it.
        """

    def events(self) -> tuple[Event, ...]:
        """Return what happened on the device since the last call; nothing without a listener."""

    def close(self) -> None:
        """Disconnect from the device and leave it as it is."""


@runtime_checkable
class PageDevice(Protocol):
    """What a device of recorded pages can do that no phone can."""

    def show(self, page: str) -> None:
        """Show a page by its id, whatever was done before.

        Raises:
            GraphError: there is no such page.
        """


@runtime_checkable
class SparingDevice(Protocol):
    """What a device has that can do without screenshots."""

    def without_screenshots(self) -> AbstractContextManager[None]:
        """Take none meanwhile; equal hierarchies show that the screen has settled."""


@runtime_checkable
class LogReader(Protocol):
    """What a device has whose log can be read."""

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return the lines of its log since the last call; None if they cannot be read now.

        At least those of crashes are among them. Lines after the last observation may be left for
        the next call, but for those that are there already if it is `late`, the last call.
        """


@runtime_checkable
class CrashKeeper(Protocol):
    """What a device has that keeps crashes of apps elsewhere than in its log."""

    def kept_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        """Return the crashes since a moment of its clock, each with its own; None if it has none.

        It is asked at the end of an episode in which its log could not be read.
        """


@runtime_checkable
class NoiseMaker(Protocol):
    """What a device has that gets in the agent's way (see `device.wrappers`)."""

    @property
    def is_covered(self) -> bool:
        """Whether noise lay over the screen when it was last observed, and takes actions."""

    @property
    def noises(self) -> int:
        """How often noise has come so far, met or not."""

    def noise(self) -> Noise | None:
        """Return the noise that the agent has met since the last call, if it has met any.

        `swallowed` counts the actions that the device was given since then, from 0.
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

    def versions(self) -> Mapping[str, str]:
        """Return the version code of each package that is installed; "" where it is not known."""

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote, standard error included."""


def without_screenshots(device: Device) -> AbstractContextManager[None]:
    """Have a device take no screenshots meanwhile, if it can do without."""
    if isinstance(device, SparingDevice):
        return device.without_screenshots()
    return contextlib.nullcontext()


def log_of(device: Device, *, late: bool = False) -> tuple[LogLine, ...] | None:
    """Return the lines of a device's log since the last call; None where nobody can read it."""
    return device.log(late=late) if isinstance(device, LogReader) else None


def noise_of(device: Device) -> Noise | None:
    """Return the noise that an agent has met since the last call, if the device makes any."""
    return device.noise() if isinstance(device, NoiseMaker) else None


def noises_of(device: Device) -> int:
    """Return how often noise has come to a device so far, met or not."""
    return device.noises if isinstance(device, NoiseMaker) else 0


def is_covered(device: Device) -> bool:
    """Return whether noise lies over the screen of a device, and takes actions."""
    return isinstance(device, NoiseMaker) and device.is_covered


def kept_crashes_of(device: Device, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
    """Return the crashes that a device has kept since a moment; None where nobody can tell."""
    try:
        return device.kept_crashes(since) if isinstance(device, CrashKeeper) else None
    except DeviceError:
        return None


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
class PagesAddress:
    """A graph of recorded pages, by its folder."""

    folder: Path


AnyAddress = Address | AppiumAddress | PagesAddress


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
