"""Slots: the places in which a run has its devices, one at a time in each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.device.device import Address, AppiumAddress
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.fleet.shared import SharedRun

# Replaces a device by one that starts from a snapshot; also returns whether it could load that.
Restart = Callable[[Address, str], "tuple[Address, bool]"]
_START_SECONDS, _GRACE_SECONDS = 60.0, 3.0


class Slots(Protocol):
    """Where devices come from: numbered slots, each holding one device at a time.

    `renews` says whether a device that broke, or is worn, can be replaced by a new one in its
    slot. `restart` replaces one that loads no snapshot while it runs; None where none has to.
    """

    renews: bool
    restart: Restart | None = None

    @property
    def locks(self) -> Sequence[str]:
        """The paths of the slots' locks, in order: whoever holds one uses the device."""

    def address(self, slot: int, *, fresh: bool = False) -> Address | AppiumAddress:
        """Return how to reach the device of a slot; a `fresh` one replaces a device that broke.

        Raises:
            InfrastructureError: no device is available.
        """

    def prestart(self) -> None:
        """Start all devices without waiting for them, if the run starts any."""
        return

    def ended(self, slot: int) -> str:  # noqa: ARG002 - for those that start programs
        """Return why a device's program ended by itself; empty if it did not, or there is none."""
        return ""

    def serves(self, address: Address | AppiumAddress) -> bool:  # noqa: ARG002
        """Whether the server that an address names still runs; True if unknown."""
        return True


@dataclass(frozen=True, slots=True)
class Started:
    """A device whose program runs; `record` is what that printed, and whether it is `fresh`."""

    address: Address
    record: dict[str, Any]


class ProgramSlots(Slots):
    """Devices that are programs, which the run starts when they are needed and ends with itself.

    `command` starts one. It prints a line of JSON with its "serial" when it is ready, registers
    with the adb server whose port takes the place of "{adb}", and ends when its standard input
    does. With `warm`, the command of a program that is kept and forks (see `warm`), it is only what
    that is to fork with. It has `seconds` until it is ready and `grace` seconds to end. `home` is
    the home folder that it gets, by default one of the run's.

    Raises:
        HostError: the run's folder cannot be made.
    """

    renews = True

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
        self.run = run
        self.count = count
        self.command = list(command)
        self._where = {"home": home} if home else {}
        self._how = {"warm": [*warm], "seconds": seconds, "grace": grace}
        self._answer_seconds = 120 + seconds + grace

    @property
    def locks(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self.run.folder / f"slot-{number}.lock") for number in range(self.count)]

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Start the device if it does not run yet, or replace it by a fresh one."""
        return self.start(slot, self.command, fresh=fresh).address

    def start(self, slot: int, command: Sequence[str], *, fresh: bool = False) -> Started:
        """Start a device by a command, unless one runs in the slot that need not be `fresh`.

        Raises:
            InfrastructureError: it does not start.
        """
        adb = self.run.ask({"do": "adb", **self._where})
        what = "replace" if fresh else "start"
        record = self.run.ask(self._request(what, slot, command), self._answer_seconds)
        return Started(Address(record["serial"], "127.0.0.1", adb["port"], adb["home"]), record)

    def prestart(self) -> None:
        """Have the supervisor start them in the background, some at a time."""
        for slot in range(self.count):
            self.run.ask(self._request("prestart", slot, self.command))

    def ended(self, slot: int) -> str:
        """Return its exit status and the end of its output."""
        return str(self.run.ask({"do": "ended", "slot": slot})["ended"])

    def serves(self, address: Address | AppiumAddress) -> bool:
        """Whether an address names the run's current adb server; a new one replaces a dead one.

        The supervisor that had started it may be gone as well.
        """
        with contextlib.suppress(InfrastructureError):
            port = self.run.ask({"do": "adb", **self._where})["port"]
            return isinstance(address, Address) and address.adb_port == port
        return False

    def _request(self, what: str, slot: int, command: Sequence[str]) -> dict[str, Any]:
        return {"do": what, "slot": slot, "command": [*command], **self._where, **self._how}
