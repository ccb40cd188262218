"""What the overview shows of each task: its screen as it was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.window.window import black
from pytest_mobileagent.virtual.systemui.scene import Scene
from pytest_mobileagent.virtual.ui.draw import draw, png

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.activities.tasks import Task
    from pytest_mobileagent.virtual.systemui.system_ui import SystemUi


class Thumbnails:
    """Drawn when they are looked at, and kept until the task is used again."""

    def __init__(self, system_ui: SystemUi) -> None:
        self._system_ui = system_ui
        self._drawn: dict[int, tuple[object, bytes]] = {}

    def of(self, task: Task) -> bytes:
        """Give what a task showed when it was left, at half its size, as PNG."""
        metrics, known = self._system_ui.display.metrics, self._drawn.get(task.number)
        if known is None or known[0] != (task.used, metrics):
            boxes = [black(metrics)]
            with self._system_ui.activities.guard(task.top):
                if not task.top.activity.secure:
                    boxes = [window.box for window in Scene.of(task.top, self._system_ui).app(0)]
            known = (task.used, metrics), png(draw(boxes, metrics).reduce(2))
            self._drawn[task.number] = known
        return known[1]
