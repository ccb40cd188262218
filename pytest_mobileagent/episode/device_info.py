"""What a record keeps, and an agent is given, of the device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What an agent knows of the device before its first step.

    `size` is (width, height) in pixels, `density` in dots per inch. `listener` says whether its
    events can be heard (docs/events.md).
    """

    serial: str
    model: str
    android: str
    sdk: int
    size: tuple[int, int]
    density: int
    locale: str = "en-US"
    listener: bool = False
