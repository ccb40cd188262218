"""Slots, each of which holds one device at a time: what a source opens for a run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.device.device import Address, AnyAddress
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.fleet.shared import SharedRun


# Replaces a device by one started from a snapshot; also returns whether the snapshot was loaded.
Restart = Callable[[Address, str], "tuple[Address, bool]"]
_START_SECONDS, _GRACE_SECONDS = 60.0, 3.0


class Slots(Protocol):
    """The slots of a run, numbered from 0, each of which holds one device at a time.

    `renews` says whether a device that is broken or worn out can be replaced by a new one in its
    slot, and `wears` whether devices wear out. `restart` replaces a device that cannot load a
    snapshot while it runs; None if all can.
    """

    renews: bool
    wears: bool = True
    restart: Restart | None = None

    @property
    def locks(self) -> Sequence[str]:
        """The paths of the slots' locks, in order; the process that holds a lock has the device."""

    def address(self, slot: int, *, fresh: bool = False) -> AnyAddress:
        """Return the address of a slot's device; with `fresh`, replace a device that broke.

        Raises:
            InfrastructureError: if no device is available.
        """

    def prestart(self) -> None:
        """Start all devices in the background, if the run starts devices."""
        return

    def ended(self, slot: int) -> str:
        """Return why a device's program ended by itself; empty if it runs or does not exist."""
        return ""

    def serves(self, address: AnyAddress) -> bool:
        """Return whether the server that an address names is still running; True if unknown."""
        return True


@dataclass(frozen=True, slots=True)
class Started:
    """A device whose program runs; `record` is what it printed, and "fresh" if it is unused."""

    address: Address
    record: dict[str, Any]


class RunSlots(Slots):
    """Slots that belong to one run: only its workers use the devices.

    With an address, all slots share it, such as a server that gives each session a device.
    """

    renews = True

    def __init__(self, run: SharedRun, count: int, address: AnyAddress | None = None) -> None:
        self.run = run
        self.count = count
        self._shared_address = address

    @property
    def locks(self) -> Sequence[str]:
        """The paths of locks in the run's folder."""
        return [str(self.run.folder / f"slot-{number}.lock") for number in range(self.count)]

    def address(self, slot: int, *, fresh: bool = False) -> AnyAddress:
        """Return the address that all slots share."""
        assert self._shared_address is not None
        return self._shared_address


class ProgramSlots(RunSlots):
    """Devices that are programs, which the run starts on demand and ends with itself.

    `command` starts the program of a device. "{adb}" in it is replaced by the port of an adb
    server. The program registers with that server, prints a line of JSON with its "serial" when it
    is ready, and ends when its standard input closes. It must be ready within `seconds`, and end
    within `grace` seconds. `home` is its home folder, by default one of the run's.

    With `warm`, the command of a program that is kept warm (see `fleet.programs`), the device is
    forked from that program, and `command` contains only the arguments.

    Raises:
        HostError: if the run's folder cannot be created.
    """

    def __init__(
        self,
        run: SharedRun,
        count: int,
        command: Sequence[str],
        *,
        warm: Sequence[str] = (),
        home: str | None = None,
        seconds: float = _START_SECONDS,
        grace: float = _GRACE_SECONDS,
    ) -> None:
        super().__init__(run, count)
        self.command = list(command)
        self._where = {"home": home} if home else {}
        self._how = {"warm": [*warm], "seconds": seconds, "grace": grace}
        self._answer_seconds = 120 + seconds + grace

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Start the device unless it is running, or replace it by a fresh one."""
        return self.start(slot, self.command, fresh=fresh).address

    def start(self, slot: int, command: Sequence[str], *, fresh: bool = False) -> Started:
        """Start a device by a command; without `fresh`, a device already in the slot is returned.

        Raises:
            InfrastructureError: if the device does not start.
        """
        adb = self.run.ask({"do": "adb", **self._where})
        what = "replace" if fresh else "start"
        record = self.run.ask(self._request(what, slot, command), self._answer_seconds)
        return Started(Address(record["serial"], "127.0.0.1", adb["port"], adb["home"]), record)

    def prestart(self) -> None:
        """Make the supervisor start the devices in the background, a few at a time."""
        for slot in range(self.count):
            self.run.ask(self._request("prestart", slot, self.command))

    def ended(self, slot: int) -> str:
        """Return the exit status of a device that ended by itself, with the end of its output."""
        return str(self.run.ask({"do": "ended", "slot": slot})["ended"])

    def serves(self, address: AnyAddress) -> bool:
        """Return whether an address names the current adb server of the run.

        A dead server is replaced by a new one, as is a dead supervisor together with its server.
        """
        with contextlib.suppress(InfrastructureError):
            port = self.run.ask({"do": "adb", **self._where})["port"]
            return isinstance(address, Address) and address.adb_port == port
        return False

    def _request(self, what: str, slot: int, command: Sequence[str]) -> dict[str, Any]:
        return {"do": what, "slot": slot, "command": [*command], **self._where, **self._how}


class PackedSlots(ProgramSlots):
    """Devices of which several are in one program, which needs less memory and starts faster.

    The program is started with `--phones PER_PROGRAM`, and prints the "serials" of its devices. One
    process holds all leases. When a device breaks, its program is replaced, which also takes the
    program's other devices away; when these are asked for again, they are those of the new program.

    Raises:
        HostError: if the run's folder cannot be created.
    """

    wears = False  # the replacement of one would take the others away

    def __init__(
        self,
        run: SharedRun,
        count: int,
        command: Sequence[str],
        per_program: int,
        *,
        warm: Sequence[str] = (),
    ) -> None:
        super().__init__(run, count, [*command, "--phones", str(per_program)], warm=warm)
        self._per_program = per_program
        self._guard = threading.Lock()
        self._last: dict[int, str] = {}  # the last serial of each slot

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Return the address of a slot's device; with `fresh`, replace its program if needed."""
        program, place = divmod(slot, self._per_program)
        with self._guard:
            found = self.start(program, self.command)
            serial = self._serials(found)[place]
            if fresh and serial == self._last.get(slot):
                found = self.start(program, self.command, fresh=True)
                serial = self._serials(found)[place]
            self._last[slot] = serial
        return replace(found.address, serial=serial)

    def prestart(self) -> None:
        """Make the supervisor start the programs in the background, a few at a time."""
        for program in range(-(-self.count // self._per_program)):
            self.run.ask(self._request("prestart", program, self.command))

    def ended(self, slot: int) -> str:
        """Return the exit status of a device's program, if it ended by itself."""
        return super().ended(slot // self._per_program)

    def _serials(self, started: Started) -> Sequence[str]:
        serials: Sequence[str] = started.record.get("serials", [started.address.serial])
        return serials
