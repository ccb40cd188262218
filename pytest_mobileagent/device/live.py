"""What the drivers of live devices have in common: how they wait for a screen, and make it.

They also notice that typed text was lost: if another keyboard than ADBKeyboard is the current one,
if no field has the focus, or if a field refuses it. Nothing is lost where a field formats,
completes, shortens or hides its text.
"""

from __future__ import annotations

import difflib
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Type, Wait
from pytest_mobileagent.device.device import Capture, Settle
from pytest_mobileagent.device.logcat import DROPBOX_SCRIPT, dropbox_crashes
from pytest_mobileagent.device.screen import Camera, turned
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.screen import xml as hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import DeviceState
    from pytest_mobileagent.device.drivers.adb.system import AdbSystem
    from pytest_mobileagent.device.drivers.appium.remote_system import RemoteSystem
    from pytest_mobileagent.device.screen import Shot
    from pytest_mobileagent.episode.event import Crash, Event, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo
    from pytest_mobileagent.screen.element import Element

_LOOKS_WITHOUT_TREE = 3  # in a row, at least, before the device counts as broken
_PAUSE = 0.05  # seconds before a hierarchy is requested again


@dataclass(frozen=True, slots=True)
class Look:
    """An observation that can be compared: two are equal if their pixels or their trees are.

    - `shot`: the screenshot as the phone returned it; `png` is empty if it does not show the page.
    - `xml`: the view hierarchy; None if the device returned none.
    - `is_whole`: whether all that was asked for is there, or will not be there later either.
    - `package`: the app that has the focus.
    - `read`: returns the state beside the screen.
    - `printed`: what the device said of the hierarchy.
    """

    shot: Shot
    xml: str | None
    png: bytes
    is_whole: bool
    package: str
    read: Callable[[], DeviceState]
    printed: str = ""


class LiveDevice:
    """A device whose screen is behind a system; `tells` is what takes screenshots.

    `name` is what errors call the device. Subclasses look and act.
    """

    system: AdbSystem | RemoteSystem

    def __init__(
        self, system: AdbSystem | RemoteSystem, settle: Settle | None, name: str, tells: str
    ) -> None:
        self.system = system
        self._settle = settle or Settle()
        self._spares = False
        self._shot: bytes | None = None  # what was seen right after the last action: this, or
        self._tree: str | None = None  # this if no screenshots are taken
        self._size = self.info.size  # the size of the last screen, which may have been rotated
        self._typing = Typing()
        self._camera = Camera(name, system.size, tells, system.panels)

    @property
    def info(self) -> DeviceInfo:
        return self.system.info

    def events(self) -> tuple[Event, ...]:
        return self.system.events()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        return self.system.log(late=late)

    def stored_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        """Return the crashes in Android's DropBox since a moment; None if it cannot be read.

        If an app crashes often, some are missing: Android stores only the first ones per minute.
        """
        return dropbox_crashes(self.system.shell(DROPBOX_SCRIPT), since)

    def close(self) -> None:
        self.system.close()

    def _capture(self, take: Callable[[], Look], no_tree: Callable[[Look], Exception]) -> Capture:
        """Look until the screen has settled, and return it with the values of the probes."""
        look = self._settled(take, no_tree)
        self._shot = self._tree = None
        state = look.read()
        assert look.xml is not None
        png, notice, extent = b"", "", None
        if self._spares:
            extent = turned(self.info.size, look.xml)
        else:
            png, notice = self._camera.picture(look.shot, look.xml, self.info.size)
        about = state.package, state.activity, state.time
        screen = Screen(look.xml, png, *about, extent=extent, notice=notice)
        self._size = screen.size
        return Capture(screen, state.probes, lost=self._typing.seen(look.xml))

    def _settled(self, take: Callable[[], Look], no_tree: Callable[[Look], Exception]) -> Look:
        """Look until two looks in a row are equal, or the app's time limit has passed.

        Hierarchies are compared too, as a blinking cursor keeps changing pixels. A look that fails
        while a page changes is repeated until the limit, too. `no_tree` returns the error that is
        raised if the device keeps returning no hierarchy.
        """
        started = time.monotonic()
        failures = 0
        while True:
            look = take()
            failures = failures + 1 if look.xml is None else 0
            late = time.monotonic() - started > self._settle.limit(look.package)
            if look.xml is None:
                if late and failures >= _LOOKS_WITHOUT_TREE:
                    raise no_tree(look)
                time.sleep(_PAUSE)
            elif late or (look.is_whole and self._is_same(look)):
                return look
            self._shot, self._tree = look.png, look.xml

    def _is_same(self, look: Look) -> bool:
        return bool(look.png and look.png == self._shot) or look.xml == self._tree

    def _forget(self, anew: bool = False) -> None:
        """Forget the last screen, after a reset or a change of the display."""
        self._shot = self._tree = None
        self._typing.forget()
        self._size = self.info.size


