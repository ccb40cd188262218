"""What a task may ask of a device beside its screen: the protocol of probes."""

from __future__ import annotations

from typing import Any, Protocol

Value = Any  # plain data: what JSON can hold


class Probe(Protocol):
    """A shell script for the device, and what its output means."""

    @property
    def script(self) -> str:
        """The script; it only reads, and writes text to its standard output."""

    def parse(self, output: str) -> Value:
        """Return the value as plain data.

        Raises:
            DeviceError: the device did not let the value be read.
            TaskError: the probe asks for what cannot be.
        """
