"""The phone: its services assembled, and the operations on it from outside."""

from __future__ import annotations

import inspect
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, get_type_hints

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.content.settings import Settings
from pytest_mobileagent.virtual.faults import Faults
from pytest_mobileagent.virtual.kernel.changes import Changes
from pytest_mobileagent.virtual.kernel.clock import Clock
from pytest_mobileagent.virtual.kernel.files import FileSystem
from pytest_mobileagent.virtual.kernel.log import DropBox, Log
from pytest_mobileagent.virtual.kernel.processes import ProcessTable, Procfs, Sockets
from pytest_mobileagent.virtual.kernel.properties import Properties
from pytest_mobileagent.virtual.snapshots import Part, Snapshots
from pytest_mobileagent.virtual.system.accessibility.events import Events
from pytest_mobileagent.virtual.system.accessibility.services import (
    AccessibilityServices,
    UiAutomation,
)
from pytest_mobileagent.virtual.system.activities import Activities
from pytest_mobileagent.virtual.system.capture import Sight
from pytest_mobileagent.virtual.system.configuration import Display, Locales
from pytest_mobileagent.virtual.system.hardware import Audio, Hardware, Power, Radios
from pytest_mobileagent.virtual.system.init import Init
from pytest_mobileagent.virtual.system.input.dispatcher import Dispatcher, Finger, Touchscreen
from pytest_mobileagent.virtual.system.input.gestures import Gestures
from pytest_mobileagent.virtual.system.input.ime import Clipboard, InputMethods
from pytest_mobileagent.virtual.system.input.keys import Keys
from pytest_mobileagent.virtual.system.ipc import Broadcasts, Resolver
from pytest_mobileagent.virtual.system.keyguard import Keyguard
from pytest_mobileagent.virtual.system.notifications import Notifications, Shade
from pytest_mobileagent.virtual.system.packages.installer import Installer
from pytest_mobileagent.virtual.system.packages.packages import Packages
from pytest_mobileagent.virtual.system.packages.permissions import Defaults, Permissions
from pytest_mobileagent.virtual.system.telephony import Telephony
from pytest_mobileagent.virtual.system.windows import Windows
from pytest_mobileagent.virtual.systemui.scenes import Scenes
from pytest_mobileagent.virtual.systemui.system_ui import SystemUi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.system.accessibility.nodes import Screen

BOOTED = "default_boot"  # the snapshot taken when the phone has booted


class Phone:
    """A phone with the given apps, off until it is started. All of it is synchronous.

    The attributes list its services in the order in which they are built and restored. Each service
    is built from the earlier services that its constructor's parameters name; if an earlier service
    needs a later one, the later one is passed to its `link` method afterwards. Services that can
    save and load are part of snapshots.
    """

    clock: Clock
    files: FileSystem
    props: Properties
    log: Log
    drop_box: DropBox
    proc: ProcessTable
    procfs: Procfs
    sockets: Sockets
    changes: Changes
    settings: Settings
    display: Display
    locales: Locales
    clipboard: Clipboard
    audio: Audio
    power: Power
    hardware: Hardware
    faults: Faults
    packages: Packages
    installer: Installer
    permissions: Permissions
    defaults: Defaults
    resolver: Resolver
    broadcasts: Broadcasts
    radios: Radios
    ime: InputMethods
    activities: Activities
    telephony: Telephony
    notifications: Notifications
    shade: Shade
    keyguard: Keyguard
    windows: Windows
    system_ui: SystemUi
    scenes: Scenes
    sight: Sight
    events: Events
    keys: Keys
    gestures: Gestures
    dispatcher: Dispatcher
    finger: Finger
    touchscreen: Touchscreen
    ui_automation: UiAutomation
    accessibility_services: AccessibilityServices  # last: these may use all others
    init: Init

    def __init__(
        self,
        apps: Iterable[type[App]],
        *,
        avd_name: str = "virtual",
        time: datetime | None = None,
        frozen: bool = False,
        size: tuple[int, int] = (1080, 2400),
        density: int = 420,
        props: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.avd_name = avd_name
        about = {"ro.boot.qemu.avd_name": avd_name, "ro.sf.lcd_density": str(density)}
        self.props = Properties({"debug.clock.frozen": str(int(frozen)), **about, **props})
        self.clock = Clock(time, frozen=frozen, timezone=self.props["persist.sys.timezone"])
        self.files = FileSystem(self.clock.time)
        self._build({"context": self, "apps": apps, "size": size, "density": density})
        self.snapshots = Snapshots(self.files, self.parts(), self.changes.note)
        self.changed = self.changes.note
        self.screenshot, self.raw_screenshot = self.sight.screenshot, self.sight.raw_screenshot
        self.dump = self.sight.dump
        self.tap, self.long_press = self.gestures.tap, self.gestures.long_press
        self.swipe, self.pinch = self.gestures.swipe, self.gestures.pinch
        self.key, self.type_text = self.dispatcher.key, self.dispatcher.type_text
        self.restart, self.reboot = self.init.restart, self.init.reboot
        self.props.watch("debug.clock.frozen", self._freeze)
        self.props.watch("persist.sys.timezone", self._move)

    def _build(self, given: Mapping[str, object]) -> None:
        """Build each service from those it names, then link those that need a later one."""
        made = {**given, **vars(self)}
        for name, kind in services().items():
            if name not in made:
                made[name] = kind(**{each: made[each] for each in needs(kind)})
                setattr(self, name, made[name])
        for name, kind in services().items():
            if link := getattr(kind, "link", None):
                link(made[name], **{each: made[each] for each in needs(link)})

    def parts(self) -> dict[str, Part]:
        """Return the services that are part of snapshots."""
        made = {name: vars(self)[name] for name in services()}
        return {name: part for name, part in made.items() if isinstance(part, Part)}

    def start(self) -> None:
        """Switch the phone on for the first time: install its apps and show the home screen."""
        self.init.boot()
        self.snapshots.save(BOOTED)

    def _freeze(self, value: str) -> None:
        (self.clock.freeze if value in ("1", "true") else self.clock.thaw)()

    def _move(self, zone: str) -> None:
        self.clock.timezone = zone
        told = Intent("android.intent.action.TIMEZONE_CHANGED", extras={"time-zone": zone})
        self.broadcasts.send(told)

    @property
    def launcher(self) -> str:
        """The package of the home screen."""
        return self.activities.launcher

    @property
    def version(self) -> int:
        """A number that increases whenever the screen may have changed."""
        return self.changes.version

    @property
    def accessibility(self) -> Screen:
        """What accessibility sees now: the nodes of all windows."""
        return self.sight.accessibility


@cache
def services() -> dict[str, type]:
    """Return the classes of a phone's services, in order."""
    return get_type_hints(Phone)


@cache
def needs(made: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of the required parameters of a class or method."""
    given = inspect.signature(made).parameters.values()
    varied = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    wanted = [each for each in given if each.default is each.empty and each.kind not in varied]
    return tuple(each.name for each in wanted if each.name != "self")
