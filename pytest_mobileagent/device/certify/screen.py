"""Contracts about the screen: what is seen there, at rest and turned, and what actions do there.

Each action is performed as for an agent, and the app says what arrived.
"""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Key, KeyName, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.device.certify.bench import PACKAGE, Bench, CannotBe, expect, need
from pytest_mobileagent.device.device import SparingDevice, without_screenshots
from pytest_mobileagent.device.doctor.checks import UNICODE_REMEDY
from pytest_mobileagent.device.drivers.adb.gestures import UNICODE_KEYBOARD
from pytest_mobileagent.device.probes.services import activity, packages, volume
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.certify.bench import Page

HOME = "-a android.intent.action.MAIN -c android.intent.category.HOME"
LAUNCHER = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
LINE = {"content_desc": "line"}  # a field of the app
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
    both = (elements, bench.look().screen.elements)
    seconds = time.monotonic() - started
    first, second = ([(e.class_name, e.text, e.bounds, e.checked) for e in seen] for seen in both)
    need(first == second, "the hierarchies of a page at rest differ")
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


def taps(bench: Bench) -> str:
    """Tap the corners between two buttons, and a box: each counts once, the box loses its tick."""
    page = bench.page()
    need(page.the(text="Box").checked, "the hierarchy does not say that the box is checked")
    one, two = (page.the(text=name).bounds for name in ("One", "Two"))
    corners = {"One": (one.right - 3, one.bottom - 3), "Two": (two.left + 3, two.top + 3)}
    for count, (name, (x, y)) in enumerate(corners.items(), 1):
        page = bench.do(Tap(x, y))
        expect(f"tap {name} {count}", page.said, f"a tap into {name}, 3 pixels from its edges")
    need(not bench.tap(page, "Box").the(text="Box").checked, "the box is still checked after a tap")
    return "two buttons and a box, each tapped once"


def double_taps(bench: Bench) -> str:
    """Tap a button twice: both taps arrive within 300 ms, which Android calls a double tap."""
    page = bench.do(DoubleTap(*bench.page().place(text="One")))
    expect("double One 2", page.said, "a double tap")
    return "two taps within 300 ms"


def long_presses(bench: Bench) -> str:
    """Press a button for a second: the app sees a long press, and no tap."""
    page = bench.do(LongPress(*bench.page().place(text="Two")))
    expect("long Two", page.said, "a long press")
    return "a long press, no tap"


def swipes(bench: Bench) -> str:
    """Swipe quickly up a list: it moves at least as far as the finger, and on by its speed."""
    page = bench.page("rows")
    middle, way = page.screen.size[0] // 2, page.screen.size[1] // 3
    pitch = page.the(text="Row 3").bounds.top - page.the(text="Row 2").bounds.top
    after = bench.do(Swipe(middle, way * 2, middle, way, 0.2))
    moved = (_first(after, "Row") - _first(page, "Row")) * pitch
    need(moved > 0.7 * way, f"the list moved {moved} pixels by a swipe of {way}")
    return f"{moved} pixels, by a swipe of {way}"


