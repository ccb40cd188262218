"""Assembles all windows that are visible while an activity is on top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.systemui import wallpaper
from pytest_mobileagent.virtual.systemui.scene import Scene
from pytest_mobileagent.virtual.ui.controls import Input

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.ipc import Broadcasts
    from pytest_mobileagent.virtual.system.records import Record, Window
    from pytest_mobileagent.virtual.system.windows import Windows
    from pytest_mobileagent.virtual.systemui.system_ui import SystemUi
    from pytest_mobileagent.virtual.ui.layout import Box

BOOT_COMPLETED = "android.intent.action.BOOT_COMPLETED"


@dataclass(eq=False)
class Scenes:
    """Builds windows, and detects changes on the screen that only the passing of time causes."""

    broadcasts: Broadcasts
    windows: Windows
    system_ui: SystemUi
    _moment: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        """Register for checks of changes by time, and load the wallpaper at boot."""
        self.system_ui.changes.notice = self.notice_time
        self.broadcasts.receive(BOOT_COMPLETED, lambda: wallpaper.load(self.system_ui.files))

    def notice_time(self) -> None:
        """Record a change if the screen changed by the passing of time alone."""
        ui = self.system_ui
        seconds = int(ui.clock.time())
        time = seconds if ui.activities.top.activity.refresh else seconds // 60
        passing = self.windows.toast(), ui.notifications.announced()
        moment = time, *passing, ui.call_text(), wallpaper.stamp(ui.files), ui.keyguard.waiting()
        if moment != self._moment:
            self._moment = moment
            ui.changes.note()

    def build(self, record: Record) -> list[Window]:
        """Build all windows that are visible while an activity is on top, the lowest first."""
        scene = Scene.of(record, self.system_ui)
        app = scene.app(keyboard=0)
        self._notice_dialog(app[-1])
        over = [*scene.keyguard(), *scene.shade()]
        field = _focused_field(over[-1] if over else app[-1])
        if field is None:
            self.system_ui.ime.hide()
        keyboard = [scene.keyboard(field)] if field and self.system_ui.ime.shown else []
        height = scene.metrics.height_px - keyboard[0].box.bounds[1] if keyboard else 0
        if keyboard:
            app = scene.app(height)
        if self.windows.revealing and _scroll_to_focus(app[-1]):
            app = scene.app(height)
        self.windows.revealing = False
        toast = self.windows.toast()
        return [
            *app,
            *scene.menu(app[-1]),
            *over,
            *keyboard,
            *scene.heads_up(),
            *([scene.toast(toast)] if toast else []),
            *scene.bars(next(each for each in reversed(app) if each.kind == "activity")),
        ]

    def app(self, record: Record) -> list[Window]:
        """Build an activity's own windows."""
        return Scene.of(record, self.system_ui).app(keyboard=0)

    def _notice_dialog(self, window: Window) -> None:
        """Keep a dialog's state while it is open; focus a field that should be focused at once."""
        record = window.record
        if window.kind != "dialog":
            record.over = None
        elif record.over is not window.state:
            record.over = window.state
            for box in window.box.walk():
                wants = box.key == record.ui.focused  # `focus` was called as the dialog opened
                if isinstance(box.view, Input) and (wants or box.view.autofocus):
                    self.windows.focus(window, box)
                    break


def _focused_field(window: Window) -> Input | None:
    box = window.box.find(window.state.focused) if window.state.focused else None
    return box.view if box and isinstance(box.view, Input) else None


def _scroll_to_focus(window: Window) -> bool:
    """Scroll the focused view into sight; return False if it already is."""
    path = _path(window.box, window.state.focused or "")
    around = next((box for box in reversed(path[:-1]) if box.reach > 0), None)
    if around is None or around.visible is None:
        return False
    _, top, _, bottom = path[-1].bounds
    hidden = max(bottom - around.visible[3], 0) or min(top - around.visible[1], 0)
    window.state.scroll[around.key] = min(max(around.offset + hidden, 0), around.reach)
    return hidden != 0


def _path(box: Box, key: str) -> list[Box]:
    """Return the boxes from the root to the one with this key."""
    if box.key == key:
        return [box]
    for child in box.children:
        if below := _path(child, key):
            return [box, *below]
    return []