_EDITABLE = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
_HIDDEN = re.compile(r"[•●∙·*]*")
_SIMILAR = 0.5  # at least this ratio has text that a field has changed


class Typing:
    """The last thing that was typed on a device, until the next look."""

    def __init__(self) -> None:
        self._action: Type | None = None
        self._before = ""  # the hierarchy of the last look

    def note(self, action: Action) -> None:
        """Note an action on the device; after anything else, it is unknown whether text arrived."""
        if not isinstance(action, Wait):
            self._action = action if isinstance(action, Type) else None

    def forget(self) -> None:
        """Forget the last look, after a reset or a change of the display."""
        self._action, self._before = None, ""

    def seen(self, xml: str) -> str:
        """Note the hierarchy of a look; return a notice if the text before it was lost, else ""."""
        action, before = self._action, self._before
        self._action, self._before = None, xml
        return "" if action is None or not before else lost(action, before, xml)


def lost(action: Type, before: str, after: str) -> str:
    """Return a notice if text is missing in the hierarchy after it was typed; "" if unknown."""
    # A key that submits the text may clear the field, or leave the page.
    if action.enter or not action.text.strip() or re.search(r"[\r\n\t]", action.text):
        return ""
    try:
        earlier, now = list(hierarchy.parse(before).iter()), list(hierarchy.parse(after).iter())
    except ScreenError:
        return ""
    fields = [each for each in now if each.class_name.endswith(_EDITABLE)]
    if _arrived(action.text, earlier, now, fields):
        return ""
    field = next((each for each in fields if each.focused), None)
    if field is None:
        no_field = not any(each.focused for each in now) and before == after
        return _notice(action, "no field has the focus") if no_field else ""
    previous = _same(field, [e for e in earlier if e.class_name.endswith(_EDITABLE)], fields)
    old = None if previous is None else previous.text
    if field.password and not (field.text and _HIDDEN.fullmatch(field.text)):
        return ""
    if old is None:
        typed, shown = _plain(action.text), _plain(field.text)
        ratio = difflib.SequenceMatcher(None, typed[:200], shown[:200]).ratio()
        is_lost = not field.password and not (shown and shown in typed) and ratio < _SIMILAR
    else:
        is_lost = field.text == old or (action.clear and not field.text)
    return _notice(action, f"{field.describe()[:200]} has the focus") if is_lost else ""


def _notice(action: Type, where: str) -> str:
    return f"the typed text {action.text[:50]!r} is not on the screen: {where}"


def _arrived(
    text: str, earlier: Sequence[Element], now: Sequence[Element], fields: Sequence[Element]
) -> bool:
    """Return whether fields, one or several together, or new elements contain the text."""
    known = {element.text for element in earlier}
    places = [element.text for element in now if element.text not in known]
    places += [element.text for element in fields]
    places.append("".join(element.text for element in fields))  # one field for each digit
    wanted = _plain(text) or text.strip()
    return any(wanted in _plain(place) or text.strip() in place for place in places)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _same(field: Element, earlier: Sequence[Element], now: Sequence[Element]) -> Element | None:
    """Return the field as it was earlier: by its bounds, its id if that is unique, or its place."""
    for alike in (
        [each for each in earlier if each.bounds == field.bounds],
        [each for each in earlier if field.resource_id and each.resource_id == field.resource_id],
    ):
        if len(alike) == 1:
            return alike[0]
    place = next(place for place, each in enumerate(now) if each is field)
    return earlier[place] if len(earlier) == len(now) else None
