"""The screen's state and the battery."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots.kept import Kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log


BRIGHTEST = 255


@dataclass(frozen=True, slots=True)
class Battery:
    """The state that the battery service reports."""

    ac: bool = False
    usb: bool = False
    wireless: bool = False
    dock: bool = False
    status: int = 4  # 2 charging, 3 discharging, 4 not charging, 5 full
    health: int = 2
    present: bool = True
    level: int = 100
    temperature: int = 250
    forced: bool = False  # set by dumpsys or the emulator's console


@dataclass(eq=False)
class Power(Kept):
    """Awake or asleep; the phone never falls asleep by itself, like an emulator on its charger."""

    KEPT = ("awake", "battery")

    log: Log
    changes: Changes
    settings: Settings
    awake: bool = True
    on_sleep: Callable[[], object] = lambda: None
    battery: Battery = Battery()

    def __post_init__(self) -> None:
        """Watch the brightness setting."""
        self.settings.watch("system", "screen_brightness", self._brightened)

    @property
    def level(self) -> int:
        """The battery's charge in percent."""
        return self.battery.level

    def wake(self) -> None:
        """Turn the screen on."""
        self._turn(on=True)

    def sleep(self) -> None:
        """Turn the screen off."""
        self._turn(on=False)

    def toggle(self) -> None:
        """Turn the screen on or off, as the power button does."""
        self._turn(on=not self.awake)

    def set_battery(self, **values: Any) -> None:
        """Change the state that the battery service reports."""
        self.battery = replace(self.battery, **values)
        self.changes.note()

    @property
    def charging(self) -> bool:
        """Whether the phone is connected to power."""
        battery = self.battery
        return battery.ac or battery.usb or battery.wireless or battery.dock

    def adjust_brightness(self, step: int) -> None:
        """Make the screen brighter or darker."""
        now = int(self.settings.text("system", "screen_brightness", "102"))
        self.set_brightness(now + step)

    def set_brightness(self, level: float) -> None:
        """Set the brightness of the screen, from 1 to 255."""
        level = min(max(round(level), 1), BRIGHTEST)
        self.settings.put("system", "screen_brightness", str(level))

    def _brightened(self, level: str) -> None:
        """Log a brightness that was set."""
        line = (
            f"Brightness [{int(level) / BRIGHTEST:.2f}] reason changing to: 'manual',"
            " previous reason: 'manual'."
        )
        self.log.system("V", "DisplayPowerController", line)

    def _turn(self, *, on: bool) -> None:
        if on == self.awake:
            return
        self.awake = on
        if not on:
            self.on_sleep()
        words = "Waking up from sleep" if on else "Going to sleep due to power_button"
        self.log.system("I", "PowerManagerService", f"{words} (uid 1000)...")
        self.changes.note()
