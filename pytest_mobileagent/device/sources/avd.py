"""Emulators of one AVD, which the run starts and ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.fleet.programs import python_program
from pytest_mobileagent.device.fleet.slots import ProgramSlots, Started
from pytest_mobileagent.device.sdk import SdkError, check_avd, find_sdk
from pytest_mobileagent.device.sources import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Address, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun


class AvdSource(Source):
    """Emulators of an AVD, one for each worker, which are started on demand."""

    form = "avd:NAME"
    help = "emulators of an AVD that the run starts"
    how_to_install = "install it in the AVD and save a snapshot with it"

    def __init__(self, text: str) -> None:
        if not re.fullmatch(r"[\w.-]+", text) or text.startswith("-"):
            msg = "must be `avd:NAME`, with the name of an AVD that `emulator -list-avds` lists"
            raise ValueError(msg)
        super().__init__(text)

    def check(self, options: DeviceOptions) -> None:
        """Check that the SDK and the AVD exist."""
        try:
            check_avd(self.text, find_sdk())
        except SdkError as error:
            raise ValueError(str(error)) from None

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> AvdSlots:
        avd = Avd(
            find_sdk().emulator,
            self.text,
            gpu=options.gpu,
            flags=options.emulator_flags,
            boot_limit=options.boot_limit,
        )
        return AvdSlots(shared(), options.workers, avd)


@dataclass(frozen=True, slots=True)
class Avd:
    """An AVD, and how to start it.

    `program` is the SDK's emulator, and `gpu` a key of `emulator.GPU`. `flags` are passed to the
    emulator unchanged. `boot_limit` is in seconds. A `writable` emulator can save snapshots, but
    must be the only emulator of its AVD.
    """

    program: Path
    name: str
    gpu: str = "software"
    flags: tuple[str, ...] = ()
    boot_limit: float = 300.0
    writable: bool = False

    def command(self, snapshot: str | None = None) -> list[str]:
        """Return the command of the program that starts and ends the emulator."""
        from pytest_mobileagent.device import emulator  # it takes 50 ms to import

        options = ["--emulator", str(self.program), "--avd", self.name, "--gpu", self.gpu]
        options += ["--adb-server-port", "{adb}", "--boot-limit", str(self.boot_limit)]
        options += ["--snapshot", snapshot] if snapshot else []
        options += ["--writable"] if self.writable else []
        return python_program(emulator.__name__, *options, "--", *self.flags)


class AvdSlots(ProgramSlots):
    """Slots for emulators of an AVD.

    The emulators are read-only because they share the AVD. A read-only emulator refuses to load a
    snapshot while it runs, so it is replaced by one that is started from the snapshot.
    """

    def __init__(self, run: SharedRun, count: int, avd: Avd) -> None:
        from pytest_mobileagent.device import emulator  # it takes 50 ms to import

        super().__init__(
            run,
            count,
            avd.command(),
            home=str(Path.home()),  # see `emulator`
            seconds=avd.boot_limit + 120,  # later than the program's own limit, which explains why
            grace=emulator.GRACE_SECONDS,
        )
        self._avd = avd
        self._slots: dict[str, int] = {}  # by the serials of the running emulators
        self._untouched: dict[str, str] = {}  # the snapshots of unused emulators, by serial
        self.restart = self._restart

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Return the address of the slot's emulator, started from its default snapshot or cold."""
        started = self._begin(slot, self.command, fresh=fresh)
        if started.record["fresh"]:
            self._untouched[started.address.serial] = started.record["snapshot"]
        return started.address

    def _restart(self, address: Address, snapshot: str) -> tuple[Address, bool]:
        """Replace an emulator by one started from a snapshot, and return the new address.

        Also return whether the snapshot was loaded: an emulator that cannot load it boots silently.
        """
        if self._untouched.pop(address.serial, None) == snapshot:
            return address, True
        slot = self._slots.pop(address.serial)
        started = self._begin(slot, self._avd.command(snapshot), fresh=True)
        return started.address, started.record["snapshot"] == snapshot

    def _begin(self, slot: int, command: list[str], *, fresh: bool) -> Started:
        started = self.start(slot, command, fresh=fresh)
        self._slots[started.address.serial] = slot
        self._untouched.pop(started.address.serial, None)
        return started
