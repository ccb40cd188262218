"""Contracts about looks: pictures, hierarchies and the state beside them, at rest and turned."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Key
from pytest_mobileagent.action.gestures import Swipe
from pytest_mobileagent.device.certify.bench import PACKAGE, Bench, CannotBe, expect, need
from pytest_mobileagent.device.device import (
    LOCK,
    POWER,
    SparingDevice,
    is_locked,
    wakefulness,
    without_screenshots,
)
from pytest_mobileagent.device.probes.services import activity

if TYPE_CHECKING:
    from pytest_mobileagent.device.certify.bench import Page

_BRIGHT, _DARK = 200, 90  # of 255 levels
_CLOCK_SECONDS = 10
_SETTLED_SECONDS = 5.0


def _picture_shows(page: Page) -> None:
    """Require that the picture is where the hierarchy is, by the field "Colour" of the app."""
    left, top, right, bottom = page.the(text="Colour").bounds
    corners = [(x, y) for x in (left + 3, right - 4) for y in (top + 3, bottom - 4)]
    found = [page.screen.image.getpixel(each) for each in corners]
    need(all(map(_is_magenta, found)), f"pixels {corners} should be magenta, but are {found}")
    outside = [(left + 3, y) for y in (top - 4, bottom + 4) if y < page.screen.size[1]]
    near = [page.screen.image.getpixel(each) for each in outside]
    need(not any(map(_is_magenta, near)), f"the pixels {outside} beside the field are magenta, too")


def _is_magenta(pixel: object) -> bool:
    """Return whether a pixel is magenta, whatever the picture's colour profile."""
    match pixel:
        case (int(red), int(green), int(blue)):
            return min(red, blue) > _BRIGHT and green < _DARK
        case _:
            return False


def pictures(bench: Bench) -> str:
    """Look twice at a page: the colours are where the hierarchy has them, and soon the same."""
    page = bench.page()
    _picture_shows(page)
    width, height = page.screen.size
    elements = page.screen.elements
    off = [e for e in elements if e.bounds.right > width or e.bounds.bottom > height]
    need(not off, f"outside of the screen of {width}x{height}: {off[:1]}")
    started = time.monotonic()
    again = bench.look().screen.elements
    seconds = time.monotonic() - started
    parts = [
        [(e.class_name, e.text, e.bounds, e.checked) for e in seen] for seen in (elements, again)
    ]
    need(parts[0] == parts[1], "the hierarchies of a page at rest differ")
    need(seconds < _SETTLED_SECONDS, f"a page at rest took {seconds:.1f} s to settle")
    return f"{width}x{height}, and {len(elements)} elements, in {seconds:.1f} s"


def spares_pictures(bench: Bench) -> str:
    """Look without taking screenshots: the hierarchy has the same size and says what was done."""
    if not isinstance(bench.device, SparingDevice):
        raise CannotBe("not with this driver")
    size = bench.page().screen.size
    with without_screenshots(bench.device):
        page = bench.tap(bench.look(), "Two")
    expect(("tap Two 1", size), (page.said, page.screen.size), "what the app says, and the size")
    return "hierarchies alone"


def focus(bench: Bench) -> str:
    """Read what is in front, in a look and by a probe: the app's activity, then the launcher."""
    own = f"{PACKAGE}/{PACKAGE}.Main"
    expect(own, bench.page().front, "in front")
    expect(own, bench.read({"front": activity()})["front"], "in front, as a probe reads")
    away = bench.do(Key("home")).screen.package
    need(away not in {"", PACKAGE}, f"in front of the home screen: {away!r}")
    return f"{own}, then {away}"


def device_facts(bench: Bench) -> str:
    """Compare what the driver knows of the device with what the app reads from Android."""
    page, info = bench.page(), bench.device.info
    known = page.facts
    expect((known["sdk"], known["dpi"]), (str(info.sdk), str(info.density)), "API level, dpi")
    language = known["locale"].partition("-")[0]
    expect(language, info.locale.replace("_", "-").partition("-")[0], "the language")
    expect(sorted(page.screen.size), sorted(info.size), "the size of the screen")
    return f"API {info.sdk}, {info.density} dpi, {info.locale}"


