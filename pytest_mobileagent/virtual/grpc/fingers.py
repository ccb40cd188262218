"""Fingers on the touch screen, identified by numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

Point = tuple[int, int]


class Fingers:
    """A single finger taps, holds and swipes as it moves; two pinch once both are lifted."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._down: set[int] = set()
        self._ways: dict[int, list[Point]] = {}  # of all fingers since the first one touched

    def touch(self, number: int, x: int, y: int, *, pressed: bool) -> None:
        """Put a finger down, move it, or lift it from where it is."""
        finger, point = self._phone.finger, self._turned(x, y)
        if pressed and number not in self._down:
            self._down.add(number)
            self._ways[number] = [point]
            if len(self._ways) == 1:
                finger.down(*point)
            else:
                finger.cancel()
        elif pressed:
            self._ways[number].append(point)
            if len(self._ways) == 1:
                finger.move(*point)
        elif number in self._down:
            self._down.remove(number)
            if not self._down:
                self._lifted()

    def _lifted(self) -> None:
        (first, *others), self._ways = self._ways.values(), {}
        if not others:
            self._phone.finger.up(*first[-1])
            return
        before, after = (math.dist(first[at], others[0][at]) for at in (0, -1))
        if before:
            x, y = ((a + b) / 2 for a, b in zip(first[0], others[0][0], strict=True))
            self._phone.pinch(x, y, after / before)

    def _turned(self, x: int, y: int) -> Point:
        """Convert a point of the glass, which does not rotate, to one of the rotated display."""
        metrics, rotation = self._phone.display.metrics, self._phone.display.rotation
        last_x, last_y = metrics.width_px - 1, metrics.height_px - 1
        return ((x, y), (y, last_y - x), (last_x - x, last_y - y), (last_x - y, x))[rotation]
