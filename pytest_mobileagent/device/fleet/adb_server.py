"""What keeps an adb server of our own apart from the user's."""

from __future__ import annotations

# Variables with which it looks for no device, and ends for nobody.
ALONE = {
    "ADB_MDNS": "0",
    "ADB_MDNS_OPENSCREEN": "0",
    "ADB_USB": "0",
    "ADB_LIBUSB": "0",
    "ADB_EMU": "0",
    "ADB_REJECT_KILL_SERVER": "1",
}
