"""A device that is driven through adb: emulators, phones, and whatever speaks their protocol."""

from __future__ import annotations

import secrets
import shlex
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Open, Wait
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.device.drivers.adb.gestures import (
    UNICODE_KEYBOARD,
    needs_unicode_keyboard,
    script,
)
from pytest_mobileagent.device.drivers.adb.hierarchy import (
    dump_script,
    hierarchy,
    hierarchy_of_servers,
    is_taken,
    reason,
)
from pytest_mobileagent.device.drivers.adb.system import (
    CLOCK,
    FOCUS,
    AdbSystem,
    focus,
    probe_scripts,
    state_of,
)
from pytest_mobileagent.device.settle import Settle, settled
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Address, LogLevel
    from pytest_mobileagent.device.drivers.adb.shell import Output
    from pytest_mobileagent.device.fleet.slots import Restart
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.log import LogLine
    from pytest_mobileagent.episode.record import DeviceInfo
    from pytest_mobileagent.task.task import Probe

_SCREENSHOT = "screencap -p 2>/dev/null"  # it warns of several displays in front of the image


@dataclass(frozen=True, slots=True)
class _Look:
    outputs: list[Output]  # of screenshot, dump, focus, clock, and the probes
    served: str | None = None  # the hierarchy, of a server that keeps the dump from working

    @property
    def png(self) -> bytes:
        return self.outputs[0].raw

    @property
    def xml(self) -> str | None:
        return self.served or hierarchy(self.outputs[1].text)

    @property
    def package(self) -> str:
        return focus(self.outputs[2].text)[0]


class AdbDevice:
    """Drives a device through one shell that stays open (see `Device`).

    A step takes two round trips: one does the action and takes a screenshot, the next looks in
    full. If both screenshots are the same the screen has settled; if not, looks follow until two
    in a row are the same, or the seconds of `settle` have gone by.

    Raises:
        DeviceError: the device is not there, or is not ready within a minute.
    """

    def __init__(
        self,
        address: Address,
        settle: Settle | None = None,
        restart: Restart | None = None,
        log: LogLevel = "off",
    ) -> None:
        self.system = AdbSystem(address, restart, self._forget, log)
        self._settle = settle or Settle()
        self._shot: bytes | None = None
        self._dump_file = f"/data/local/tmp/mobileagent-{secrets.token_hex(4)}.xml"
        self._size = self.info.size  # that of the last screen, which may have been turned

    @property
    def address(self) -> Address:
        """Where the device is; a reset may replace it by one that is elsewhere."""
        return self.system.address

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""
        return self.system.info

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Look at the screen once it has settled, and read the probes."""
        probes = probes or {}
        scripts = [_SCREENSHOT, dump_script(self._dump_file), FOCUS, CLOCK, *probe_scripts(probes)]
        look = settled(lambda: self._look(scripts), self._settle, self._shot, self._no_tree)
        self._shot = None
        moment = state_of(look.outputs[2:], probes)
        assert look.xml is not None
        screen = Screen(look.xml, look.png, moment.package, moment.activity, moment.time)
        self._size = screen.size
        return Capture(screen, moment.probes)

    def perform(self, action: Action) -> None:
        """Do an action on the device; the next `observe` waits until the screen has settled."""
        if isinstance(action, Wait):
            time.sleep(action.seconds)
            return
        command = script(action, self._size, self.info.sdk)
        if isinstance(action, Open) and action.app not in self.system.packages():
            return  # as on a real phone, nothing happens
        if needs_unicode_keyboard(action):
            command = self._with_unicode_keyboard(command)
        if command:
            done, shot = self.system.run(command, _SCREENSHOT)
            if "java.lang.SecurityException" in done.text:
                msg = f"device {self.address} refuses input: {done.text.strip()[:300]}"
                raise DeviceError(msg)
            self._shot = shot.raw

    def events(self) -> tuple[Event, ...]:
        """Return what happened on the device since the last call."""
        return self.system.events()

    def log(self) -> tuple[LogLine, ...] | None:
        """Return the lines of the device's log since the last call; None if it cannot be read."""
        return self.system.log()

    def close(self) -> None:
        """Disconnect from the device and leave it as it is."""
        self.system.close()

    def _look(self, scripts: Sequence[str]) -> _Look:
        outputs = self.system.look(*scripts)
        is_served = is_taken(outputs[1].text)
        return _Look(outputs, hierarchy_of_servers(self.address) if is_served else None)

    def _forget(self) -> None:
        """Forget the last screen: a reset, or a change of the display, has replaced it."""
        self._shot = None
        self._size = self.info.size

    def _no_tree(self, look: _Look) -> DeviceError:
        why = reason(look.outputs[1].text)
        return DeviceError(f"device {self.address} gives no view hierarchy; {why}")

    def _with_unicode_keyboard(self, command: str) -> str:
        scripts = ["ime list -a -s", "settings get secure default_input_method"]
        installed, current = (output.text.strip() for output in self.system.run(*scripts))
        if UNICODE_KEYBOARD not in installed.split():
            msg = f"device {self.address} cannot type beyond ASCII: install ADBKeyboard on it"
            raise DeviceError(msg)
        use = f"ime enable {UNICODE_KEYBOARD}; ime set {UNICODE_KEYBOARD}"
        # It listens only once it is the current one, which takes Android a moment.
        asks = f"dumpsys input_method | grep -q mCurMethodId={UNICODE_KEYBOARD}"
        wait = f"for i in 1 2 3 4 5 6 7 8 9 10; do {asks} && break; sleep 0.1; done"
        return f"{use}; {wait}; {command}; ime set {shlex.quote(current)}"
