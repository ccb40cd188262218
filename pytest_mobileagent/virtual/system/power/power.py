"""The screen's state and the battery."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log


BRIGHTEST = 255


@dataclass(frozen=True, slots=True)
class Battery:
    """What the battery service tells."""

    ac: bool = False
    usb: bool = False
    wireless: bool = False
    dock: bool = False
    status: int = 4  # 2 charging, 3 discharging, 4 not charging, 5 full
    health: int = 2
    present: bool = True
    level: int = 100
    temperature: int = 250
    forced: bool = False  # by dumpsys or the emulator's console


class Power:
    """Awake or asleep; the phone does not fall asleep by itself, as on the emulator's charger."""

    def __init__(self, log: Log, changes: Changes, settings: Settings) -> None:
        self._log = log
        self._changes = changes
        self._settings = settings
        settings.watch("system", "screen_brightness", self._brightened)
        self.awake = True
        self.on_sleep: Callable[[], object] = lambda: None
        self.battery = Battery()

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
        """Do what the power button does."""
        self._turn(on=not self.awake)

    def set_battery(self, **values: Any) -> None:
        """Change what the battery service tells."""
        self.battery = replace(self.battery, **values)
        self._changes.note()

    @property
    def charging(self) -> bool:
        """Whether power comes in."""
        battery = self.battery
        return battery.ac or battery.usb or battery.wireless or battery.dock

    def adjust_brightness(self, step: int) -> None:
        """Make the screen brighter or darker."""
        now = int(self._settings.text("system", "screen_brightness", "102"))
        self.set_brightness(now + step)

    def set_brightness(self, level: float) -> None:
        """Set how bright the screen is, from 1 to 255."""
        level = min(max(round(level), 1), BRIGHTEST)
        self._settings.put("system", "screen_brightness", str(level))

    def _brightened(self, level: str) -> None:
        """Take up a brightness that was set."""
        line = (
            f"Brightness [{int(level) / BRIGHTEST:.2f}] reason changing to: 'manual',"
            " previous reason: 'manual'."
        )
        self._log.system("V", "DisplayPowerController", line)

    def _turn(self, *, on: bool) -> None:
        if on == self.awake:
            return
        self.awake = on
        if not on:
            self.on_sleep()
        words = "Waking up from sleep" if on else "Going to sleep due to power_button"
        self._log.system("I", "PowerManagerService", f"{words} (uid 1000)...")
        self._changes.note()

    def save(self) -> dict[str, Any]:
        """Give all of it."""
        return {"awake": self.awake, "battery": asdict(self.battery)}

    def load(self, saved: dict[str, Any]) -> None:
        """Take it back."""
        self.awake, self.battery = saved["awake"], Battery(**saved["battery"])
