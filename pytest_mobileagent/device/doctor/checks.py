"""The doctor's checks of a device.

A check returns a string that describes what it saw, or raises `Unwell` or `Doubtful`. It only reads
the device's state and screen; contracts (`device.certify`), which are examined alike, also act.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from pytest_mobileagent.device.device import (
    LOCK,
    PERMIT,
    POWER,
    ROOM,
    free_mb,
    is_locked,
    system_of,
    wakefulness,
)
from pytest_mobileagent.device.drivers.adb.gestures import UNICODE_KEYBOARD
from pytest_mobileagent.device.drivers.adb.streams import PACKAGE as LISTENER
from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import Device


T = TypeVar("T")
Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a report: what was checked, what was seen, and the remedy for a fault.

    A warning concerns only some tasks; a problem breaks episodes.
    """

    check: str
    level: Level
    seen: str
    remedy: str = ""


class Unwell(MobileAgentError):  # noqa: N818 - a finding, not a failure of this package
    """A check found a fault: the message says what was seen, `remedy` what to do about it."""

    level: Level = "problem"

    def __init__(self, seen: str, remedy: str = "") -> None:
        super().__init__(seen)
        self.remedy = remedy


class Doubtful(Unwell):
    """A check found a fault that affects only some tasks."""

    level = "warning"


def examine(name: str, check: Callable[[T], str], on: T) -> Finding:
    """Run one check, and return its finding."""
    try:
        return Finding(name, "ok", check(on))
    except Unwell as finding:
        return Finding(name, finding.level, str(finding), finding.remedy)
    except MobileAgentError as error:
        remedy = "see docs/devices.md, and report it if it persists"
        return Finding(name, "problem", str(error), remedy)


_ROOM_MB = 300
_CLOCK_SECONDS = 3600.0
_SCALES = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
UNICODE_REMEDY = "install ADBKeyboard (github.com/senzhk/ADBKeyBoard), or use Appium's driver"


def answers(device: Device) -> str:
    """Commands reach the device, and their output comes back."""
    started = time.monotonic()
    output = system_of(device).shell("echo here").strip()
    if output != "here":
        msg = f"`echo here` came back as {output[:100]!r}"
        raise Unwell(msg, "reconnect the device; if that does not help, run `adb kill-server`")
    return f"a shell command takes {1000 * (time.monotonic() - started):.0f} ms"


def awake(device: Device) -> str:
    """The screen is on: a dark screen shows nothing and ignores touches."""
    state = wakefulness(system_of(device).shell(POWER))
    if not state:
        seen = "`dumpsys power` does not say whether the screen is on"
        raise Doubtful(seen, "look at the device")
    if state != "Awake":
        remedy = "`adb shell input keyevent WAKEUP`, and `adb shell svc power stayon true`"
        raise Unwell(f"the screen is off ({state})", remedy)
    return "the screen is on"


def unlocked(device: Device) -> str:
    """No lock screen covers the apps."""
    if is_locked(system_of(device).shell(LOCK)):
        remedy = "unlock it, and set Settings → Security → Screen lock to None"
        raise Unwell("a lock screen covers the apps", remedy)
    return "no lock screen"


def root(device: Device) -> str:
    """The shell runs as root: only root can read the databases and preferences of apps."""
    shell = system_of(device).shell
    user = shell("id -u").strip()[:20]
    reads = "read" in shell("ls /data/data >/dev/null 2>&1 && echo read")
    if reads != (user == "0"):
        raise Unwell(f"`id -u` prints {user!r}; that /data/data can be read, is {reads}")
    if not reads:
        msg = f"the shell runs as user {user}, who cannot read the databases of apps"
        remedy = "use an image on which `adb root` works: one with Google APIs, without Google Play"
        raise Doubtful(msg, remedy)
    return "the shell runs as root"


def storage(device: Device) -> str:
    """The data partition has free space."""
    output = system_of(device).shell(ROOM)
    free = free_mb(output)
    if free is None:
        seen = f"`df` prints {' '.join(output.split())[:100]!r}"
        raise Doubtful(seen, "look at Settings → Storage")
    if free < _ROOM_MB:
        remedy = "remove files or apps, or create the AVD with a larger data partition"
        raise Unwell(f"only {free} MB of storage are free", remedy)
    return f"{free} MB of storage are free"


