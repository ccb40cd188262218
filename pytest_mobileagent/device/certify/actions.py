"""Contracts about actions: each is performed as for an agent, and the app says what arrived."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import (
    DoubleTap,
    Key,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
)
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
from pytest_mobileagent.device.doctor.checks import UNICODE_KEYBOARD, UNICODE_REMEDY
from pytest_mobileagent.device.probes.services import packages
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Direction
    from pytest_mobileagent.screen import Screen

HOME = "-a android.intent.action.MAIN -c android.intent.category.HOME"
LAUNCHER = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"


def taps(bench: Bench) -> str:
    """Tap the corners between two buttons, and a box: each counts once, the box loses its tick."""
    screen = bench.page()
    need(the(screen, text="Box").checked, "the hierarchy does not say that the box is checked")
    one, two = (the(screen, text=name).bounds for name in ("One", "Two"))
    corners = {"One": (one.right - 3, one.bottom - 3), "Two": (two.left + 3, two.top + 3)}
    for count, (name, (x, y)) in enumerate(corners.items(), 1):
        screen = bench.do(Tap(x, y))
        expect(f"tap {name} {count}", said(screen), f"a tap into {name}, 3 pixels from its edges")
    screen = bench.tap(screen, "Box")
    need(not the(screen, text="Box").checked, "the box is still checked after a tap on it")
    return "two buttons and a box, each tapped once"


def double_taps(bench: Bench) -> str:
    """Tap a button twice: both taps arrive within 300 ms, which Android calls a double tap."""
    screen = bench.do(DoubleTap(*the(bench.page(), text="One").bounds.center))
    expect("double One 2", said(screen), "a double tap")
    return "two taps within 300 ms"


def long_presses(bench: Bench) -> str:
    """Press a button for a second: the app sees a long press, and no tap."""
    screen = bench.do(LongPress(*the(bench.page(), text="Two").bounds.center))
    expect("long Two", said(screen), "a long press")
    return "a long press, no tap"


def swipes(bench: Bench) -> str:
    """Swipe quickly up a list: it moves at least as far as the finger, and on by its speed."""
    screen = bench.page("rows")
    middle, way = screen.size[0] // 2, screen.size[1] // 3
    first = _first(screen, "Row")
    row = the(screen, text="Row 1").bounds
    after = bench.do(Swipe(middle, way * 2, middle, way, 0.2))
    moved = (_first(after, "Row") - first) * _pitch(screen)
    need(moved > 0.7 * way, f"the list moved {moved} pixels by a swipe of {way}; rows {row}")
    return f"{moved} pixels, by a swipe of {way}"


def drags(bench: Bench) -> str:
    """Move a finger slowly: a slider follows it, and a list moves just as far as it."""
    bar = the(bench.page(), class_name="android.widget.SeekBar").bounds
    x, y = bar.left + bar.width // 10, bar.center[1]
    screen = bench.do(Swipe(x, y, bar.left + bar.width * 7 // 10, y, 1.0))
    value = re.fullmatch(r"slider (\d+)", said(screen))
    need(value and 60 <= int(value[1]) <= 80, f"dragged to 70 %, the slider says {said(screen)!r}")
    screen = bench.page("rows")
    dp = int(facts(screen)["dpi"]) / 160
    way, (x, y) = round(120 * dp), the(screen, text="Row 6").bounds.center
    after = bench.do(Swipe(x, y, x, y - way, 3.0))
    moved = the(screen, text="Row 6").bounds.top - the(after, text="Row 6").bounds.top
    need(80 * dp <= moved <= 130 * dp, f"the list moved {moved} pixels by a drag of {way}")
    return f"the slider at {value[1] if value else ''}, the list {moved} of {way} pixels"


def _first(screen: Screen, kind: str) -> int:
    """Return the number of the first row or column that is visible."""
    found = [re.fullmatch(rf"{kind} (\d+)", each.text) for each in screen.elements]
    numbers = [int(each[1]) for each in found if each]
    need(numbers, f"the hierarchy has no text {kind!r} and a number")
    return numbers[0]


def _pitch(screen: Screen) -> int:
    tops = [the(screen, text=f"Row {number}").bounds.top for number in (2, 3)]
    return tops[1] - tops[0]


def scrolls(bench: Bench, direction: Direction) -> str:
    """Scroll in one direction: the first row or column that is visible has another number."""
    kind, forth = ("Row", "up") if direction in {"up", "down"} else ("Column", "left")
    start = bench.page(f"{kind.lower()}s")
    there = bench.do(Scroll("up" if forth == "up" else "left"))
    moved = _first(there, kind) - _first(start, kind)
    need(moved > 0, f"scrolling {forth} moved the first {kind} by {moved}")
    if direction != forth:
        moved = _first(bench.do(Scroll(direction)), kind) - _first(there, kind)
        need(moved < 0, f"scrolling {direction} moved the first {kind} by {moved}")
    return f"the first {kind.lower()} moved by {moved}"


def waits(bench: Bench) -> str:
    """Wait while the app counts to five within a second: it takes two seconds, and shows five."""
    screen = bench.page()
    bench.device.perform(Tap(*the(screen, text="Count").bounds.center))
    started = time.monotonic()
    screen = bench.do(Wait(2.0))
    seconds = time.monotonic() - started
    need(seconds >= 2, f"waiting 2 s took {seconds:.1f} s")
    expect("counted 5", said(screen), "after 2 s")
    return "2 s, in which the app counted to five"


def types(bench: Bench, text: str, field: str = "line") -> str:
    """Type a text: a field of the app holds it, and for one line, the app says so."""
    at = the(bench.page("text"), content_desc=field).bounds.center
    try:
        screen = bench.do(Type(text, at=at))
    except DeviceError as error:
        if "ASCII" not in str(error) or _has_keyboard(bench):
            raise
        raise CannotBe("no ADBKeyboard", UNICODE_REMEDY) from error
    expect(text, the(screen, content_desc=field).text, "the field")
    if field == "line":
        expect(f"saved {text}", said(bench.tap(screen, "Save")), "the app")
    return f"{text!r} arrived"


def _has_keyboard(bench: Bench) -> bool:
    """Return whether ADBKeyboard is installed, by another way than the driver's."""
    names = bench.read({"names": packages()})["names"]
    return isinstance(names, list) and UNICODE_KEYBOARD.partition("/")[0] in names


