"""System properties: what getprop tells, and the rules that setprop keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

LIMIT = 92  # bytes of a value, with its final zero
BUILD = "UE1A.230829.050"
FINGERPRINT = f"google/sdk_gphone64_x86_64/emu64xa:14/{BUILD}/12077443:userdebug/dev-keys"
BUILT = {
    "dalvik.vm.heapsize": "512m",
    "dev.bootcomplete": "1",
    "gsm.operator.alpha": "T-Mobile",
    "gsm.operator.numeric": "310260",
    "gsm.sim.state": "LOADED",
    "init.svc.adbd": "running",
    "init.svc.bootanim": "stopped",
    "init.svc.zygote": "running",
    "persist.sys.locale": "en-US",
    "persist.sys.timezone": "UTC",
    "qemu.hw.mainkeys": "0",
    "ro.adb.secure": "0",
    "ro.board.platform": "",
    "ro.boot.hardware": "ranchu",
    "ro.boot.qemu": "1",
    "ro.boot.serialno": "EMULATOR34X2X19X0",
    "ro.bootmode": "unknown",
    "ro.build.characteristics": "emulator",
    "ro.build.date": "Tue Jun 18 05:26:22 UTC 2024",
    "ro.build.date.utc": "1718688382",
    "ro.build.display.id": f"sdk_gphone64_x86_64-userdebug 14 {BUILD} 12077443 dev-keys",
    "ro.build.fingerprint": FINGERPRINT,
    "ro.build.flavor": "sdk_gphone64_x86_64-userdebug",
    "ro.build.id": BUILD,
    "ro.build.product": "emu64xa",
    "ro.build.tags": "dev-keys",
    "ro.build.type": "userdebug",
    "ro.build.version.all_codenames": "REL",
    "ro.build.version.codename": "REL",
    "ro.build.version.incremental": "12077443",
    "ro.build.version.release": "14",
    "ro.build.version.release_or_codename": "14",
    "ro.build.version.sdk": "34",
    "ro.build.version.security_patch": "2023-09-05",
    "ro.crypto.state": "encrypted",
    "ro.debuggable": "1",
    "ro.hardware": "ranchu",
    "ro.hardware.egl": "emulation",
    "ro.kernel.qemu": "1",
    "ro.opengles.version": "196609",
    "ro.product.board": "goldfish_x86_64",
    "ro.product.brand": "google",
    "ro.product.build.version.sdk": "34",
    "ro.product.cpu.abi": "x86_64",
    "ro.product.cpu.abilist": "x86_64,arm64-v8a",
    "ro.product.cpu.abilist64": "x86_64,arm64-v8a",
    "ro.product.cpu.abilist32": "",
    "ro.product.device": "emu64xa",
    "ro.product.first_api_level": "34",
    "ro.product.locale": "en-US",
    "ro.product.manufacturer": "Google",
    "ro.product.model": "sdk_gphone64_x86_64",
    "ro.product.name": "sdk_gphone64_x86_64",
    "ro.secure": "1",
    "ro.serialno": "EMULATOR34X2X19X0",
    "ro.sf.lcd_density": "420",
    "ro.system.build.version.sdk": "34",
    "ro.vendor.build.version.sdk": "34",
    "ro.zygote": "zygote64",
    "service.adb.root": "0",
    "service.bootanim.exit": "1",
    "sys.boot_completed": "1",
    "sys.usb.config": "adb",
    "sys.usb.state": "adb",
    "vendor.qemu.sf.fake_camera": "back",
    "wifi.interface": "wlan0",
}

Watcher = Callable[[str], None]


class Properties(Mapping[str, str]):
    """Names and values; a watcher is told of every change of its property."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._values = {**BUILT, **given}
        self._watchers: dict[str, Watcher] = {}

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def watch(self, name: str, watcher: Watcher) -> None:
        """Tell `watcher` the value whenever the property is set."""
        self._watchers[name] = watcher

    def set(self, name: str, value: str) -> None:
        """Set a property, as init does; ValueError, in setprop's words, if it may not be."""
        if problem := refusal(name, value):
            raise ValueError(problem)
        if name.startswith("ro."):
            raise ValueError(f"Failed to set property '{name}' to '{value}'.\n{HINT}")
        self._values[name] = value
        if name in self._watchers:
            self._watchers[name](value)

    def save(self) -> dict[str, str]:
        """Give every property."""
        return self._values

    def load(self, saved: dict[str, Any]) -> None:
        """Take the properties back; nobody is told, as all of the phone goes back."""
        self._values = saved


HINT = "See dmesg for error reason."


def refusal(name: str, value: str) -> str | None:
    """Say why a name or value is not legal."""
    if name.startswith(".") or name.endswith("."):
        return "Property names must not start or end with a '.'"
    if ".." in name:
        return "'..' is not allowed in a property name"
    if wrong := re.search(r"[^A-Za-z0-9_.\-@:]", name):
        return f"Invalid character '{wrong[0]}' in name '{name}'"
    size = len(value.encode())
    if size >= LIMIT and not name.startswith("ro."):
        return f"Value '{value}' is too long, {size} bytes vs a max of {LIMIT - 1}"
    return None
