"""Devices of an Appium server that is there already: a hub's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.address import Address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.fleet.shared import SharedRun


class HubProvision:
    """As many sessions as there are workers; the server chooses the device of each."""

    renews = True

    def __init__(self, run: SharedRun, count: int) -> None:
        self._run = run
        self._count = count

    @property
    def slots(self) -> Sequence[str]:
        """Locks in the run's folder."""
        return [str(self._run.folder / f"slot-{number}.lock") for number in range(self._count)]

    def address(self, slot: int, *, anew: bool = False) -> Address:  # noqa: ARG002 - a new session is a new device
        """Return a name for the device; only the server knows its address."""
        return Address(f"session {slot}", "", 0, "")
