"""The windows that are visible while an activity is on top: from the wallpaper to the bars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.interfaces import BAR, Kind, Toast, Window
from pytest_mobileagent.virtual.systemui.lockscreen import lockscreen
from pytest_mobileagent.virtual.systemui.shade import heads_up, shade
from pytest_mobileagent.virtual.systemui.system_ui import (
    SYSTEM_UI,
    SystemUi,
    load_wallpaper,
    wallpaper,
    wallpaper_stamp,
)
from pytest_mobileagent.virtual.ui import MATCH, Frame, Image, Input, Row, Space, Text, View, chrome
from pytest_mobileagent.virtual.ui.components import spoken
from pytest_mobileagent.virtual.ui.dialog import popup
from pytest_mobileagent.virtual.ui.layout import UiState, layout
from pytest_mobileagent.virtual.ui.metrics import holds

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.interfaces import Record
    from pytest_mobileagent.virtual.system.ipc import Broadcasts
    from pytest_mobileagent.virtual.system.windows import Windows
    from pytest_mobileagent.virtual.ui.layout import Box
    from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect


NAVIGATION = "NavigationBar0"
SHADE = "NotificationShade"
BATTERY = "Battery {level} percent."
OF_THE_SYSTEM = ("wallpaper", "keyguard", "shade", "headsup", "keyboard", "toast")
BARS = ("status", "navigation")


@dataclass(frozen=True, slots=True)
class Scene:
    """An activity, the phone around it, and the display metrics that each is laid out with."""

    ui: SystemUi
    record: Record
    metrics: Metrics  # in the phone's theme
    themed: Metrics  # in the app's theme

    @classmethod
    def of(cls, record: Record, ui: SystemUi) -> Scene:
        """Return the scene of an activity."""
        metrics, app = ui.display.metrics, record.app
        dark = metrics.dark if app.dark is None else app.dark
        themed = replace(metrics, accent=app.accent, dark=dark, rtl=app.locale.rtl)
        metrics = replace(metrics, rtl=ui.locales.current.rtl)
        return cls(ui, record, metrics, themed)

    def _wallpaper(self) -> list[Window]:
        if not self.record.activity.fullscreen:
            return []
        view = Image(wallpaper(self.ui.files), width=MATCH, height=MATCH)
        return [self._window("wallpaper", view, title="Wallpaper")]

    def app(self, keyboard: int) -> list[Window]:
        """Build the app's windows, in the part of the screen above a keyboard of some height."""
        left, top, right, bottom = self.metrics.screen
        rest = (left, top, right, bottom - keyboard)
        dialog = self._dialog(rest)  # if open, only the dialog makes room for the keyboard
        own = self._activity(0 if dialog else keyboard)
        return [*self._behind(), *self._wallpaper(), own, *dialog]

    def _behind(self) -> list[Window]:
        """Build the windows that are visible behind a translucent activity."""
        if not self.record.activity.translucent:
            return []
        below = self.ui.activities.below(self.record)
        if below is None:
            return [self._window("scrim", chrome.scrim())]
        with self.ui.activities.guard(below.package):
            windows = Scene.of(below, self.ui).app(keyboard=0)
            return [*windows, self._window("scrim", chrome.scrim())]
        return []

    def _activity(self, keyboard: int) -> Window:
        activity = self.record.activity
        bare = activity.fullscreen or activity.translucent
        top = 0 if bare else BAR
        bottom = keyboard / self.metrics.density if keyboard else top
        with spoken(activity.t):
            view = activity.content()
            title = activity.t(activity.title) or activity.app.name
            first = activity.name == activity.app.activities[0].name
            up = None if first else partial(self.ui.activities.finish, activity, {})
            view = Frame([view], height=MATCH) if bare and view.height != MATCH else view
            content = chrome.decor(view, top=top, bottom=bottom, title=title, up=up)
        if bare:
            content.background = ""
        return self._window("activity", content, state=self.record.ui)

    def _dialog(self, rest: Rect) -> list[Window]:
        with spoken(self.record.activity.t):
            dialog = self.record.activity.dialog()
        if dialog is None:
            return []
        state = self.record.over
        if state is None or state.title != dialog.title:
            state = UiState(title=dialog.title)
        return [
            self._window("scrim", chrome.scrim()),
            self._window("dialog", dialog, bounds=rest, state=state),
        ]

    def menu(self, below: Window) -> list[Window]:
        """Build the open menu of the window below."""
        anchor = below.box.find(below.state.menu) if below.state.menu else None
        if anchor is None or not anchor.view.menu:
            below.state.menu = None
            return []
        return [self._window("menu", popup(anchor, self.themed))]

    def shade(self) -> list[Window]:
        """Build the notification shade, if it is open."""
        if not self.ui.shade.open:
            return []
        view, state = shade(self.ui), self.ui.shade.ui
        return [self._window("shade", view, state, package=SYSTEM_UI, title=SHADE)]

    def keyguard(self) -> list[Window]:
        """Build the lock screen, if the phone is locked."""
        keyguard = self.ui.keyguard
        if not keyguard.showing:
            return []
        view = lockscreen(self.ui)
        return [self._window("keyguard", view, keyguard.ui, package=SYSTEM_UI, title=SHADE)]

    def heads_up(self) -> list[Window]:
        """Build the heads-up notification, if there is one."""
        shown = self.ui.notifications.announced()
        if shown is None:
            return []
        return [self._window("headsup", heads_up(self.ui, shown), package=SYSTEM_UI, title=SHADE)]

    def keyboard(self, field: Input) -> Window:
        """Build the soft keyboard."""
        with spoken(self.ui.t):
            view = self.ui.ime.view(field)
        package = self.ui.ime.current.partition("/")[0]
        left, top, right, bottom = self.metrics.screen  # leaves at least the upper half free
        lower = (left, (top + bottom) // 2, right, bottom)
        return self._window("keyboard", view, bounds=lower, package=package, title="InputMethod")

    def toast(self, toast: Toast) -> Window:
        """Build a toast."""
        return self._window("toast", chrome.toast(toast.text), package=toast.package, title="Toast")

    def bars(self, own: Window) -> list[Window]:
        """Build the status bar and the navigation bar, over the activity's own window."""
        ink, lower = self._ink(own.box, top=True), self._ink(own.box, top=False)
        status = _status_bar(self.ui, ink)
        navigation = _navigation_bar("on_surface" if self.ui.ime.shown else lower)
        return [
            self._window("status", status, package=SYSTEM_UI, title="StatusBar"),
            self._window("navigation", navigation, package=SYSTEM_UI, title=NAVIGATION),
        ]

    def _ink(self, own: Box, *, top: bool) -> str:
        """Return the colour of a bar's icons: that of the activity visible beneath it."""
        ui, below = self.ui, self.ui.activities.below(self.record)
        if ui.shade.open and top:
            return "on_surface"
        if ui.shade.open or ui.keyguard.showing:
            return "#ffffff"
        x, y = self.metrics.width_px // 2, 0 if top else self.metrics.height_px - 1
        covered = any(box.view.background and holds(box.visible, x, y) for box in own.walk())
        seen = below if self.record.activity.translucent and below and not covered else self.record
        return seen.activity.bar_ink

    def _window(
        self,
        kind: Kind,
        view: View,
        state: UiState | None = None,
        *,
        bounds: Rect | None = None,
        package: str = "",
        title: str = "",
    ) -> Window:
        state = state or UiState()
        metrics = self._metrics(kind)
        if kind == "keyboard":  # its letters scale with its keys
            metrics = replace(metrics, font_scale=1.0)
        box = layout(view, bounds or metrics.screen, metrics, state)
        title = title or ("PopupWindow" if kind == "menu" else self.record.component)
        return Window(kind, title, package or self.record.package, box, state, self.record)

    def _metrics(self, kind: Kind) -> Metrics:
        """Return the metrics for a window; the bars take the theme of the app or shade below."""
        system = kind in OF_THE_SYSTEM or (self.ui.shade.open and kind in BARS)
        system = system or (kind == "navigation" and self.ui.ime.shown)  # over the keyboard
        if kind == "keyguard" and self.ui.keyguard.asking:  # always on a dark background
            return replace(self.metrics, dark=True)
        if kind in BARS and not system:  # use the phone's layout direction over any app
            return replace(self.themed, rtl=self.metrics.rtl)
        return self.metrics if system else self.themed


def _status_bar(ui: SystemUi, ink: str) -> View:
    """Build the status bar, with the duration of a call in the background."""
    posted, airplane = ui.notifications.posted, ui.radios.airplane
    charge = "Battery charging, {level} percent." if ui.power.charging else BATTERY
    silent = ui.settings.on("global", "zen_mode")
    icons = [
        Image("remove", id="zen", visible=silent, desc="Do Not Disturb."),
        Image("airplane", id="airplane_mode", visible=airplane),
        Image("wifi", id="wifi_signal", visible=ui.radios.wifi),
        Image("network", id="mobile_signal", visible=not airplane),
        Image("battery", id="battery", desc=ui.t(charge, level=ui.power.level)),
    ]
    for icon in icons:
        icon.size, icon.color, icon.margin = 15, ink, (3, 0, 0, 0)
    bell = Image("notifications", size=14, color=ink, margin=(6, 0, 0, 0), visible=bool(posted))
    time = Text(ui.time_text(), id="clock", size=13, bold=True, color=ink, max_lines=1)
    parts = [time, *([_chip(call)] if (call := ui.call_text()) else []), bell, Space(), *icons]
    return Row(parts, id="status_bar", height=BAR, padding=(20, 0))


def _chip(time: str) -> View:
    """Build the indicator of a call in the background."""
    chip = Text(time, id="ongoing_call_chip", icon="call", icon_size=12, size=12, color="#ffffff")
    chip.height, chip.corner, chip.background = 20, 10, "#1e8e3e"
    chip.padding, chip.margin, chip.gravity = (8, 0), (8, 0, 0, 0), "center_vertical"
    return chip


def _navigation_bar(ink: str) -> View:
    """Build the gesture handle at the bottom of the screen."""
    handle = View(id="home_handle", width=108, height=4, corner=2, background=ink, align="center")
    return Frame([handle], id="navigation_bar_frame", height=BAR, align="bottom")


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
        self.broadcasts.receive(BOOT_COMPLETED, lambda: load_wallpaper(self.system_ui.files))

    def notice_time(self) -> None:
        """Record a change if the screen changed by the passing of time alone."""
        ui = self.system_ui
        seconds = int(ui.clock.time())
        time = seconds if ui.activities.top.activity.refresh else seconds // 60
        passing = self.windows.toast(), ui.notifications.announced()
        moment = time, *passing, ui.call_text(), wallpaper_stamp(ui.files), ui.keyguard.waiting()
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
