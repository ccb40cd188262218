"""The device as everybody sees it, whatever drives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.device_info import DeviceInfo
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.reset import Reset
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.probe import Probe, Value


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
        """Let go of the device. It stays as it is."""


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
        """Return the names of the snapshots that `reset` can load; none where there are none."""

    def packages(self) -> frozenset[str]:
        """Return the packages that are installed."""

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote, standard error included."""


def system_of(device: Device) -> System:
    """Return the system of a device, for those that cannot do without.

    Raises:
        DeviceError: it has none.
    """
    if device.system is None:
        msg = f"device {device.info.serial} is not live: it has no system to reset or to ask"
        raise DeviceError(msg)
    return device.system
