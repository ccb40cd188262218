"""A device that is driven through Appium's UiAutomator2 driver."""

from __future__ import annotations

import base64
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.action import Open, Wait
from pytest_mobileagent.device.device import Capture, DeviceState
from pytest_mobileagent.device.drivers.appium.gestures import perform
from pytest_mobileagent.device.settle import Settle, settled
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.drivers.appium.session import AppiumSession
    from pytest_mobileagent.episode.device_info import DeviceInfo
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.task.probe import Probe


class System(Protocol):
    """The device behind the screen: reached by adb, or by Appium too (see `Device`)."""

    @property
    def info(self) -> DeviceInfo: ...  # noqa: D102
    def state(self, probes: Mapping[str, Probe]) -> DeviceState: ...  # noqa: D102
    def reset(self, snapshot: str, apps: Sequence[str]) -> str: ...  # noqa: D102
    def snapshots(self) -> Sequence[str]: ...  # noqa: D102
    def packages(self) -> frozenset[str]: ...  # noqa: D102
    def refresh(self) -> None: ...  # noqa: D102
    def shell(self, script: str) -> str: ...  # noqa: D102
    def events(self) -> tuple[Event, ...]: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class _Look:
    png: bytes
    xml: str | None
    moment: DeviceState

    @property
    def package(self) -> str:
        return self.moment.package


class AppiumDevice:
    """Sees and acts through an Appium session; `system` is the device behind the screen.

    Raises:
        DeviceError: there is no session to be had.
    """

    def __init__(
        self, session: AppiumSession, system: System, settle: Settle | None = None
    ) -> None:
        self.session = session
        self.system = system
        self._settle = settle or Settle()
        with session.speaking("a session"):
            self._size = self.info.size  # that of the last screen, which may have been turned

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""
        return self.system.info

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Look at the screen once it has settled, and read the probes."""
        look = settled(lambda: self._look(probes or {}), self._settle, None, self._no_tree)
        moment = look.moment
        assert look.xml is not None
        screen = Screen(look.xml, look.png, moment.package, moment.activity, moment.time)
        self._size = screen.size
        return Capture(screen, moment.probes)

    def perform(self, action: Action) -> None:
        """Do an action on the device; the next `observe` waits until the screen has settled."""
        if isinstance(action, Wait):
            time.sleep(action.seconds)
        elif isinstance(action, Open) and action.app not in self.packages():
            return  # as on a real phone, nothing happens
        else:
            with self.session.speaking(f"{type(action).__name__}") as driver:
                perform(driver, action, self._size)

    def reset(self, snapshot: str, apps: Sequence[str]) -> str:
        """Bring the device to a task's starting point; a session that this cost is made anew."""
        how = self.system.reset(snapshot, apps)
        if not self.session.alive():
            self.session.close()
            with self.session.speaking("a new session after a reset"):
                pass
        return how

    def refresh(self) -> None:
        """Read anew what is known of the device, in a new session: the old one has it as it was."""
        self.session.close()
        with self.session.speaking("a new session after a change of the device"):
            pass
        self.system.refresh()
        self._size = self.info.size

    def snapshots(self) -> Sequence[str]:
        """Return the names of the snapshots that `reset` can load."""
        return self.system.snapshots()

    def packages(self) -> frozenset[str]:
        """Return the packages that are installed."""
        return self.system.packages()

    def shell(self, script: str) -> str:
        """Run a shell script on the device and return what it wrote."""
        return self.system.shell(script)

    def events(self) -> tuple[Event, ...]:
        """Return what happened on the device since the last call."""
        return self.system.events()

    def close(self) -> None:
        """Let go of the device. It stays as it is."""
        with suppress(DeviceError):
            self.session.close()
        self.system.close()

    def _look(self, probes: Mapping[str, Probe]) -> _Look:
        with self.session.speaking("a look") as driver:
            png = base64.b64decode(driver.get_screenshot_as_base64())
            source = driver.page_source
        xml = source if "<hierarchy" in source else None
        return _Look(png, xml, self.system.state(probes))

    def _no_tree(self, look: _Look) -> DeviceError:  # noqa: ARG002 - there is nothing to tell of it
        return DeviceError(f"Appium at {self.session.shown} gives no view hierarchy")
