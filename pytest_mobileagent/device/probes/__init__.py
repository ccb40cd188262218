"""Probes: they read state of the device that the screen does not show, after every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.device.device import System


@runtime_checkable
class ProbeSince(Protocol):
    """A probe that reads only what has happened since the episode began."""

    @property
    def mark(self) -> str:
        """The script that runs when an episode begins."""

    def since(self, output: str) -> Probe:
        """Return the probe for an episode, given the output of its `mark` script.

        Raises:
            DeviceError: if the output is invalid.
        """


def since_now(probes: Mapping[str, Probe], system: System) -> dict[str, Probe]:
    """Return the probes of an episode that begins now."""
    return {
        name: probe.since(system.shell(probe.mark)) if isinstance(probe, ProbeSince) else probe
        for name, probe in probes.items()
    }