def clock(bench: Bench) -> str:
    """Compare the time of an observation with the app's own clock, both in the phone's zone."""
    page = bench.tap(bench.page(), "One")
    own, seen = datetime.fromisoformat(page.facts["clock"]), page.screen.time
    assert seen is not None
    apart = abs((seen - own).total_seconds())
    need(apart <= _CLOCK_SECONDS, f"the look is of {seen}, the app's clock said {own}")
    return f"{seen}"


def turns(bench: Bench, rotation: int) -> str:
    """Turn the screen: the picture, the hierarchy and taps are turned alike."""
    upright = bench.page().screen.size
    bench.put("system", "accelerometer_rotation", 0)
    bench.put("system", "user_rotation", rotation)
    page = bench.tap(bench.look(), "Two")
    expect("tap Two 1", page.said, "a tap on the turned screen")
    expect(str(rotation), page.facts["rotation"], "the rotation that the app reads")
    expect(upright[::-1], page.screen.size, "the size of the turned screen")
    if page.the(text="Colour").bounds.bottom + 4 < page.screen.size[1]:
        _picture_shows(page)
    return "{}x{}".format(*page.screen.size)


def splits(bench: Bench) -> str:
    """Open the app beside another: it is in front, and a tap reaches it where it is seen."""
    bench.page()
    adjacent = "0x10001000"  # new task, launch adjacent: since Android 12L, this splits the screen
    bench.shell("am start -W -a android.settings.SETTINGS")
    bench.shell(f"am start -W -f {adjacent} -n {PACKAGE}/.Main")
    bench.undo.append(f"am force-stop {PACKAGE}; input keyevent HOME")
    page = bench.look()
    modes = bench.shell("dumpsys activity activities | grep -E 'mode=(multi-window|split)'")
    if not modes.strip():
        raise CannotBe("no split screen by command")
    expect(PACKAGE, page.screen.package, "in front")
    page = bench.tap(page, "One")
    expect("tap One 1", page.said, "a tap in the split screen")
    _picture_shows(page)
    return f"the app beside {modes.split()[0]}"


def secure_page(bench: Bench) -> str:
    """Look at a page that forbids screenshots: a picture, if black, and the whole hierarchy."""
    file = "/data/local/tmp/mobileagent-secure.png"
    page = bench.page("secure")
    shot = bench.shell(f"screencap -p {file} 2>&1; wc -c < {file} 2>&1; rm -f {file}").splitlines()
    *printed, size = [line.strip() for line in shot if line.strip()]
    said = f'screencap prints "{" ".join(printed) or size}" and no picture: agents see black there'
    need(size.isdigit() and int(size), said)
    field = page.the(text="Colour").bounds
    pixel = page.screen.image.getpixel((field.right - 4, field.bottom - 4))
    expect(bench.page().screen.size, page.screen.size, "the size of the picture")
    return "the picture shows it" if _is_magenta(pixel) else f"black there: {pixel}"


def opens_shade(bench: Bench) -> str:
    """Swipe down from the top edge: the shade covers the app, and back closes it."""
    width, height = bench.page().screen.size
    opened = bench.do(Swipe(width // 2, 2, width // 2, height * 7 // 10, 0.3))
    need(not opened.is_shown, "the app is still shown after a swipe from the top edge")
    need(opened.screen.elements, "the hierarchy of the shade is empty")
    need(bench.do(Key("back")).is_shown, "back does not close the shade")
    return f"{len(opened.screen.elements)} elements"


def locks(bench: Bench) -> str:
    """Put the phone to sleep and wake it: the app is in front again."""
    if bench.page().facts["locked"] == "true":
        raise CannotBe("a PIN")
    wake = "input keyevent WAKEUP; wm dismiss-keyguard"
    bench.undo.append(wake)
    _becomes(bench, "input keyevent SLEEP", {"Asleep", "Dozing"})
    _becomes(bench, wake, {"Awake"})
    locked = is_locked(bench.shell(LOCK))
    need(bench.look().is_shown, f"the app is not shown; locked: {locked}")
    return "asleep, awake, and unlocked"


def _becomes(bench: Bench, script: str, states: set[str]) -> None:
    """Run a script, and require that the phone is in one of these states within two seconds."""
    bench.shell(script)
    for _ in range(20):
        if (state := wakefulness(bench.shell(POWER))) in states:
            return
        time.sleep(0.1)
    need(False, f"after {script}, the phone is {state!r}")