def clock(device: Device) -> str:
    """The clock agrees with this machine's: goals name times, and TLS needs the right day."""
    output = system_of(device).shell("date +%s").strip()
    if not output.isdigit():
        raise Unwell(f"`date +%s` prints {output[:100]!r}", "set the device's date")
    apart = abs(int(output) - time.time())
    if apart > _CLOCK_SECONDS:
        remedy = "run `adb shell date @SECONDS` as root; until then, web sites may be refused"
        raise Doubtful(f"the device's clock is {apart / 3600:.0f} hours off", remedy)
    return f"the clock is {apart:.0f} s off"


def animations(device: Device) -> str:
    """Animations are off: otherwise every step waits for them."""
    shell = system_of(device).shell
    values = {name: shell(f"settings get global {name}").strip() for name in _SCALES}
    on = [name for name, value in values.items() if value not in {"0", "0.0"}]
    if on:
        commands = "; ".join(f"settings put global {name} 0" for name in on)
        raise Doubtful(f"animations are on: {', '.join(on)}", f"`adb shell '{commands}'`")
    return "animations are off"


def keyboard(device: Device) -> str:
    """Text beyond ASCII can be typed: `input text` cannot, the app ADBKeyboard can."""
    output = system_of(device).shell("ime list -a -s")
    if "SecurityException" in output:
        raise Doubtful(f"`ime list` prints {' '.join(output.split())[:200]!r}", PERMIT)
    if UNICODE_KEYBOARD not in output.split():
        raise Doubtful("adb cannot type beyond ASCII here", UNICODE_REMEDY)
    return "ADBKeyboard is installed"


def events(device: Device) -> str:
    """Events can be received: the verdicts of some tasks depend on them."""
    if "package:" not in system_of(device).shell(f"pm path {LISTENER}"):
        remedy = "--install-listener installs it (docs/events.md); tasks without events need none"
        raise Doubtful(f"the app {LISTENER} is not installed: no events are received", remedy)
    return "the event listener is installed"


def snapshots(device: Device) -> str:
    """Tasks can start from a snapshot: without one, only their own apps are cleared."""
    names = system_of(device).snapshots()
    if not names:
        remedy = "use an emulator, and save a snapshot: `adb emu avd snapshot save NAME`"
        raise Doubtful("there are no snapshots: tasks only clear their own apps", remedy)
    return f"snapshots: {', '.join(names)}"


_SLOW_SECONDS = 5.0


def screenshot(device: Device) -> str:
    """The device takes screenshots, which are as large as the screen and not all black."""
    screen = device.observe().screen
    size = "{}x{}".format(*screen.size)
    if sorted(screen.size) != sorted(device.info.size):
        output = "{}x{}".format(*device.info.size)
        remedy = "`adb shell wm size reset`; foldables and second displays are not supported"
        raise Unwell(f"the screenshot has {size} pixels, but the screen has {output}", remedy)
    if screen.image.getextrema() == ((0, 0), (0, 0), (0, 0)):
        remedy = "wake and unlock the device; apps that forbid screenshots are black, too"
        raise Unwell("the screenshot is all black", remedy)
    return f"screenshots of {size} pixels"


def hierarchy(device: Device) -> str:
    """The device returns a view hierarchy, which lies within the screen."""
    started = time.monotonic()
    screen = device.observe().screen
    seconds = time.monotonic() - started
    width, height = screen.size
    seen = [e for e in screen.elements if e.bounds.width and e.bounds.height]
    if not seen:
        raise Unwell("the view hierarchy is empty", "open the launcher; some games have no views")
    off = [e for e in seen if e.bounds.right > width or e.bounds.bottom > height]
    if off:
        msg = f"{off[0].describe()} is outside of the {width}x{height} screen"
        raise Unwell(msg, "`adb shell wm size reset; adb shell wm density reset`, then restart it")
    if seconds > _SLOW_SECONDS:
        msg = f"observing an unchanged screen took {seconds:.1f} s"
        raise Doubtful(msg, "turn animations and animated wallpapers off; see --mobile-settle")
    return f"a view hierarchy of {len(screen.elements)} elements, {1000 * seconds:.0f} ms each"


def focus(device: Device) -> str:
    """The device reports which app is in front."""
    screen = device.observe().screen
    if not screen.package:
        remedy = "open the launcher, or else report what `dumpsys window` prints"
        raise Unwell("the device does not report which app is in front", remedy)
    return f"in front: {screen.package}/{screen.activity}"