def clears(bench: Bench) -> str:
    """Type with `clear` into a field with a text, and then without: replaced, then appended."""
    at = the(bench.page("text"), content_desc="line").bounds.center
    screen = bench.do(Type("first", at=at), Type("second", at=at, clear=True), Type(" third"))
    expect("second third", the(screen, content_desc="line").text, "the field")
    return "the old text was replaced, the next one appended"


def enters(bench: Bench, key: bool = False) -> str:
    """Type and press Enter, by the action's flag or as a key: the app is sent the text."""
    at = the(bench.page("text"), content_desc="line").bounds.center
    actions = (Type("go", at=at), Key("enter")) if key else (Type("go", at=at, enter=True),)
    expect("sent go", said(bench.do(*actions)), "the app")
    return "the app was sent the text"


def keeps_keyboard(bench: Bench) -> str:
    """Type beyond ASCII: the keyboard is the same as before, in the settings and in use."""
    ask = "settings get secure default_input_method; settings get secure enabled_input_methods"
    ask += "; dumpsys input_method | grep mCurMethodId="  # by which the driver knows it is ready
    before = bench.shell(ask).split()
    types(bench, "ß")
    for _ in range(20):
        after = bench.shell(ask).split()
        if after == before:
            break
        time.sleep(0.1)
    expect(before, after, "the keyboard")
    need("/" in before[0], f"settings get secure default_input_method prints {before}")
    need("mCurMethodId=" in before[-1], f"dumpsys input_method names no mCurMethodId: {before}")
    return before[0]


def edits(bench: Bench) -> str:
    """Press delete and tab after typing: a character goes, and the focus goes to the next field."""
    at = the(bench.page("text"), content_desc="line").bounds.center
    screen = bench.do(Type("abc", at=at), Key("delete"))
    expect("ab", the(screen, content_desc="line").text, "the field after delete")
    screen = bench.do(Key("tab"))
    need(the(screen, content_desc="lines").focused, "tab does not focus the next field")
    return "delete and tab"


def goes_home(bench: Bench) -> str:
    """Press home: the launcher is in front, which the package manager names."""
    bench.page()
    launcher, screen = bench.resolve(HOME), bench.do(Key("home"))
    expect(launcher.partition("/")[0], screen.package, "in front after home")
    need(not is_shown(screen), "the app is still shown after home")
    return launcher


def goes_back(bench: Bench) -> str:
    """Press back: the app is left."""
    bench.page()
    screen = bench.do(Key("back"))
    need(not is_shown(screen), "the app is still shown after back")
    need(screen.package and screen.package != PACKAGE, f"in front: {screen.package!r}")
    return f"in front: {screen.package}"


def shows_overview(bench: Bench) -> str:
    """Press overview: the app is no longer in front."""
    bench.page()
    screen = bench.do(Key("overview"))
    activity = f"{screen.package}/{screen.activity}"
    need(not is_shown(screen), "the app is still shown after overview")
    need(activity != f"{PACKAGE}/{PACKAGE}.Main", f"in front after overview: {activity}")
    bench.do(Key("home"))
    return activity


def changes_volume(bench: Bench) -> str:
    """Press both volume keys: the app's volume goes one step each way."""
    screen = bench.page()
    volume = int(facts(screen)["volume"])
    down, up = (Key("volume_down"), -1), (Key("volume_up"), 1)
    put_back = f"volume --stream 3 --set {volume}"
    bench.undo.append(f"media {put_back} 2>/dev/null || cmd media_session {put_back}")
    for key, step in (up, down) if volume == 0 else (down, up):
        before = int(facts(screen)["volume"])
        screen = bench.tap(bench.do(key), "One")
        expect(before + step, int(facts(screen)["volume"]), f"the volume after {key.name}")
    return f"from {volume} one step away, and back"


def opens(bench: Bench) -> str:
    """Open the app from the home screen: it is in front, and auto-rotate is as it was."""
    bench.page()
    bench.put("system", "accelerometer_rotation", 0)
    bench.shell(f"am force-stop {PACKAGE}")
    bench.do(Key("home"))
    screen = bench.do(Open(PACKAGE))
    expect("ready", said(screen), "the app after it was opened")
    expect(f"{PACKAGE}.Main", screen.activity, "in front")
    auto = bench.shell("settings get system accelerometer_rotation").strip()
    expect("0", auto, "auto-rotate, which was off, after opening an app")
    return "in front, and auto-rotate still off"


def opens_app(bench: Bench, intent: str) -> str:
    """Open the phone's own app for an intent: it is in front."""
    component = bench.resolve(intent)
    package = component.partition("/")[0]
    if package in {"", "android"} or not bench.resolve(f"{LAUNCHER} {package}"):
        raise CannotBe("no such app" if package != "android" else "several such apps")
    bench.do(Key("home"))
    screen = bench.do(Open(package))
    need(package == screen.package or "permission" in screen.package, f"in front: {screen.package}")
    need(screen.texts or screen.elements, "its hierarchy is empty")
    return f"{screen.package}/{screen.activity}"
