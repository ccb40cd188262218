"""Virtual devices of the run's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_mobileagent.device.address import Address
from pytest_mobileagent.extras import check_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.fleet.shared import SharedRun


class VirtualProvision:
    """As many virtual devices as there are workers, started when needed.

    Raises:
        MissingExtraError: the packages of the virtual device are not installed.
    """

    renews = True

    def __init__(self, run: SharedRun, count: int, apps: Iterable[Path]) -> None:
        check_extra("virtual", "the virtual device")
        self._run = run
        self._count = count
        folders = [word for folder in apps for word in ("--apps", str(folder))]
        program = [sys.executable, "-m", "pytest_mobileagent", "device"]
        self._command = [*program, "--port", "0", "--adb-server-port", "{adb}", *folders]

    @property
    def slots(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self._run.folder / f"slot-{number}.lock") for number in range(self._count)]

    def address(self, slot: int, *, anew: bool = False) -> Address:
        """Ask the run's supervisor for the device."""
        adb = self._run.ask({"do": "adb"})
        what = "replace" if anew else "start"
        phone = self._run.ask({"do": what, "slot": slot, "command": self._command})
        return Address(phone["serial"], "127.0.0.1", adb["port"], adb["home"])
