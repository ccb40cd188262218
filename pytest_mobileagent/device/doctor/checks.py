"""The doctor's checks of a device.

A check returns a string that describes what it saw, or raises `Unwell` or `Doubtful`. The first
checks only read the device's state and screen. The last ones act: they open Settings, type into its
search field, and return to the home screen.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from pytest_mobileagent.action.action import Key, Open, Scroll, Tap, Type
from pytest_mobileagent.device.device import (
    LOCK,
    PERMIT,
    POWER,
    ROOM,
    PageDevice,
    free_mb,
    is_locked,
    system_of,
    wakefulness,
)
from pytest_mobileagent.device.drivers.adb.listener import PACKAGE as LISTENER
from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.screen import Element, Screen


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

    def __init__(self, seen: str, remedy: str) -> None:
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
        return Finding(
            name, "problem", str(error), "see docs/devices.md, and report it if it persists"
        )


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
    output = system_of(device).shell("echo here").strip()
    if output != "here":
        msg = f"`echo here` came back as {output[:100]!r}"
        raise Unwell(msg, "reconnect the device; if that does not help, run `adb kill-server`")
    return f"a shell command takes {1000 * (time.monotonic() - started):.0f} ms"


def awake(device: Device) -> str:
    """The screen is on: a dark screen shows nothing and ignores touches."""
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
    """No lock screen covers the apps."""
    if is_locked(system_of(device).shell(LOCK)):
        remedy = "unlock it, and set Settings → Security → Screen lock to None"
        raise Unwell("a lock screen covers the apps", remedy)
    return "no lock screen"


def root(device: Device) -> str:
    """The shell runs as root: only root can read the databases and preferences of apps."""
    user = system_of(device).shell("id -u").strip()
    if user != "0":
        msg = f"the shell runs as user {user[:20]}, who cannot read the databases of apps"
        remedy = "use an image on which `adb root` works: one with Google APIs, without Google Play"
        raise Doubtful(msg, remedy)
    return "the shell runs as root"


def storage(device: Device) -> str:
    """The data partition has free space."""
    output = system_of(device).shell(ROOM)
    free = free_mb(output)
    if free is None:
        msg = f"`df` prints {' '.join(output.split())[:100]!r}"
        raise Doubtful(msg, "look at Settings → Storage")
    if free < _ROOM_MB:
        msg = f"only {free} MB of storage are free"
        raise Unwell(msg, "remove files or apps, or create the AVD with a larger data partition")
    return f"{free} MB of storage are free"


def clock(device: Device) -> str:
    """The clock agrees with this machine's: goals name times, and TLS needs the right day."""
    output = system_of(device).shell("date +%s").strip()
    if not output.isdigit():
        raise Unwell(f"`date +%s` prints {output[:100]!r}", "set the device's date")
    apart = abs(int(output) - time.time())
    if apart > _CLOCK_SECONDS:
        msg = f"the device's clock is {apart / 3600:.0f} hours off"
        remedy = (
            "run `adb shell date @SECONDS` as root; until then, web certificates may be rejected"
        )
        raise Doubtful(msg, remedy)
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
        remedy = "install an event listener, see docs/events.md; tasks without events need none"
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
    if sorted(screen.size) != sorted(_window_size(device)):
        output = "{}x{}".format(*_window_size(device))
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
        remedy = "open the launcher; if that does not help, report the output of "
        remedy += "`dumpsys window`"
        raise Unwell("the device does not report which app is in front", remedy)
    return f"in front: {screen.package}/{screen.activity}"


def _window_size(device: Device) -> tuple[int, int]:
    if isinstance(device, PageDevice):
        return device.info.size
    pixels = re.findall(r"(\d+)x(\d+)", system_of(device).shell("wm size"))
    if not pixels:
        return device.info.size
    return int(pixels[-1][0]), int(pixels[-1][1])


SETTINGS = "com.android.settings"
NO_SETTINGS = f"taps, typing and other actions were not tried: {SETTINGS} is not installed"
NO_SETTINGS_REMEDY = "none needed, unless your tasks use Settings: only the checks that act need it"
_ASCII = "Wi-Fi & 100% of it's"
_BEYOND = "Zürich 北京 ñ"
_REPORT = "this is a fault of the driver or the image: report it with this output"


def has_settings(device: Device) -> bool:
    """Return whether the app used by the checks that act is installed."""
    return SETTINGS in system_of(device).packages()


def goes_home(device: Device) -> str:
    """The home key leads to the launcher."""
    _do(device, Open(SETTINGS))
    screen = _do(device, Key("home"))
    if screen.package == SETTINGS:
        raise Unwell("the home key does not leave Settings", "unpin the app, or leave kiosk mode")
    return f"the home key leads to {screen.package}"


