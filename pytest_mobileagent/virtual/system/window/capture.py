"""What a phone shows: its picture and its view hierarchy, made once per state of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.rootfs import SHARED
from pytest_mobileagent.virtual.system.accessibility.nodes import Screen
from pytest_mobileagent.virtual.systemui.scene import Scene, black
from pytest_mobileagent.virtual.ui.draw import draw, png
from pytest_mobileagent.virtual.ui.dump import dump

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.activities.tasks import Task

SCREENSHOTS = f"{SHARED}/Pictures/Screenshots"


class Sight:
    """Draws and describes a phone's screen, anew only when the phone's version has changed."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._drawn: tuple[int, Image] | None = None
        self._encoded: tuple[int, bytes] | None = None
        self._accessible: tuple[int, Screen] | None = None
        self._dumped: tuple[int, bool, str] | None = None
        self._thumbnails: dict[int, tuple[object, bytes]] = {}

    def screenshot(self) -> bytes:
        """Give the screen as PNG."""
        if self._phone.faults.strikes("black-screenshot"):
            return png(self._black())
        version = self._phone.version
        if self._encoded is None or self._encoded[0] != version:
            self._encoded = version, png(self._picture())
        return self._encoded[1]

    def picture(self) -> Image:
        """Give the screen as RGB, to be looked at only."""
        struck = self._phone.faults.strikes("black-screenshot")
        return self._black() if struck else self._picture()

    def raw_screenshot(self) -> tuple[int, int, bytes]:
        """Give the screen as width, height and RGBA bytes."""
        picture = self.picture()
        return picture.width, picture.height, picture.convert("RGBA").tobytes()

    def keep(self) -> None:
        """Put the screen among the user's screenshots."""
        if not self._phone.files.exists(SCREENSHOTS):
            self._phone.files.mkdir(SCREENSHOTS, parents=True)
        name = f"{SCREENSHOTS}/Screenshot_{self._phone.clock.now():%Y%m%d-%H%M%S}.png"
        self._phone.files.write(name, self.screenshot())

    @property
    def accessibility(self) -> Screen:
        """What accessibility sees now: the nodes of all windows."""
        version = self._phone.version
        if self._accessible is None or self._accessible[0] != version:
            self._accessible = version, Screen(self._phone)
        return self._accessible[1]

    def dump(self, compressed: bool = False) -> str:
        """Give the active window's hierarchy as UIAutomator XML."""
        version = self._phone.version
        if self._dumped is None or self._dumped[:2] != (version, compressed):
            window, rotation = self._phone.windows.active, self._phone.display.rotation
            text = dump(window.box, window.package, rotation=rotation, compressed=compressed)
            self._dumped = version, compressed, text
        return self._dumped[2]

    def thumbnail(self, task: Task) -> bytes:
        """Give what a task showed when it was left, at half its size."""
        metrics, known = self._phone.display.metrics, self._thumbnails.get(task.number)
        if known is None or known[0] != (task.used, metrics):
            boxes = [black(metrics)]
            with self._phone.activities.guard(task.top):
                if not task.top.activity.secure:
                    boxes = [window.box for window in Scene.of(task.top, self._phone).app(0)]
            known = (task.used, metrics), png(draw(boxes, metrics).reduce(2))
            self._thumbnails[task.number] = known
        return known[1]

    def _picture(self) -> Image:
        version = self._phone.version
        if self._drawn is None or self._drawn[0] != version:
            boxes = self._phone.windows.visible_boxes()
            self._drawn = version, draw(boxes, self._phone.display.metrics)
        return self._drawn[1]

    def _black(self) -> Image:
        metrics = self._phone.display.metrics
        return draw([black(metrics)], metrics)
