"""The phone's hardware: screen and battery, sensors, audio and radios."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import AIRPLANE_MODE, Intent
from pytest_mobileagent.virtual.snapshots import Kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.system.configuration import Display
    from pytest_mobileagent.virtual.system.ipc import Broadcasts


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
        """Log a brightness that was set, rather than deleted."""
        if level:
            reasons = "reason changing to: 'manual', previous reason: 'manual'."
            line = f"Brightness [{int(level) / BRIGHTEST:.2f}] {reasons}"
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


GRAVITY = 9.81


@dataclass(frozen=True, slots=True)
class Fix:
    """A position as GPS reports it: degrees, metres, knots."""

    longitude: float = -122.084
    latitude: float = 37.421998
    altitude: float = 5.0
    satellites: int = 1
    velocity: float = 0.0
    uptime: float = 0.0  # when the position was determined


@dataclass(eq=False)
class Hardware(Kept):
    """The phone's physical state, which the console controls."""

    KEPT = ("turns", "fix")

    changes: Changes
    display: Display
    turns: int = 0  # quarter turns, counter-clockwise
    fix: Fix = Fix()

    @property
    def acceleration(self) -> tuple[float, float]:
        """The gravity that the accelerometer measures along the x (right) and y (top) axes."""
        return ((0.0, GRAVITY), (GRAVITY, 0.0), (0.0, -GRAVITY), (-GRAVITY, 0.0))[self.turns]

    def rotate(self) -> None:
        """Turn the phone a quarter turn clockwise; the display follows if auto-rotate is on."""
        self.turns = (self.turns - 1) % 4
        self.display.turned(self.turns)
        self.changes.note()

    def locate(self, fix: Fix) -> None:
        """Set the phone's position."""
        self.fix = fix
        self.changes.note()

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the state; the display is rotated to match."""
        super().load(saved)
        self.display.turned(self.turns)


@dataclass(frozen=True, slots=True)
class Stream:
    """An audio stream: its number, Android's name for it, its setting and its range."""

    number: int
    name: str
    setting: str
    low: int
    high: int


STREAMS = (
    Stream(0, "STREAM_VOICE_CALL", "volume_voice", 1, 5),
    Stream(1, "STREAM_SYSTEM", "volume_system", 0, 7),
    Stream(2, "STREAM_RING", "volume_ring", 0, 7),
    Stream(3, "STREAM_MUSIC", "volume_music", 0, 15),
    Stream(4, "STREAM_ALARM", "volume_alarm", 1, 7),
    Stream(5, "STREAM_NOTIFICATION", "volume_notification", 0, 7),
)
MUSIC = STREAMS[3]
DEFAULT = 5


def stream(number: int) -> Stream:
    """Return a stream by its number; StopIteration if there is none."""
    return next(each for each in STREAMS if each.number == number)


@dataclass(eq=False)
class Audio:
    """Reads and sets volumes."""

    log: Log
    settings: Settings
    proc: ProcessTable

    def volume(self, of: Stream) -> int:
        """Return a stream's volume."""
        return int(self.settings.text("system", of.setting, str(DEFAULT)))

    def set(self, of: Stream, index: int) -> None:
        """Set a stream's volume, limited to its range."""
        index = min(max(index, of.low), of.high)
        self.settings.put("system", of.setting, str(index))
        line = f"writeEvent level_changed {of.name} {index}"
        self.log.write("I", "vol.Events", line, pid=self.proc.pid("com.android.systemui"))

    def adjust(self, step: int) -> None:
        """Change the music volume, as a volume key does."""
        self.set(MUSIC, self.volume(MUSIC) + step)

    def mute(self) -> None:
        """Mute the music."""
        self.set(MUSIC, 0)


SETTINGS, SETTINGS_UID = "com.android.settings", 1000
TELEPHONY = "com.android.phone"
# Values of Settings.Global.WIFI_ON besides 0 and 1.
ON_IN_AIRPLANE_MODE, OFF_BY_AIRPLANE_MODE = "2", "3"


@dataclass(eq=False)
class Radios(Kept):
    """Switched by Android's services; of the settings, only that for mobile data has an effect."""

    KEPT = ("wifi", "bluetooth", "airplane", "torch", "data_saver")

    log: Log
    changes: Changes
    settings: Settings
    proc: ProcessTable
    broadcasts: Broadcasts
    wifi: bool = True  # implies that it is connected
    bluetooth: bool = True
    airplane: bool = False
    torch: bool = False  # whether the flashlight is on
    data_saver: bool = False  # whether apps in the background are kept from mobile data

    def __post_init__(self) -> None:
        """Register for the broadcast about airplane mode."""
        self.broadcasts.receive(AIRPLANE_MODE, self.follow_airplane_mode)

    @property
    def data(self) -> bool:
        """Whether mobile data is switched on."""
        return self.settings.on("global", "mobile_data")

    @property
    def online(self) -> bool:
        """Whether the internet can be reached."""
        return self.wifi or (self.data and not self.airplane)

    def set_wifi(self, on: bool, *, package: str = SETTINGS, uid: int = SETTINGS_UID) -> None:
        """Switch Wi-Fi, which is possible in airplane mode too."""
        line = f"setWifiEnabled package={package} uid={uid} enable={str(on).lower()}"
        self.log.system("I", "WifiService", line)
        self._turn(wifi=on)
        value = ON_IN_AIRPLANE_MODE if on and self.airplane else str(int(on))
        self.settings.put("global", "wifi_on", value)
        state = {"wifi_state": 3 if on else 1, "previous_wifi_state": 1 if on else 3}
        self._tell("android.net.wifi.WIFI_STATE_CHANGED", **state)

    def set_bluetooth(self, on: bool) -> None:
        """Switch Bluetooth."""
        self._turn(bluetooth=on)
        self.settings.put("global", "bluetooth_on", str(int(on)))
        self._tell("android.bluetooth.adapter.action.STATE_CHANGED", state=12 if on else 10)

    def set_data(self, on: bool) -> None:
        """Switch mobile data."""
        self.settings.put("global", "mobile_data", str(int(on)))

    def set_airplane(self, on: bool) -> None:
        """Switch airplane mode, and the other radios accordingly."""
        self.settings.put("global", "airplane_mode_on", str(int(on)))
        self._tell(AIRPLANE_MODE, state=on)

    def follow_airplane_mode(self) -> None:
        """Apply the setting, as the radios do when they receive the broadcast."""
        settings = self.settings
        on = settings.on("global", "airplane_mode_on")
        if on == self.airplane:
            return
        self._turn(airplane=on)
        words = "Turning radio off - airplane" if on else "Turning radio on - airplane"
        self.log.write("I", "PhoneGlobals", words, pid=self.proc.pid(TELEPHONY))
        if on:
            if self.wifi:
                settings.put("global", "wifi_on", OFF_BY_AIRPLANE_MODE)
            self._turn(wifi=False, bluetooth=False)
        else:
            wifi = settings.text("global", "wifi_on") != "0"
            settings.put("global", "wifi_on", str(int(wifi)))
            self._turn(wifi=wifi, bluetooth=settings.on("global", "bluetooth_on"))

    def set_torch(self, on: bool) -> None:
        """Switch the flashlight on or off."""
        self._turn(torch=on)

    def set_data_saver(self, on: bool) -> None:
        """Switch Data Saver, which the network policy keeps, not the settings."""
        self._turn(data_saver=on)

    def _turn(self, **switches: bool) -> None:
        vars(self).update(switches)
        self.changes.note()

    def _tell(self, action: str, **extras: Any) -> None:
        self.broadcasts.send(Intent(action, extras=extras))
