"""The phone: its parts put together, and what the world may do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.faults.faults import Faults
from pytest_mobileagent.virtual.image.launcher import Launcher
from pytest_mobileagent.virtual.image.packages import IMAGE
from pytest_mobileagent.virtual.kernel import procfs
from pytest_mobileagent.virtual.kernel.clock import Clock
from pytest_mobileagent.virtual.kernel.files import FileSystem
from pytest_mobileagent.virtual.kernel.log import Log
from pytest_mobileagent.virtual.kernel.processes import Process, ProcessTable
from pytest_mobileagent.virtual.kernel.properties import Properties
from pytest_mobileagent.virtual.providers.resolver import Resolver
from pytest_mobileagent.virtual.shell import launch
from pytest_mobileagent.virtual.shell.interpreter import load_commands
from pytest_mobileagent.virtual.snapshots.snapshots import Part, Snapshots
from pytest_mobileagent.virtual.system.accessibility.connection import UiAutomation
from pytest_mobileagent.virtual.system.accessibility.events import Events
from pytest_mobileagent.virtual.system.accessibility.services import AccessibilityServices
from pytest_mobileagent.virtual.system.activities.activities import Activities
from pytest_mobileagent.virtual.system.audio import Audio
from pytest_mobileagent.virtual.system.clipboard import Clipboard
from pytest_mobileagent.virtual.system.hardware import Hardware
from pytest_mobileagent.virtual.system.input.gestures import Finger, Gestures
from pytest_mobileagent.virtual.system.input.ime import InputMethods
from pytest_mobileagent.virtual.system.input.keymap import key, split_keys, typeable
from pytest_mobileagent.virtual.system.input.keys import Keys
from pytest_mobileagent.virtual.system.keyguard import Keyguard
from pytest_mobileagent.virtual.system.locales import Locales
from pytest_mobileagent.virtual.system.notifications import Notifications
from pytest_mobileagent.virtual.system.packages.defaults import Defaults
from pytest_mobileagent.virtual.system.packages.packages import Packages
from pytest_mobileagent.virtual.system.packages.permissions import Permissions
from pytest_mobileagent.virtual.system.power.power import Power
from pytest_mobileagent.virtual.system.power.reboot import reboot
from pytest_mobileagent.virtual.system.power.restart import restart
from pytest_mobileagent.virtual.system.radios import Radios
from pytest_mobileagent.virtual.system.settings import Settings
from pytest_mobileagent.virtual.system.telephony import Telephony
from pytest_mobileagent.virtual.system.window.capture import Sight
from pytest_mobileagent.virtual.system.window.display import Display
from pytest_mobileagent.virtual.system.window.windows import Windows
from pytest_mobileagent.virtual.systemui import wallpaper
from pytest_mobileagent.virtual.systemui.shade import Shade

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from datetime import datetime

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.system.accessibility.nodes import Screen
    from pytest_mobileagent.virtual.system.notifications import Notification
    from pytest_mobileagent.virtual.systemui.scene import Toast
    from pytest_mobileagent.virtual.wire.adb.stream import Stream

    Serve = Callable[[Stream], Awaitable[None]]

ALWAYS_ON = ("com.android.systemui", "com.google.android.inputmethod.latin")
BOOTED = "default_boot"  # the snapshot that is taken once the phone is up


class Phone:
    """A phone with the given apps, booted to its home screen. All of it is synchronous."""

    launcher = Launcher.package

    def __init__(
        self,
        apps: Iterable[type[App]] = (),
        *,
        avd_name: str = "virtual",
        time: datetime | None = None,
        frozen: bool = False,
        size: tuple[int, int] = (1080, 2400),
        density: int = 420,
    ) -> None:
        self.avd_name = avd_name
        self.booting = False
        self.clock = Clock(time, frozen=frozen)
        self.files = FileSystem(self.clock.time)
        self.log = Log(self.clock)
        self.props = Properties(
            {
                "debug.clock.frozen": "1" if frozen else "0",
                "ro.boot.qemu.avd_name": avd_name,
                "ro.sf.lcd_density": str(density),
            }
        )
        self.settings = Settings(self.log)
        self.sockets: dict[str, Serve] = {}  # by address, such as tcp:6790 or localabstract:name
        self.display = Display(self.settings, *size, density)
        self.locales = Locales(self)
        self.proc = ProcessTable()
        self.ui_automation = UiAutomation()
        self.power = Power(self)
        self.radios = Radios(self)
        self.hardware = Hardware(self)
        self.telephony = Telephony(self)
        self.audio = Audio(self)
        self.clipboard = Clipboard()
        self.resolver = Resolver(self)
        self.packages = Packages(self, [*IMAGE, *apps])
        self.permissions = Permissions(self)
        self.defaults = Defaults(self)
        self.ime = InputMethods(self)
        self.notifications = Notifications(self)
        self.shade = Shade(self)
        self.keyguard = Keyguard(self)
        self.windows = Windows(self)
        self.events = Events(self)
        self.accessibility_services = AccessibilityServices(self)
        self.activities = Activities(self)
        self.gestures = Gestures(self)
        self.finger = Finger(self)
        self.sight = Sight(self)
        self.keys = Keys(self)
        self.screenshot = self.sight.screenshot
        self.raw_screenshot = self.sight.raw_screenshot
        self.dump = self.sight.dump
        self.faults = Faults(self.files, self.dump)
        self.snapshots = Snapshots(self.files, self._parts(), self.changed)
        self.on_shutdown: list[Callable[[], object]] = []
        self.on_reboot: list[Callable[[], object]] = []
        self._version = 1
        self._moment: tuple[int, Toast | None, Notification | None, int, int] | None = None
        self._watch()
        self._boot()

    def _parts(self) -> dict[str, Part]:
        return {
            "clock": self.clock,
            "log": self.log,
            "props": self.props,
            "settings": self.settings,
            "locales": self.locales,
            "processes": self.proc,
            "power": self.power,
            "telephony": self.telephony,
            "radios": self.radios,
            "hardware": self.hardware,
            "clipboard": self.clipboard,
            "packages": self.packages,
            "permissions": self.permissions,
            "defaults": self.defaults,
            "activities": self.activities,
            "ime": self.ime,
            "notifications": self.notifications,
            "shade": self.shade,
            "keyguard": self.keyguard,
            "windows": self.windows,
            "events": self.events,
            "faults": self.faults,
            "accessibility": self.accessibility_services,  # last: it looks at all of the phone
        }

    def restart(self) -> None:
        """Start Android anew, as `setprop ctl.restart zygote` does: languages are read again."""
        restart(self, ALWAYS_ON)

    def _watch(self) -> None:
        self.settings.on_change = self.changed
        self.settings.watch("system", "screen_brightness", self.power.brightened)
        self.props.watch("debug.clock.frozen", self._freeze)
        self.props.watch("persist.sys.timezone", self._move)

    def _boot(self) -> None:
        load_commands()
        launch.install(self.files)
        procfs.mount(self)
        self.packages.install_all()
        for name in ALWAYS_ON:
            self.proc.start(name, self.packages[name].uid)
        self.log.system("I", "SystemServiceManager", "Starting phase 1000")
        self.activities.home()
        self.snapshots.save(BOOTED)

    def _freeze(self, value: str) -> None:
        (self.clock.freeze if value in ("1", "true") else self.clock.thaw)()

    def _move(self, zone: str) -> None:
        self.clock.timezone = zone
        told = Intent("android.intent.action.TIMEZONE_CHANGED", extras={"time-zone": zone})
        self.activities.broadcast(told)
        self.changed()

    # What is seen.

    @property
    def version(self) -> int:
        """A number that rises whenever what is on the screen may have changed."""
        self.notice_time()
        return self._version

    def notice_time(self) -> None:
        """Let what changes on the screen by time alone count as a change."""
        top = self.activities.top.activity
        seconds = int(self.clock.time())
        time = seconds if top.refresh else seconds // 60
        passing = self.windows.toast(), self.notifications.announced()
        moment = time, *passing, wallpaper.stamp(self.files), self.keyguard.waiting()
        if moment != self._moment:
            self._moment = moment
            self.changed()

    def changed(self) -> None:
        """Say that something changed, so that the screen is built anew."""
        self._version += 1
        self.windows.forget()
        self.events.stir()

    @property
    def accessibility(self) -> Screen:
        """What accessibility sees now: the nodes of all windows."""
        return self.sight.accessibility

    def t(self, english: str, **values: object) -> str:
        """Give a text of the system's in the phone's language."""
        return self.packages.app("android").t(english, **values)

    def time_text(self) -> str:
        """Give the time of day as the status bar shows it."""
        return self.locales.current.clock(self.clock.now(), long_clock=self.long_clock)

    @property
    def long_clock(self) -> bool:
        """Whether hours go up to 24: as the user chose, or as is the custom of the place."""
        chosen = self.settings.text("system", "time_12_24")
        return chosen == "24" if chosen else self.locales.current.long_clock

    # What is done.

    def tap(self, x: float, y: float) -> None:
        """Tap the screen."""
        with self.windows.watched():
            self.gestures.tap(int(x), int(y))

    def long_press(self, x: float, y: float) -> None:
        """Hold a finger on the screen."""
        with self.windows.watched():
            self.gestures.long_press(int(x), int(y))

    def swipe(self, x1: float, y1: float, x2: float, y2: float, milliseconds: int = 300) -> None:
        """Move a finger over the screen."""
        with self.windows.watched():
            self.gestures.swipe(int(x1), int(y1), int(x2), int(y2), milliseconds)

    def pinch(self, x: float, y: float, scale: float) -> None:
        """Move two fingers around a point apart (`scale` above 1) or together."""
        with self.windows.watched():
            self.gestures.pinch(int(x), int(y), scale)

    def key(self, word: str | int, meta: int = 0) -> None:
        """Press a key, by name or code."""
        with self.windows.watched():
            self.keys.press(key(word, meta))

    def type_text(self, text: str) -> None:
        """Type on the virtual keyboard; ValueError, nothing being typed, if it lacks a key."""
        if not typeable(text):
            raise ValueError("Attempt to get length of null array")
        if self.keyguard.takes_keys:
            for letter in text:
                self.key("ENTER") if letter == "\n" else self.keyguard.press(letter)
            return
        if self.ime.typed(text):
            return
        for run in split_keys(text):
            if run in ("\n", "\t"):
                self.key("ENTER" if run == "\n" else "TAB")
            else:
                with self.windows.watched(by_keys=True):
                    self.clock.input_happened()
                    self.ime.commit(run)

    def processes(self) -> list[Process]:
        """Give the process table."""
        return self.proc.list()

    def set_booting(self, booting: bool) -> None:
        """Say that services are not there yet, or are from now on."""
        self.booting = booting
        self.props.set("sys.boot_completed", "" if booting else "1")
        self.props.set("init.svc.bootanim", "running" if booting else "stopped")

    def reboot(self) -> None:
        """Switch off and on again: what is only in memory is lost."""
        wallpaper.load(self.files)
        reboot(self)

    def shutdown(self) -> None:
        """Switch off: whoever wants to know is told."""
        for told in self.on_shutdown:
            told()
