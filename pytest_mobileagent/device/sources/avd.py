"""Emulators of one AVD, which the run starts and ends."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.address import Address
from pytest_mobileagent.device.sdk import emulator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.fleet.shared import SharedRun


@dataclass(frozen=True, slots=True)
class Avd:
    """An AVD, and how to start it.

    `program` is the SDK's emulator, `gpu` a key of `emulator.GPU`, `flags` go to the emulator as
    they are, `boot_limit` is in seconds. A `writable` one can save snapshots, and has to be the
    only one.
    """

    program: Path
    name: str
    gpu: str = "software"
    flags: tuple[str, ...] = ()
    boot_limit: float = 300.0
    writable: bool = False

    def command(self, snapshot: str | None = None) -> list[str]:
        """Return the command of the program that starts and ends the emulator."""
        options = ["--emulator", str(self.program), "--avd", self.name, "--gpu", self.gpu]
        options += ["--adb-server-port", "{adb}", "--boot-limit", str(self.boot_limit)]
        options += ["--snapshot", snapshot] if snapshot else []
        options += ["--writable"] if self.writable else []
        return [sys.executable, "-m", emulator.__name__, *options, "--", *self.flags]


class AvdProvision:
    """As many emulators of an AVD as there are workers, started when needed.

    They are read-only, since several share the AVD. Such an emulator refuses to load a snapshot
    while it runs: it is started anew from it instead.
    """

    renews = True

    def __init__(self, run: SharedRun, count: int, avd: Avd) -> None:
        self._run = run
        self._count = count
        self._avd = avd
        self._slots: dict[str, int] = {}  # by the serials of the devices that were given out
        self._untouched: dict[str, str] = {}  # by serial, the snapshot that one has just come from

    @property
    def slots(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self._run.folder / f"slot-{number}.lock") for number in range(self._count)]

    def address(self, slot: int, *, anew: bool = False) -> Address:
        """Ask the run's supervisor for the emulator."""
        address, about = self._start(slot, "replace" if anew else "start", None)
        if about["fresh"]:
            self._untouched[address.serial] = about["snapshot"]
        return address

    def restart(self, address: Address, snapshot: str) -> tuple[Address, bool]:
        """Give, in place of a device, one that has just started from a snapshot.

        Also tells whether it has: an emulator that cannot load its snapshot boots without a word.
        """
        if self._untouched.pop(address.serial, None) == snapshot:
            return address, True
        slot = self._slots.pop(address.serial)
        new, about = self._start(slot, "replace", snapshot)
        return new, about["snapshot"] == snapshot

    def _start(self, slot: int, what: str, snapshot: str | None) -> tuple[Address, dict[str, Any]]:
        home = str(Path.home())  # see `emulator`
        adb = self._run.ask({"do": "adb", "home": home})
        command = self._avd.command(snapshot)
        # It gives up by itself at its limit, so that it can say why.
        seconds = self._avd.boot_limit + 120
        request = {"do": what, "slot": slot, "command": command, "home": home}
        request |= {"seconds": seconds, "grace": emulator.GRACE_SECONDS}
        about = self._run.ask(request, seconds + emulator.GRACE_SECONDS)
        address = Address(about["serial"], "127.0.0.1", adb["port"], home)
        self._slots[address.serial] = slot
        self._untouched.pop(address.serial, None)
        return address, about
