"""Checks that act on the device: they open Settings, type into its search, and go home again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.action import Key, Open, Scroll, Tap, Type
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.state import UNICODE_REMEDY, Doubtful, Unwell
from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.screen import Element, Screen

SETTINGS = "com.android.settings"
_ASCII = "Wi-Fi & 100% of it's"
_BEYOND = "Zürich 北京 ñ"
_REPORT = "it is a fault of the driver or the image: report it with this page"


def goes_home(device: Device) -> str:
    """The home key leads to the launcher."""
    _do(device, Open(SETTINGS))
    screen = _do(device, Key("home"))
    if screen.package == SETTINGS:
        raise Unwell("the home key does not leave Settings", "unpin the app; leave guided access")
    return f"the home key leads to {screen.package}"


def opens_apps(device: Device) -> str:
    """Apps can be opened by their package."""
    if SETTINGS not in system_of(device).packages():
        raise Doubtful(f"{SETTINGS} is not installed", "the checks that act need it")
    screen = _settings(device)
    return f"opened {screen.package}/{screen.activity}"


def taps(device: Device) -> str:
    """A tap reaches its target, and the back key returns to the previous page."""
    before = _settings(device)
    after = _do(device, Tap(*_row(before).bounds.center))
    if after.texts == before.texts:
        raise Unwell(f"a tap on {_row(before).describe()} changed nothing", _REPORT)
    if _do(device, Key("back")).package != SETTINGS:
        raise Unwell("back did not come back to Settings", _REPORT)
    return f"a tap on {_row(before).label[:40]!r} opened its page, and back came back"


def scrolls(device: Device) -> str:
    """A list can be scrolled there and back."""
    before = _settings(device)
    down = _do(device, Scroll("up"))
    if down.texts == before.texts:
        remedy = "the screen may be too large for Settings to scroll; if not, report it"
        raise Doubtful("a finger that moved up scrolled nothing", remedy)
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
            raise  # something else is wrong, which the keyboard would not cure
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
            raise Doubtful("Settings does not turn with the screen", "tablets may not have to")
        after = _do(device, Tap(*_row(turned).bounds.center))
        if after.texts == turned.texts:
            raise Unwell("a tap on the turned screen changed nothing", _REPORT)
    finally:
        _turn(device, *before)
    return "{}x{} turned is {}x{}".format(*upright.size, *turned.size)


def _types(device: Device, text: str) -> str:
    search = _settings(device)
    box = search.find(text="Search settings") or search.find(content_desc="Search settings")
    box = box or search.find(content_desc="Search")
    after = _do(device, Tap(*box.bounds.center)) if box else search
    field = _field(after)
    if field is None:
        raise Doubtful("Settings shows no field to type into", "try typing in an app of your own")
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
        raise Unwell(msg, "close dialogs and crash reports on the device, and disable them")
    return screen


def _row(screen: Screen) -> Element:
    """A row of a list that leads to a page of its own."""
    titles = [e for e in screen.elements if e.resource_id == "android:id/title" and e.text]
    for title in titles:
        row = next((a for a in title.ancestors if a.clickable), None)
        if row is not None and row.enabled and row.bounds.bottom < screen.size[1]:
            return row
    raise Doubtful("Settings shows no rows to tap", "its layout is not Android's own")


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
