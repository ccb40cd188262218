"""Contracts about looks: pictures, hierarchies and the state beside them, at rest and turned."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Key, Swipe
from pytest_mobileagent.device.certify.bench import (
    PACKAGE,
    Bench,
    CannotBe,
    expect,
    facts,
    is_shown,
    need,
    said,
    the,
)
from pytest_mobileagent.device.device import (
    LOCK,
    POWER,
    SparingDevice,
    is_locked,
    wakefulness,
    without_screenshots,
)

if TYPE_CHECKING:
    from pytest_mobileagent.screen import Screen

_BRIGHT, _DARK = 200, 90  # of 255 levels
_CLOCK_SECONDS = 10
_SETTLED_SECONDS = 5.0


def picture_shows(screen: Screen) -> None:
    """Require that the picture is where the hierarchy is, by the field "Colour" of the app."""
    left, top, right, bottom = (getattr(the(screen, text="Colour").bounds, side) for side in _SIDES)
    corners = [(x, y) for x in (left + 3, right - 4) for y in (top + 3, bottom - 4)]
    found = [screen.image.getpixel(each) for each in corners]
    need(all(map(_is_magenta, found)), f"pixels {corners} should be magenta, but are {found}")
    outside = (left + 3, top - 4), (left + 3, bottom + 4)
    near = [screen.image.getpixel(each) for each in outside if each[1] < screen.size[1]]
    need(not any(map(_is_magenta, near)), f"the pixels {outside} beside the field are magenta, too")


_SIDES = ("left", "top", "right", "bottom")


def _is_magenta(pixel: object) -> bool:
    """Return whether a pixel is magenta, whatever the picture's colour profile."""
    match pixel:
        case (int(red), int(green), int(blue)):
            return min(red, blue) > _BRIGHT and green < _DARK
        case _:
            return False


def pictures(bench: Bench) -> str:
    """Look at the app's page: the picture has its colours where the hierarchy has their bounds."""
    screen = bench.page()
    picture_shows(screen)
    width, height = screen.size
    off = [e for e in screen.elements if e.bounds.right > width or e.bounds.bottom > height]
    need(not off, f"outside of the screen of {width}x{height}: {off[:1]}")
    return f"{width}x{height}, and {len(screen.elements)} elements"


def settles(bench: Bench) -> str:
    """Look twice at a page at rest: the same hierarchy, and soon."""
    first = bench.page()
    started = time.monotonic()
    second = bench.device.observe().screen
    seconds = time.monotonic() - started
    need([*map(_part, first.elements)] == [*map(_part, second.elements)], "the hierarchies differ")
    need(seconds < _SETTLED_SECONDS, f"a page at rest took {seconds:.1f} s to settle")
    return f"{seconds:.1f} s"


def _part(element: object) -> tuple[object, ...]:
    return tuple(getattr(element, name) for name in ("class_name", "text", "bounds", "checked"))


def spares_pictures(bench: Bench) -> str:
    """Look without taking screenshots: the hierarchy has the same size and says what was done."""
    if not isinstance(bench.device, SparingDevice):
        raise CannotBe("not with this driver")
    size = bench.page().size
    with without_screenshots(bench.device):
        screen = bench.tap(bench.device.observe().screen, "Two")
    expect("tap Two 1", said(screen), "the app")
    expect(size, screen.size, "the size")
    return "hierarchies alone"


def focus(bench: Bench) -> str:
    """Look at what has the focus: the app's activity by its full name, later the launcher's."""
    screen = bench.page()
    expect((PACKAGE, f"{PACKAGE}.Main"), (screen.package, screen.activity), "in front")
    away = bench.do(Key("home"))
    need(away.package not in {"", PACKAGE}, f"in front of the home screen: {away.package!r}")
    return f"{PACKAGE}.Main, then {away.package}"


def device_facts(bench: Bench) -> str:
    """Compare what the driver knows of the device with what the app reads from Android."""
    screen, info = bench.page(), bench.device.info
    known = facts(screen)
    expect((known["sdk"], known["dpi"]), (str(info.sdk), str(info.density)), "API level, dpi")
    language = known["locale"].partition("-")[0]
    expect(language, info.locale.replace("_", "-").partition("-")[0], "the language")
    expect(sorted(screen.size), sorted(info.size), "the size of the screen")
    return f"API {info.sdk}, {info.density} dpi, {info.locale}"


