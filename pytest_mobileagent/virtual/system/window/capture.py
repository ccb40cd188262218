"""What a phone shows: its picture and its view hierarchy, made once per state of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.accessibility.nodes import Screen
from pytest_mobileagent.virtual.system.window.window import black
from pytest_mobileagent.virtual.ui.draw import draw, png
from pytest_mobileagent.virtual.ui.dump import dump

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_mobileagent.virtual.faults.faults import Faults
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.power.power import Power
    from pytest_mobileagent.virtual.system.window.display import Display
    from pytest_mobileagent.virtual.system.window.windows import Windows


class Sight:
    """Draws and describes a phone's screen, anew only when the phone's version has changed."""

    def __init__(
        self, changes: Changes, display: Display, power: Power, faults: Faults, windows: Windows
    ) -> None:
        self._changes = changes
        self._display = display
        self._power = power
        self._faults = faults
        self._windows = windows
        self._drawn: tuple[int, Image] | None = None
        self._encoded: tuple[int, bytes] | None = None
        self._accessible: tuple[int, Screen] | None = None
        self._dumped: tuple[int, bool, str] | None = None

    def screenshot(self) -> bytes:
        """Give the screen as PNG."""
        if self._faults.strikes("black-screenshot"):
            return png(self._black())
        version = self._changes.version
        if self._encoded is None or self._encoded[0] != version:
            self._encoded = version, png(self._picture())
        return self._encoded[1]

    def picture(self) -> Image:
        """Give the screen as RGB, to be looked at only."""
        struck = self._faults.strikes("black-screenshot")
        return self._black() if struck else self._picture()

    def raw_screenshot(self) -> tuple[int, int, bytes]:
        """Give the screen as width, height and RGBA bytes."""
        picture = self.picture()
        return picture.width, picture.height, picture.convert("RGBA").tobytes()

    @property
    def accessibility(self) -> Screen:
        """What accessibility sees now: the nodes of all windows."""
        version = self._changes.version
        if self._accessible is None or self._accessible[0] != version:
            self._accessible = version, Screen(self._power, self._windows)
        return self._accessible[1]

    def dump(self, compressed: bool = False) -> str:
        """Give the active window's hierarchy as UIAutomator XML."""
        version = self._changes.version
        if self._dumped is None or self._dumped[:2] != (version, compressed):
            window, rotation = self._windows.active, self._display.rotation
            text = dump(window.box, window.package, rotation=rotation, compressed=compressed)
            self._dumped = version, compressed, text
        return self._dumped[2]

    def _picture(self) -> Image:
        version = self._changes.version
        if self._drawn is None or self._drawn[0] != version:
            boxes = self._windows.visible_boxes()
            self._drawn = version, draw(boxes, self._display.metrics)
        return self._drawn[1]

    def _black(self) -> Image:
        metrics = self._display.metrics
        return draw([black(metrics)], metrics)
