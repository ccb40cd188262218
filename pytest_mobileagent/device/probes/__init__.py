"""State of the device that a check needs and the screen does not show: read after every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.device.device import System
    from pytest_mobileagent.task.task import Probe


@runtime_checkable
class ProbeSince(Protocol):
    """A probe of what has happened since the episode began."""

    @property
    def mark(self) -> str:
        """The script that is run when an episode begins."""

    def since(self, output: str) -> Probe:
        """Return the probe for that episode, from what the script wrote.

        Raises:
            DeviceError: the device wrote something else.
        """


def since_now(probes: Mapping[str, Probe], system: System) -> dict[str, Probe]:
    """Return the probes of an episode that begins now."""
    return {
        name: probe.since(system.shell(probe.mark)) if isinstance(probe, ProbeSince) else probe
        for name, probe in probes.items()
    }
