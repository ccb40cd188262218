"""Screenshots and hierarchy dumps, created once per state of the screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.virtual.kernel.files import SHARED
from pytest_mobileagent.virtual.system.accessibility.nodes import Screen
from pytest_mobileagent.virtual.system.interfaces import black
from pytest_mobileagent.virtual.ui.node import dump
from pytest_mobileagent.virtual.ui.paint import draw, paint_all
from pytest_mobileagent.virtual.ui.screenshot import Screenshots, png

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.Image import Image

    from pytest_mobileagent.virtual.faults import Faults
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.configuration import Display
    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.interfaces import Task, WindowBuilder
    from pytest_mobileagent.virtual.system.windows import Windows


T = TypeVar("T")
SCREENSHOTS = f"{SHARED}/Pictures/Screenshots"


@dataclass(eq=False)
class Sight:
    """Captures the screen; results are cached until the phone's version changes."""

    clock: Clock
    files: FileSystem
    changes: Changes
    display: Display
    power: Power
    faults: Faults
    activities: Activities
    windows: Windows
    scenes: WindowBuilder
    _made: dict[str, tuple[int, Any]] = field(default_factory=dict)  # with their versions, by name
    _screenshots: Screenshots = field(default_factory=Screenshots)
    _thumbnails: dict[int, tuple[object, bytes]] = field(default_factory=dict)

    def screenshot(self) -> bytes:
        """Return a screenshot as PNG."""
        if self.faults.strikes("black-screenshot"):
            return png(self._black())
        return self._once("png", self._png)

    def picture(self) -> Image:
        """Return the screen as an RGB picture, which the caller must not modify."""
        return self._black() if self.faults.strikes("black-screenshot") else self._picture()

    def raw_screenshot(self) -> tuple[int, int, bytes]:
        """Return the screen as width, height and RGBA bytes."""
        picture = self.picture()
        return picture.width, picture.height, picture.convert("RGBA").tobytes()

    def keep(self) -> None:
        """Save a screenshot among the user's pictures."""
        if not self.files.exists(SCREENSHOTS):
            self.files.mkdir(SCREENSHOTS, parents=True)
        name = f"{SCREENSHOTS}/Screenshot_{self.clock.now():%Y%m%d-%H%M%S}.png"
        self.files.write(name, self.screenshot())

    @property
    def accessibility(self) -> Screen:
        """What accessibility sees now: the nodes of all windows."""
        return self._once("accessibility", lambda: Screen(self.power, self.windows))

    def dump(self, compressed: bool = False) -> str:
        """Return the active window's hierarchy as UIAutomator XML."""
        return self._once(f"dump {compressed}", lambda: self._dump(compressed=compressed))

    def thumbnail(self, task: Task) -> bytes:
        """Return a picture, at half size, of a task as the user left it."""
        metrics, known = self.display.metrics, self._thumbnails.get(task.number)
        if known is None or known[0] != (task.used, metrics):
            boxes = [black(metrics)]
            with self.activities.guard(task.top.package):
                if not task.top.activity.secure:
                    boxes = [window.box for window in self.scenes.app(task.top)]
            known = (task.used, metrics), png(draw(boxes, metrics).reduce(2))
            self._thumbnails[task.number] = known
        return known[1]

    def _png(self) -> bytes:
        canvas = paint_all(self.windows.visible_boxes(), self.display.metrics)
        return self._screenshots.take(canvas.marks, canvas.size)

    def _picture(self) -> Image:
        metrics = self.display.metrics
        return self._once("picture", lambda: draw(self.windows.visible_boxes(), metrics))

    def _dump(self, *, compressed: bool) -> str:
        window, rotation = self.windows.active, self.display.rotation
        return dump(window.box, window.package, rotation=rotation, compressed=compressed)

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Return a result, computed at most once for each state of the screen."""
        version = self.changes.version
        if self._made.get(name, (None,))[0] != version:
            self._made[name] = version, make()
        made: T = self._made[name][1]
        return made

    def _black(self) -> Image:
        metrics = self.display.metrics
        return draw([black(metrics)], metrics)
