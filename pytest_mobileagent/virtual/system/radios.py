"""The radios, and the settings, broadcasts and log lines that follow when one is switched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import AIRPLANE_MODE, Intent
from pytest_mobileagent.virtual.snapshots.kept import Kept

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log
    from pytest_mobileagent.virtual.kernel.processes import ProcessTable
    from pytest_mobileagent.virtual.system.broadcasts import Broadcasts

SETTINGS, SETTINGS_UID = "com.android.settings", 1000
TELEPHONY = "com.android.phone"
# Values of Settings.Global.WIFI_ON besides 0 and 1.
ON_IN_AIRPLANE_MODE, OFF_BY_AIRPLANE_MODE = "2", "3"


@dataclass(eq=False)
class Radios(Kept):
    """Switched by Android's services; of the settings, only that for mobile data has an effect."""

    KEPT = ("wifi", "bluetooth", "airplane", "torch")

    log: Log
    changes: Changes
    settings: Settings
    proc: ProcessTable
    broadcasts: Broadcasts
    wifi: bool = True  # implies that it is connected
    bluetooth: bool = True
    airplane: bool = False
    torch: bool = False  # whether the flashlight is on

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
        state = 12 if on else 10
        self._tell("android.bluetooth.adapter.action.STATE_CHANGED", state=state)

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

    def _turn(self, **switches: bool) -> None:
        vars(self).update(switches)
        self.changes.note()

    def _tell(self, action: str, **extras: Any) -> None:
        self.broadcasts.send(Intent(action, extras=extras))
