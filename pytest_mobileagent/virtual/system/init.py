"""Init, the first process: boots, restarts and shuts down Android."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.content.intent import Intent
from pytest_mobileagent.virtual.kernel.properties import BUILT

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.kernel.properties import Properties
    from pytest_mobileagent.virtual.system.accessibility.events import Events
    from pytest_mobileagent.virtual.system.accessibility.services import AccessibilityServices
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.configuration import Locales
    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.input.ime import Clipboard, InputMethods
    from pytest_mobileagent.virtual.system.ipc import Broadcasts
    from pytest_mobileagent.virtual.system.notifications import Notifications, Shade
    from pytest_mobileagent.virtual.system.packages.packages import Packages
    from pytest_mobileagent.virtual.system.telephony import Telephony
    from pytest_mobileagent.virtual.system.windows import Windows


ALWAYS_ON: Final = ("com.android.systemui", "com.google.android.inputmethod.latin")
BUFFERS = {"main", "system", "crash", "events", "radio", "kernel"}
LASTING = ("persist.", "ro.", "gsm.", "debug.clock.")  # properties that survive a reboot


@dataclass(eq=False)
class Init:
    """Boots, reboots and shuts down the phone, and notifies connected clients."""

    clock: Clock
    log: Log
    props: Properties
    locales: Locales
    proc: ProcessTable
    clipboard: Clipboard
    power: Power
    packages: Packages
    broadcasts: Broadcasts
    accessibility_services: AccessibilityServices
    ime: InputMethods
    activities: Activities
    notifications: Notifications
    shade: Shade
    windows: Windows
    events: Events
    telephony: Telephony
    on_shutdown: list[Callable[[], object]] = field(default_factory=list)
    on_reboot: list[Callable[[], object]] = field(default_factory=list)
    booting: bool = False

    def boot(self) -> None:
        """Boot for the first time, which installs the apps."""
        self.packages.install_all()
        self._start()

    def restart(self) -> None:
        """Restart Android, as `setprop ctl.restart zygote` does; languages are loaded again.

        Every app ends; files and properties are kept.
        """
        for package in self.packages.names():
            self.proc.stop(package)
        self.activities.tasks.clear()
        self.notifications.load({**self.notifications.save(), "posted": {}, "announced": ""})
        self.shade.open = False
        self.ime.hide()
        self.log.system("I", "SystemServer", "Entered the Android system server!")
        self.locales.start()
        self._start()

    def _start(self) -> None:
        for package in ALWAYS_ON:
            if package in self.packages:
                self.proc.start(package, self.packages[package].uid)
        self.activities.home()
        self.log.system("I", "SystemServiceManager", "Starting phase 1000")

    def reboot(self) -> None:
        """Reboot, which takes no time here; state that is only in memory is lost."""
        self.log.clear(BUFFERS)
        self.clipboard.text = ""
        self.telephony.load({"call": None})
        self.windows.load({"toast": None})
        lasting = {name: value for name, value in self.props.items() if name.startswith(LASTING)}
        self.props.load({**BUILT, **lasting})
        self.clock.load({**self.clock.save(), "uptime": 0.0})
        self.power.wake()
        self.restart()
        self.events.forget()
        self.accessibility_services.load({})
        self.broadcasts.send(Intent("android.intent.action.BOOT_COMPLETED"))
        for told in self.on_reboot:
            told()

    def shutdown(self) -> None:
        """Switch off and notify those who registered for it."""
        for told in self.on_shutdown:
            told()

    def set_booting(self, booting: bool) -> None:
        """Mark the phone as still booting, or as booted."""
        self.booting = booting
        self.props.set("sys.boot_completed", "" if booting else "1")
        self.props.set("init.svc.bootanim", "running" if booting else "stopped")
