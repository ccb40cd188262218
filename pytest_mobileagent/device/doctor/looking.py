"""Checks that look at the screen, and leave it as it is."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.finding import Doubtful, Unwell

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device

_SLOW_SECONDS = 5.0


def screenshot(device: Device) -> str:
    """There is a screenshot, as large as the screen and not all black."""
    screen = device.observe().screen
    size = "{}x{}".format(*screen.size)
    if sorted(screen.size) != sorted(_window_size(device)):
        said = "{}x{}".format(*_window_size(device))
        remedy = "`adb shell wm size reset`; foldables and second displays are not supported"
        raise Unwell(f"the screenshot has {size} pixels, but the screen {said}", remedy)
    if screen.image.getextrema() == ((0, 0), (0, 0), (0, 0)):
        remedy = "wake and unlock the device; apps that forbid screenshots show black too"
        raise Unwell("the screenshot is all black", remedy)
    return f"screenshots of {size} pixels"


def hierarchy(device: Device) -> str:
    """There is a view hierarchy, and it lies on the screen."""
    started = time.monotonic()
    screen = device.observe().screen
    seconds = time.monotonic() - started
    width, height = screen.size
    seen = [e for e in screen.elements if e.bounds.width and e.bounds.height]
    if not seen:
        raise Unwell("the view hierarchy is empty", "open the launcher; some games draw no views")
    off = [e for e in seen if e.bounds.right > width or e.bounds.bottom > height]
    if off:
        msg = f"{off[0].describe()} is outside of the {width}x{height} screen"
        raise Unwell(msg, "`adb shell wm size reset; adb shell wm density reset`, then restart it")
    if seconds > _SLOW_SECONDS:
        msg = f"an unchanged screen took {seconds:.1f} s to look at"
        raise Doubtful(msg, "turn animations and animated wallpapers off; see --mobile-settle")
    return f"a view hierarchy of {len(screen.elements)} elements, {1000 * seconds:.0f} ms each"


def focus(device: Device) -> str:
    """The device says which app is in front."""
    screen = device.observe().screen
    if not screen.package:
        remedy = "open the launcher; if it stays so, report what `dumpsys window displays` prints"
        raise Unwell("the device does not say which app is in front", remedy)
    return f"in front: {screen.package}/{screen.activity}"


def _window_size(device: Device) -> tuple[int, int]:
    pixels = re.findall(r"(\d+)x(\d+)", system_of(device).shell("wm size"))
    if not pixels:
        return device.info.size
    return int(pixels[-1][0]), int(pixels[-1][1])
