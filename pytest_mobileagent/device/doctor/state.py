"""Checks of a device's state, which change nothing on it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.finding import Doubtful, Unwell
from pytest_mobileagent.device.drivers.adb.listener import PACKAGE as LISTENER
from pytest_mobileagent.device.health import LOCK, POWER, ROOM, free_mb, is_locked, wakefulness

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device

_ROOM_MB = 300
_CLOCK_SECONDS = 3600.0
_SCALES = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
UNICODE_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
UNICODE_REMEDY = (
    "install the app ADBKeyboard (github.com/senzhk/ADBKeyBoard), or use Appium's driver"
)


def answers(device: Device) -> str:
    """Commands reach the device, and their output comes back."""
    started = time.monotonic()
    said = system_of(device).shell("echo here").strip()
    if said != "here":
        msg = f"`echo here` came back as {said[:100]!r}"
        raise Unwell(msg, "reconnect the device; `adb kill-server` helps when adb is confused")
    return f"a shell command takes {1000 * (time.monotonic() - started):.0f} ms"


def awake(device: Device) -> str:
    """The screen is on: what is dark shows nothing and takes no touches."""
    state = wakefulness(system_of(device).shell(POWER))
    if not state:
        raise Doubtful(
            "`dumpsys power` does not say whether the screen is on", "look at the device"
        )
    if state != "Awake":
        msg = f"the screen is off ({state})"
        raise Unwell(
            msg, "`adb shell input keyevent WAKEUP`, and `adb shell svc power stayon true`"
        )
    return "the screen is on"


def unlocked(device: Device) -> str:
    """No lock screen stands in front of the apps."""
    if is_locked(system_of(device).shell(LOCK)):
        remedy = "unlock it, and set Settings → Security → Screen lock to None"
        raise Unwell("the lock screen is shown", remedy)
    return "no lock screen"


def root(device: Device) -> str:
    """The shell is root's: databases and preferences of apps can be read by nobody else."""
    user = system_of(device).shell("id -u").strip()
    if user != "0":
        msg = f"the shell is that of user {user[:20]}: databases of apps cannot be read"
        remedy = "use an image on which `adb root` works: one with Google APIs, without Google Play"
        raise Doubtful(msg, remedy)
    return "the shell is root's"


def storage(device: Device) -> str:
    """There is room on the data partition."""
    said = system_of(device).shell(ROOM)
    free = free_mb(said)
    if free is None:
        msg = f"`df` says {' '.join(said.split())[:100]!r}"
        raise Doubtful(msg, "look at Settings → Storage")
    if free < _ROOM_MB:
        msg = f"only {free} MB of storage are free"
        raise Unwell(msg, "remove files or apps, or make the AVD with a larger data partition")
    return f"{free} MB of storage are free"


def clock(device: Device) -> str:
    """The clock agrees with this machine's: goals name times, and TLS needs the right day."""
    said = system_of(device).shell("date +%s").strip()
    if not said.isdigit():
        raise Unwell(f"`date +%s` says {said[:100]!r}", "set the device's date")
    apart = abs(int(said) - time.time())
    if apart > _CLOCK_SECONDS:
        msg = f"the device's clock is {apart / 3600:.0f} hours off"
        remedy = (
            "`adb shell date @SECONDS` as root; certificates of web sites may be refused until then"
        )
        raise Doubtful(msg, remedy)
    return f"the clock is {apart:.0f} s off"


def animations(device: Device) -> str:
    """Animations are off: every step waits for those that are not."""
    shell = system_of(device).shell
    values = {name: shell(f"settings get global {name}").strip() for name in _SCALES}
    on = [name for name, value in values.items() if value not in {"0", "0.0"}]
    if on:
        commands = "; ".join(f"settings put global {name} 0" for name in on)
        raise Doubtful(f"animations are on: {', '.join(on)}", f"`adb shell '{commands}'`")
    return "animations are off"


def keyboard(device: Device) -> str:
    """Text beyond ASCII can be typed: `input text` cannot, the app ADBKeyboard can."""
    installed = system_of(device).shell("ime list -a -s").split()
    if UNICODE_KEYBOARD not in installed:
        raise Doubtful("adb cannot type beyond ASCII here", UNICODE_REMEDY)
    return "ADBKeyboard is installed"


def events(device: Device) -> str:
    """Events can be heard: some tasks are decided by them."""
    if "package:" not in system_of(device).shell(f"pm path {LISTENER}"):
        remedy = "install an event listener, see docs/events.md; other tasks need none"
        raise Doubtful(f"the app {LISTENER} is not installed: no events are heard", remedy)
    return "the event listener is installed"


def snapshots(device: Device) -> str:
    """Tasks can start from a snapshot: without, only their own apps are cleared."""
    names = system_of(device).snapshots()
    if not names:
        remedy = "use an emulator, and save one: `adb emu avd snapshot save NAME`"
        raise Doubtful("there are no snapshots: tasks clear their own apps, and no more", remedy)
    return f"snapshots: {', '.join(names)}"