def drags(bench: Bench) -> str:
    """Move a finger slowly: a slider follows it, and a list moves just as far as it."""
    bar = bench.page().the(class_name="android.widget.SeekBar").bounds
    x, y = bar.left + bar.width // 10, bar.center[1]
    page = bench.do(Swipe(x, y, bar.left + bar.width * 7 // 10, y, 1.0))
    value = int("".join(re.findall(r"slider (\d+)", page.said)) or 0)
    need(60 <= value <= 80, f"dragged to 70 %, the slider says {page.said!r}")
    page = bench.page("rows")
    dp = int(page.facts["dpi"]) / 160
    way, (x, y) = round(120 * dp), page.place(text="Row 6")
    moved = y - bench.do(Swipe(x, y, x, y - way, 3.0)).place(text="Row 6")[1]
    need(80 * dp <= moved <= 130 * dp, f"the list moved {moved} pixels by a drag of {way}")
    return f"the slider at {value}, the list {moved} of {way} pixels"


def _first(page: Page, kind: str) -> int:
    """Return the number of the first row or column that is visible."""
    found = [re.fullmatch(rf"{kind} (\d+)", each.text) for each in page.screen.elements]
    numbers = [int(each[1]) for each in found if each]
    need(numbers, f"the hierarchy has no text {kind!r} and a number")
    return numbers[0]


def scrolls(bench: Bench, kind: str) -> str:
    """Scroll forth and back: the first row or column that is visible has another number."""
    is_column = kind == "Column"
    ways = (Scroll("left"), Scroll("right")) if is_column else (Scroll("up"), Scroll("down"))
    first = [_first(bench.page(f"{kind.lower()}s"), kind)]
    first += [_first(bench.do(action), kind) for action in ways]
    need(first[0] < first[1] > first[2], f"the first {kind} at rest, forth and back: {first}")
    return "the first {} was {}, then {}, then {}".format(kind.lower(), *first)


def waits(bench: Bench) -> str:
    """Wait while the app counts to five within a second: it takes two seconds, and shows five."""
    bench.device.perform(Tap(*bench.page().place(text="Count")))
    started = time.monotonic()
    page = bench.do(Wait(2.0))
    seconds = time.monotonic() - started
    need(seconds >= 2, f"waiting 2 s took {seconds:.1f} s")
    expect("counted 5", page.said, "after 2 s")
    return "2 s, in which the app counted to five"


def types(bench: Bench, text: str, field: str = "line") -> str:
    """Type a text: a field of the app holds it, and for one line, the app says so."""
    try:
        page = bench.do(Type(text, at=bench.page("text").place(content_desc=field)))
    except DeviceError as error:
        if "ASCII" not in str(error) or _has_keyboard(bench):
            raise
        raise CannotBe("no ADBKeyboard", UNICODE_REMEDY) from error
    expect(text, page.the(content_desc=field).text, "the field")
    if field == "line":
        expect(f"saved {text}", bench.tap(page, "Save").said, "the app")
    return f"{text!r} arrived"


def _has_keyboard(bench: Bench) -> bool:
    """Return whether ADBKeyboard is installed, by another way than the driver's."""
    names = bench.read({"names": packages()})["names"]
    return isinstance(names, list) and UNICODE_KEYBOARD.partition("/")[0] in names


def clears(bench: Bench) -> str:
    """Type with `clear` into a field with a text, and then without: replaced, then appended."""
    at = bench.page("text").place(**LINE)
    page = bench.do(Type("first", at=at), Type("second", at=at, clear=True), Type(" third"))
    expect("second third", page.the(**LINE).text, "the field")
    return "the old text was replaced, the next one appended"


def enters(bench: Bench) -> str:
    """Type and press Enter, by the action's flag and as a key: the app is sent both texts."""
    at = bench.page("text").place(**LINE)
    expect("sent go", bench.do(Type("go", at=at, enter=True)).said, "the app")
    actions = Type("on", at=bench.page("text").place(**LINE)), Key("enter")
    expect("sent on", bench.do(*actions).said, "the app")
    return "the app was sent both texts"


def keeps_keyboard(bench: Bench) -> str:
    """Type beyond ASCII: the keyboard is the same as before, in the settings and in use."""
    ask = "settings get secure default_input_method; settings get secure enabled_input_methods"
    ask += "; dumpsys input_method | grep mCurMethodId="  # by which the driver knows it is ready
    before = bench.shell(ask).split()
    types(bench, "ß")
    for _ in range(20):
        if (after := bench.shell(ask).split()) == before:
            break
        time.sleep(0.1)
    expect(before, after, "the keyboard")
    need("/" in before[0], f"settings get secure default_input_method prints {before}")
    need("mCurMethodId=" in before[-1], f"dumpsys input_method names no mCurMethodId: {before}")
    return before[0]


def edits(bench: Bench) -> str:
    """Press delete and tab after typing: a character goes, and the focus goes to the next field."""
    page = bench.do(Type("abc", at=bench.page("text").place(**LINE)), Key("delete"))
    expect("ab", page.the(**LINE).text, "the field after delete")
    lines = bench.do(Key("tab")).the(content_desc="lines")
    need(lines.focused, "tab does not focus the next field")
    return "delete and tab"


def leaves(bench: Bench, key: KeyName) -> str:
    """Press home, back or overview: the app is left, and home shows the launcher."""
    bench.page()
    page = bench.do(Key(key))
    need(not page.is_shown, f"the app is still shown after {key}")
    need(page.screen.package and page.front != f"{PACKAGE}/{PACKAGE}.Main", f"front: {page.front}")
    if key == "home":
        expect(bench.resolve(HOME).partition("/")[0], page.screen.package, "in front after home")
    return f"in front: {page.front}"


def changes_volume(bench: Bench) -> str:
    """Press both volume keys: music goes one step each way, as the app and the probe read."""
    page = bench.page()
    start = int(page.facts["volume"])
    down, up = (Key("volume_down"), -1), (Key("volume_up"), 1)
    put_back = f"volume --stream 3 --set {start}"
    bench.undo.append(f"media {put_back} 2>/dev/null || cmd media_session {put_back}")
    for key, step in (up, down) if start == 0 else (down, up):
        before = int(page.facts["volume"])
        page = bench.tap(bench.do(key), "One")
        expect(before + step, int(page.facts["volume"]), f"the volume after {key.name}")
        expect(before + step, bench.read({"music": volume("music")})["music"], "what a probe reads")
    return f"from {start} one step away, and back"


def opens(bench: Bench) -> str:
    """Open the app from the home screen: it is in front, and auto-rotate is as it was."""
    bench.page()
    bench.put("system", "accelerometer_rotation", 0)
    bench.shell(f"am force-stop {PACKAGE}")
    page = bench.do(Key("home"), Open(PACKAGE))
    expect(("ready", f"{PACKAGE}/{PACKAGE}.Main"), (page.said, page.front), "after it was opened")
    auto = bench.shell("settings get system accelerometer_rotation").strip()
    expect("0", auto, "auto-rotate, which was off, after opening an app")
    return "in front, and auto-rotate still off"


def opens_app(bench: Bench, intent: str) -> str:
    """Open the phone's own app for an intent: it is in front."""
    package = bench.resolve(intent).partition("/")[0]
    if package in {"", "android"} or not bench.resolve(f"{LAUNCHER} {package}"):
        raise CannotBe("no such app" if package != "android" else "several such apps")
    page = bench.do(Key("home"), Open(package))
    shown = page.screen.package
    need(package == shown or "permission" in shown, f"in front: {page.front}")
    need(page.screen.elements, "its hierarchy is empty")
    return page.front