def opens_apps(device: Device) -> str:
    """Apps can be opened by their package."""
    screen = _settings(device)
    return f"opened {screen.package}/{screen.activity}"


def taps(device: Device) -> str:
    """A tap reaches its target, and the back key returns to the previous page."""
    before = _settings(device)
    after = _do(device, Tap(*_row(before).bounds.center))
    if after.texts == before.texts:
        raise Unwell(f"a tap on {_row(before).describe()} changed nothing", _REPORT)
    if _do(device, Key("back")).package != SETTINGS:
        raise Unwell("the back key did not return to Settings", _REPORT)
    return f"a tap on {_row(before).label[:40]!r} opened its page, and the back key returned"


def scrolls(device: Device) -> str:
    """A list can be scrolled down and up again."""
    before = _settings(device)
    down = _do(device, Scroll("up"))
    if down.texts == before.texts:
        remedy = "the screen may be too large for Settings to scroll; if it is not, report this"
        raise Doubtful("swiping up did not scroll Settings", remedy)
    _do(device, Scroll("down"))
    return "a list scrolls"


def types(device: Device) -> str:
    """Typed text arrives unchanged."""
    return _types(device, _ASCII)


def types_beyond_ascii(device: Device) -> str:
    """Text beyond ASCII arrives unchanged."""
    try:
        return _types(device, _BEYOND)
    except Doubtful:
        raise
    except MobileAgentError as error:
        if not isinstance(error, Unwell) and "ASCII" not in str(error):
            raise  # another fault, which the keyboard would not fix
        raise Doubtful(f"text beyond ASCII cannot be typed: {error}", UNICODE_REMEDY) from error


def turns(device: Device) -> str:
    """A rotated screen is captured and touched in its rotated orientation."""
    scripts = ("settings get system accelerometer_rotation", "settings get system user_rotation")
    before = [system_of(device).shell(script).strip() for script in scripts]
    upright = _settings(device)
    try:
        _turn(device, "0", "1")
        turned = device.observe().screen
        if turned.size == upright.size:
            raise Doubtful("Settings does not rotate with the screen", "on tablets this is normal")
        after = _do(device, Tap(*_row(turned).bounds.center))
        if after.texts == turned.texts:
            raise Unwell("a tap on the rotated screen changed nothing", _REPORT)
    finally:
        _turn(device, *before)
    return "{}x{} rotated is {}x{}".format(*upright.size, *turned.size)


def _types(device: Device, text: str) -> str:
    search = _settings(device)
    box = search.find(text="Search settings") or search.find(content_desc="Search settings")
    box = box or search.find(content_desc="Search")
    after = _do(device, Tap(*box.bounds.center)) if box else search
    field = _field(after)
    if field is None:
        raise Doubtful("Settings has no field to type into", "try typing in another app")
    after = _do(device, Type(text, at=field.bounds.center, clear=True))
    found = _field(after)
    arrived = found.text if found else ""
    _do(device, Key("home"))
    if arrived != text:
        raise Unwell(f"{text!r} was typed, and {arrived!r} arrived", _REPORT)
    return f"{text!r} arrived"


def _settings(device: Device) -> Screen:
    """Open Settings on its first page."""
    system_of(device).shell(f"am force-stop {SETTINGS}")
    screen = _do(device, Open(SETTINGS))
    if screen.package != SETTINGS:
        msg = f"Settings was opened, but {screen.package or 'nothing'} is in front"
        raise Unwell(msg, "close and disable dialogs and crash reports on the device")
    return screen


def _row(screen: Screen) -> Element:
    """Return a row of a list that opens another page."""
    titles = [e for e in screen.elements if e.resource_id == "android:id/title" and e.text]
    for title in titles:
        row = next((a for a in title.ancestors if a.clickable), None)
        if row is not None and row.enabled and row.bounds.bottom < screen.size[1]:
            return row
    raise Doubtful("Settings has no rows to tap", "its layout differs from Android's own")


def _field(screen: Screen) -> Element | None:
    fields = [e for e in screen.elements if e.class_name.endswith("EditText")]
    return fields[0] if fields else None


def _do(device: Device, action: Action) -> Screen:
    device.perform(action)
    return device.observe().screen


def _turn(device: Device, automatic: str, rotation: str) -> None:
    for name, value in (("accelerometer_rotation", automatic), ("user_rotation", rotation)):
        known = value if value.isdigit() else "0"
        system_of(device).shell(f"settings put system {name} {known}")
