"""How a device is reached: through an adb server, or through an Appium server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """A device that an adb server knows by its serial.

    `home` is the home folder in which the emulator that it may be keeps its console's token.
    """

    serial: str
    adb_host: str
    adb_port: int
    home: str

    def __str__(self) -> str:
        return f"{self.serial} at {self.adb_host}:{self.adb_port}"


@dataclass(frozen=True, slots=True)
class AppiumAddress:
    """A device that the Appium server at `url` chooses for each session."""

    url: str
