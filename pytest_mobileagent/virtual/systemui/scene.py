"""Makes the windows that are seen over one activity: from the wallpaper to the bars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.virtual.systemui.lockscreen import lockscreen
from pytest_mobileagent.virtual.systemui.notices import heads_up
from pytest_mobileagent.virtual.systemui.wallpaper import wallpaper
from pytest_mobileagent.virtual.ui import MATCH, Frame, Image, View, chrome
from pytest_mobileagent.virtual.ui.dialog import popup
from pytest_mobileagent.virtual.ui.layout import Box, UiState, layout
from pytest_mobileagent.virtual.ui.words import spoken

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.activities.tasks import Record
    from pytest_mobileagent.virtual.ui.controls import Input
    from pytest_mobileagent.virtual.ui.metrics import Metrics, Rect

BAR = 24  # dp, at the top and at the bottom
SYSTEM_UI = "com.android.systemui"
NAVIGATION = "NavigationBar0"
SHADE = "NotificationShade"
BATTERY = "Battery {level} percent."
Kind = Literal[
    "wallpaper",
    "activity",
    "scrim",
    "dialog",
    "menu",
    "keyguard",
    "shade",
    "headsup",
    "keyboard",
    "toast",
    "status",
    "navigation",
]
FOCUSABLE = ("activity", "dialog", "menu", "keyguard", "shade")
OF_THE_SYSTEM = ("wallpaper", "keyguard", "shade", "headsup", "keyboard", "toast")
BARS = ("status", "navigation")


@dataclass(frozen=True, slots=True)
class Window:
    """A laid-out window; `record` is the activity that it belongs to, or is shown above."""

    kind: Kind
    title: str
    package: str
    box: Box
    state: UiState
    record: Record


@dataclass(frozen=True, slots=True)
class Toast:
    """A text that goes away by itself."""

    package: str
    text: str
    until: float  # uptime


@dataclass(frozen=True, slots=True)
class Scene:
    """The activity, the phone around it, and the display that each of them is laid out for."""

    phone: Phone
    record: Record
    metrics: Metrics  # in the phone's own theme
    themed: Metrics  # in the app's

    @classmethod
    def of(cls, record: Record, phone: Phone) -> Scene:
        """Make the scene of an activity."""
        metrics, app = phone.display.metrics, record.app
        dark = metrics.dark if app.dark is None else app.dark
        mirrored = app.supports_rtl and app.locale.rtl
        themed = replace(metrics, accent=app.accent, dark=dark, rtl=mirrored)
        metrics = replace(metrics, rtl=phone.locales.current.rtl)
        return cls(phone, record, metrics, themed)

    def _wallpaper(self) -> list[Window]:
        if not self.record.activity.fullscreen:
            return []
        view = Image(wallpaper(self.phone.files), width=MATCH, height=MATCH)
        return [self._window("wallpaper", view, title="Wallpaper")]

    def app(self, keyboard: int) -> list[Window]:
        """Make the app's windows, on what a keyboard of some height leaves of the screen."""
        left, top, right, bottom = self.metrics.screen
        rest = (left, top, right, bottom - keyboard)
        dialog = self._dialog(rest)  # which is then what the keyboard is for
        own = self._activity(0 if dialog else keyboard)
        return [*self._behind(), *self._wallpaper(), own, *dialog]

    def _behind(self) -> list[Window]:
        """Make what is seen behind a translucent activity."""
        if not self.record.activity.translucent:
            return []
        below = self.phone.activities.below(self.record)
        if below is None:
            return [self._window("scrim", chrome.scrim())]
        with self.phone.activities.guard(below):
            windows = Scene.of(below, self.phone).app(keyboard=0)
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
            up = None if isinstance(activity, activity.app.activities[0]) else activity.finish
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
        """Make the menu that is open in the window below."""
        anchor = below.box.find(below.state.menu) if below.state.menu else None
        if anchor is None or not anchor.view.menu:
            below.state.menu = None
            return []
        return [self._window("menu", popup(anchor, self.themed))]

    def shade(self) -> list[Window]:
        """Make the notification shade, if it is pulled down."""
        if not self.phone.shade.open:
            return []
        shade = self.phone.shade
        return [self._window("shade", shade.view(), shade.ui, package=SYSTEM_UI, title=SHADE)]

    def keyguard(self) -> list[Window]:
        """Make the lock screen, if the phone is locked."""
        keyguard = self.phone.keyguard
        if not keyguard.showing:
            return []
        view = lockscreen(self.phone)
        return [self._window("keyguard", view, keyguard.ui, package=SYSTEM_UI, title=SHADE)]

    def heads_up(self) -> list[Window]:
        """Make the notification that shows itself over the app."""
        shown = self.phone.notifications.announced()
        if shown is None:
            return []
        view = heads_up(self.phone, shown)
        return [self._window("headsup", view, package=SYSTEM_UI, title=SHADE)]

    def keyboard(self, field: Input) -> Window:
        """Make the soft keyboard."""
        with spoken(self.phone.t):
            view = self.phone.ime.view(field)
        package = self.phone.ime.current.partition("/")[0]
        left, top, right, bottom = self.metrics.screen  # of which at least the upper half is left
        lower = (left, (top + bottom) // 2, right, bottom)
        return self._window("keyboard", view, bounds=lower, package=package, title="InputMethod")

    def toast(self, toast: Toast) -> Window:
        """Make a toast."""
        view = chrome.toast(toast.text)
        return self._window("toast", view, package=toast.package, title="Toast")

    def bars(self) -> list[Window]:
        """Make the status bar and the navigation bar."""
        phone, settings = self.phone, self.phone.settings
        ink = "#ffffff" if phone.keyguard.showing else self.record.activity.bar_ink
        if phone.shade.open:
            ink = "on_surface"
        level = "Battery charging, {level} percent." if phone.power.charging else BATTERY
        status = chrome.status_bar(
            phone.time_text(),
            wifi=phone.radios.wifi,
            airplane=phone.radios.airplane,
            silent=settings.on("global", "zen_mode"),
            battery_text=phone.t(level, level=phone.power.level),
            notifications=len(phone.notifications.posted),
            ink=ink,
        )
        navigation = chrome.navigation_bar(ink=ink)
        return [
            self._window("status", status, package=SYSTEM_UI, title="StatusBar"),
            self._window("navigation", navigation, package=SYSTEM_UI, title=NAVIGATION),
        ]

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
        if kind == "keyboard":  # whose letters are as large as its keys
            metrics = replace(metrics, font_scale=1.0)
        box = layout(view, bounds or metrics.screen, metrics, state)
        title = title or ("PopupWindow" if kind == "menu" else self.record.component)
        return Window(kind, title, package or self.record.package, box, state, self.record)

    def _metrics(self, kind: Kind) -> Metrics:
        """Give the display as a window sees it: the bars are seen over an app, or the shade."""
        system = kind in OF_THE_SYSTEM or (self.phone.shade.open and kind in BARS)
        return self.metrics if system else self.themed


def black(metrics: Metrics) -> Box:
    """Give a black screen."""
    view = View(width=MATCH, height=MATCH, background="#000000")
    return layout(view, metrics.screen, metrics, UiState())