def clock(bench: Bench) -> str:
    """Compare the time of an observation with the app's own clock, both in the phone's zone."""
    screen = bench.tap(bench.page(), "One")
    own = datetime.fromisoformat(facts(screen)["clock"])
    assert screen.time is not None
    apart = abs((screen.time - own).total_seconds())
    need(apart <= _CLOCK_SECONDS, f"the look is of {screen.time}, the app's clock said {own}")
    return f"{screen.time}"


def turns(bench: Bench, rotation: int) -> str:
    """Turn the screen: the picture, the hierarchy and taps are turned alike."""
    upright = bench.page()
    bench.put("system", "accelerometer_rotation", 0)
    bench.put("system", "user_rotation", rotation)
    screen = bench.tap(bench.device.observe().screen, "Two")
    expect("tap Two 1", said(screen), "a tap on the turned screen")
    turned = facts(screen)["rotation"]
    expect(str(rotation), turned, "the rotation that the app reads")
    expect(upright.size[::-1], screen.size, "the size of the turned screen")
    if the(screen, text="Colour").bounds.bottom + 4 < screen.size[1]:
        picture_shows(screen)
    return "{}x{}".format(*screen.size)


def splits(bench: Bench) -> str:
    """Open the app beside another: it is in front, and a tap reaches it where it is seen."""
    bench.page()
    bench.shell("am start -W -a android.settings.SETTINGS")
    adjacent = "0x10001000"  # new task, launch adjacent: since Android 12L, this splits the screen
    bench.shell(f"am start -W -f {adjacent} -n {PACKAGE}/.Main")
    bench.undo.append(f"am force-stop {PACKAGE}; input keyevent HOME")
    screen = bench.device.observe().screen
    modes = bench.shell("dumpsys activity activities | grep -E 'mode=(multi-window|split)'")
    if not modes.strip():
        raise CannotBe("no split screen by command")
    expect(PACKAGE, screen.package, "in front")
    screen = bench.tap(screen, "One")
    expect("tap One 1", said(screen), "a tap in the split screen")
    picture_shows(screen)
    return f"the app beside {modes.split()[0]}"


def secure_page(bench: Bench) -> str:
    """Look at a page that forbids screenshots: a picture, if black, and the whole hierarchy."""
    file = "/data/local/tmp/mobileagent-secure.png"
    screen = bench.page("secure")
    shot = bench.shell(f"screencap -p {file} 2>&1; wc -c < {file} 2>&1; rm -f {file}").split("\n")
    size, *printed = [line.strip() for line in reversed(shot) if line.strip()]
    words = " ".join(reversed(printed))
    need(
        size.isdigit() and int(size),
        f'screencap prints "{words or size}" and no picture: agents see black there',
    )
    field = the(screen, text="Colour").bounds
    pixel = screen.image.getpixel((field.right - 4, field.bottom - 4))
    expect(bench.page().size, screen.size, "the size of the picture")
    return "the picture shows it" if _is_magenta(pixel) else f"black there: {pixel}"


def opens_shade(bench: Bench) -> str:
    """Swipe down from the top edge: the shade covers the app, and back closes it."""
    screen = bench.page()
    x, height = screen.size[0] // 2, screen.size[1]
    opened = bench.do(Swipe(x, 2, x, height * 7 // 10, 0.3))
    need(not is_shown(opened), "the app is still shown after a swipe from the top edge")
    need(opened.texts or opened.elements, "the hierarchy of the shade is empty")
    need(is_shown(bench.do(Key("back"))), "back does not close the shade")
    return f"{len(opened.elements)} elements"


def locks(bench: Bench) -> str:
    """Put the phone to sleep and wake it: the app is in front again."""
    if facts(bench.page())["locked"] == "true":
        raise CannotBe("a PIN")
    wake = "input keyevent WAKEUP; wm dismiss-keyguard"
    bench.undo.append(wake)
    bench.shell("input keyevent SLEEP")
    state = _until(bench, {"Asleep", "Dozing"})
    need(state in {"Asleep", "Dozing"}, f"after SLEEP, the phone is {state!r}")
    bench.shell(wake)
    state = _until(bench, {"Awake"})
    expect("Awake", state, "after WAKEUP, the phone")
    locked = is_locked(bench.shell(LOCK))
    need(is_shown(bench.device.observe().screen), f"the app is not shown; locked: {locked}")
    return "asleep, awake, and unlocked"


def _until(bench: Bench, states: set[str]) -> str:
    """Wait for up to two seconds until the phone is in one of these states; return its state."""
    for _ in range(20):
        if (state := wakefulness(bench.shell(POWER))) in states:
            break
        time.sleep(0.1)
    return state
