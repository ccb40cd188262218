"""Makes labelled pairs of screens on a phone: do both screens show the same page?

The labels follow from what was done between the two screens, not from anybody's opinion.
"""

from __future__ import annotations

import asyncio
import io
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw

from pytest_mobileagent import Screen
from pytest_mobileagent.screen.xml import in_other_dialect, parse_tree
from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.phone import Phone

START = datetime(2026, 11, 20, 10, 24, tzinfo=UTC)
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+ \S+ ([^/}]+)(?:/([^}]+))?\}")


@dataclass(frozen=True)
class Pair:
    """Two screens, whether they show the same page, and how they differ."""

    one: Screen
    other: Screen
    same: bool
    how: str


class Hand:
    """Operates a phone as a person would, and captures its screens."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    def sh(self, script: str) -> str:
        """Run a script on the phone, and return its output."""
        out = Collected()
        session = Session(
            phone=self.phone, uid=2000, stdin=Bytes(b""), stdout=out, stderr=Collected()
        )
        asyncio.run(run(session, script))
        return out.data.decode()

    def look(self) -> Screen:
        """Return the phone's current screen."""
        found = _FOCUS.search(self.sh("dumpsys window"))
        package, activity = (found[1], found[2] or "") if found else ("", "")
        time = self.phone.clock.now().replace(tzinfo=None)
        return Screen(self.phone.dump(), self.phone.screenshot(), package, activity, time)

    def tap(self, **criteria: Any) -> None:
        """Tap the element that meets the criteria."""
        self.phone.tap(*self.look().get(**criteria).bounds.center)

    def do(self, way: tuple[Any, ...]) -> None:
        """Play moves: a package to launch, text or a description to tap, criteria, a function."""
        for move in way:
            if callable(move):
                move(self)
            elif isinstance(move, dict):
                self.tap(**move)
            elif "." in move and " " not in move:
                self.phone.activities.launch(move)
            elif self.look().find(text=move):
                self.tap(text=move)
            else:
                self.tap(content_desc=move)

    def pass_minutes(self, minutes: float) -> None:
        """Advance the phone's clock."""
        self.phone.clock.set(self.phone.clock.time() + minutes * 60)
        self.phone.changed()


def scroll(hand: Hand) -> None:
    """Scroll down by a third of the screen."""
    hand.phone.swipe(540, 1700, 540, 900, 300)


def types(text: str) -> Callable[[Hand], None]:
    """Return a move that types a text."""
    return lambda hand: hand.phone.type_text(text)


def key(name: str) -> Callable[[Hand], object]:
    """Return a move that presses a key."""
    return lambda hand: hand.sh(f"input keyevent {name}")


def nth_switch(n: int) -> dict[str, str]:
    """Return the criteria of the nth switch on a screen, from 1."""
    return {"xpath": f"(//*[@class='android.widget.Switch'])[{n}]"}


COURSERA, CHROME, SETTINGS = "org.coursera.android", "com.android.chrome", "com.android.settings"
WISH, NOTES = "com.contextlogic.wish", "com.simplemobiletools.notes.pro"
GOOGLE, WIKIPEDIA = "com.google.android.", "org.wikipedia"
CLOCK, CONTACTS, CALCULATOR = f"{GOOGLE}deskclock", f"{GOOGLE}contacts", f"{GOOGLE}calculator"
FILES, DIALER, MAPS = f"{GOOGLE}documentsui", f"{GOOGLE}dialer", f"{GOOGLE}apps.maps"
MESSAGES, PHOTOS = f"{GOOGLE}apps.messaging", f"{GOOGLE}apps.photos"

# Paths to pages that show no time, or only times derived from the phone's clock.
PAGES: dict[str, tuple[Any, ...]] = {
    "home": (),
    "explore": (COURSERA,),
    "learn": (COURSERA, "Learn"),
    "profile": (COURSERA, "Profile"),
    "course settings": (COURSERA, "Profile", "Settings"),
    "course": (COURSERA, "Negotiation Skills"),
    "other course": (COURSERA, "Python for Beginners"),
    "wish": (WISH,),
    "product": (WISH, "Bread knife"),
    "contacts": (CONTACTS,),
    "contact": (CONTACTS, "Ana Ribeiro"),
    "other contact": (CONTACTS, "Chloe Martin"),
    "alarms": (CLOCK,),
    "timer": (CLOCK, "Timer"),
    "world clock": (CLOCK, "Clock"),
    "calculator": (CALCULATOR,),
    "files": (FILES,),
    "tabs": (CHROME,),
    "conversation": (MESSAGES, "Ben Carter"),
    "dialer": (DIALER,),
    "notes": (NOTES,),
    "settings": (SETTINGS,),
    "display": (SETTINGS, "Display"),
    "network": (SETTINGS, "Network & internet"),
    "wikipedia": (WIKIPEDIA,),
    "maps": (MAPS,),
    "photos": (PHOTOS,),
}

_DARK = "cmd uimode night yes"
_TYPED = {
    "course search": ((COURSERA, "Search"), {"resource_id": "search_query"}, "linear"),
    "contact search": ((CONTACTS, "Search contacts"), None, "ana"),
    "address": ((CHROME,), {"resource_id": "search_box_text"}, "lamp"),
    "message": ((MESSAGES, "Ben Carter"), {"resource_id": "compose_message_text"}, "hello"),
    "note": ((NOTES,), {"resource_id": "text_note_view"}, "milk"),
    "map search": ((MAPS,), {"resource_id": "search_omnibox_edit_text"}, "park"),
    "wish search": ((WISH,), {"text": "What do you want to find?"}, "lamp"),
    "settings search": ((SETTINGS,), "Search settings", "dark"),
}
# A page, and one move that leads to another page.
_STEPS: list[tuple[str, str, Any]] = [
    *((f"scrolled {n}", n, scroll) for n in ("course", "other course", "wish", "contacts",
      "settings", "display", "wikipedia", "photos")),
    ("switched 1", "course settings", "Dark Mode"),
    ("switched 2", "course settings", "Download over Wi-Fi only"),
    ("switched 3", "course settings", "Push notifications"),
    *((f"switched alarm {n}", "alarms", nth_switch(n)) for n in (1, 2, 3)),
    *((f"switched display {n}", "display", nth_switch(n)) for n in (1, 2, 3)),
    *((f"switched network {n}", "network", nth_switch(n)) for n in (1, 2)),
    ("saved course", "course", "Save"),
    ("tab learn", "explore", "Learn"),
    ("tab related", "product", "Related"),
    ("tab timer", "alarms", "Timer"),
    ("tab saved", "learn", "Saved"),
    ("menu of clock", "alarms", "More options"),
    ("menu of chrome", "tabs", "Customize and control Google Chrome"),
    ("menu of calculator", "calculator", "More options"),
    ("menu of messages", "conversation", "More options"),
    ("roots", "files", "Show roots"),
    ("grid", "files", "Grid view"),
    ("drawer", "contacts", "Open navigation drawer"),
    ("digit", "calculator", "7"),
    ("other digit", "calculator", "8"),
    ("alarm expanded", "alarms", {"content_desc": "Expand alarm"}),
    ("key pad", "dialer", "key pad"),
    ("contacts of dialer", "dialer", "Contacts"),
    ("other note", "notes", "Groceries"),
    ("map moved", "maps", lambda hand: hand.phone.swipe(540, 1400, 540, 900, 800)),
    ("map moved aside", "maps", lambda hand: hand.phone.swipe(800, 1200, 300, 1200, 800)),
    ("timer digit", "timer", "1"),
]  # fmt: skip
_NEIGHBOURS = [
    ("course", "other course"), ("contact", "other contact"), ("explore", "learn"),
    ("learn", "profile"), ("profile", "course settings"), ("settings", "display"),
    ("display", "network"), ("alarms", "world clock"), ("wish", "product"), ("home", "explore"),
    ("contacts", "contact"), ("notes", "files"),
]  # fmt: skip
_PICTURES = ("explore", "contact", "wish", "alarms", "files", "wikipedia", "home", "photos")
_LANGUAGES = ("settings", "alarms", "calculator", "dialer", "contacts")
_BARE_DAYS = ("home", "explore", "course settings", "calculator", "timer", "contact", "notes")
_THERE_AND_BACK = {
    "explore": "Negotiation Skills", "profile": "Settings", "contacts": "Ana Ribeiro",
    "settings": "Display", "dialer": "key pad", "alarms": "Add alarm", "photos": None,
}  # fmt: skip


class Maker:
    """Makes the pairs, each on a freshly restored phone."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.hand = Hand(phone)

    def at(self, way: tuple[Any, ...], later: float = 0, before: str = "") -> Screen:
        """Restore the phone, let minutes pass, run a script, do moves; return the screen."""
        self.phone.snapshots.load("default_boot")
        self.phone.clock.set(START.timestamp() + later * 60)
        if before:
            self.hand.sh(before)
        self.hand.do(way)
        return self.hand.look()

    def pairs(self) -> Iterator[Pair]:
        """Yield all pairs that one phone can produce."""
        for make in (self._waiting, self._again, self._back, self._caret, self._looks, self._steps):
            yield from make()

    def _waiting(self) -> Iterator[Pair]:
        """Yield pairs of a page and the same page later: another minute, charge, or notice."""
        for name, way in PAGES.items():
            first = self.at(way)
            self.hand.pass_minutes(11)
            yield Pair(first, self.hand.look(), True, f"{name}, 11 minutes later")
            self.phone.power.set_battery(level=17, ac=False)
            self.phone.changed()
            yield Pair(first, self.hand.look(), True, f"{name}, with less charge")
        for name in ("explore", "settings", "notes", "contact", "wish", "files"):
            first = self.at(PAGES[name])
            self.hand.sh("cmd notification post -t News tag 'Something has happened'")
            self.hand.pass_minutes(1)
            yield Pair(first, self.hand.look(), True, f"{name}, with a notice in the status bar")

    def _again(self) -> Iterator[Pair]:
        """Yield pairs of a page and the same page reached again on a restored phone."""
        for name, way in PAGES.items():
            yield Pair(self.at(way), self.at(way, 95), True, f"{name}, reached 95 minutes later")
        for name in _BARE_DAYS:
            one, other = self.at(PAGES[name]), self.at(PAGES[name], 5 * 24 * 60)
            yield Pair(one, other, True, f"{name}, five days later")

    def _back(self) -> Iterator[Pair]:
        """Yield pairs of a page and the same page after a visit to another page."""
        for name, move in _THERE_AND_BACK.items():
            first = self.at(PAGES[name])
            self.hand.do((key("HOME"), PAGES[name][0]) if move is None else (move, key("BACK")))
            yield Pair(first, self.hand.look(), True, f"{name}, left and come back to")
        for name in ("explore", "alarms", "settings", "contact", "wish"):
            first = self.at(PAGES[name])
            tree = in_other_dialect(parse_tree(first.xml))
            yield Pair(first, _with_hierarchy(first, tree), True, f"{name}, through Appium")

    def _caret(self) -> Iterator[Pair]:
        """Yield pairs that differ in a blinking cursor, a keyboard, or typed text."""
        for name, (way, field, text) in _TYPED.items():
            closed = self.at(way)
            self.hand.do((field,) if field is not None else ())
            if not any(e.focused for e in self.hand.look().elements):
                self.hand.tap(class_name="EditText")
            opened = self.hand.look()
            at = opened.get(class_name="EditText", focused=True).bounds
            yield Pair(opened, _with_caret(opened, at.center), True, f"{name}, the cursor blinks")
            if field is not None:
                yield Pair(closed, opened, False, f"{name}, with its keyboard")
            self.hand.do((types(text),))
            typed = self.hand.look()
            yield Pair(opened, typed, False, f"{name}, with a text")
            self.hand.do((types("s"),))
            yield Pair(typed, self.hand.look(), False, f"{name}, with one letter more")

    def _looks(self) -> Iterator[Pair]:
        """Yield pairs with the same elements in other colours or with other texts."""
        for name, way in PAGES.items():
            light, dark = self.at(way), self.at(way, before=_DARK)
            if light.image.getpixel((540, 2200)) != dark.image.getpixel((540, 2200)):
                yield Pair(light, dark, False, f"{name}, in the dark theme")
        for name in _LANGUAGES:
            english = self.at(PAGES[name])
            self.phone.locales.change(["de-DE"])
            yield Pair(english, self.hand.look(), False, f"{name}, in German")
        for name in _PICTURES:
            screen = self.at(PAGES[name])
            yield Pair(screen, _noisy(screen), True, f"{name}, recorded with losses")
            yield Pair(screen, _with_icon(screen), False, f"{name}, with an icon that is filled")

    def _steps(self) -> Iterator[Pair]:
        """Yield pairs of a page and the page to which a move led, and pairs of different pages."""
        for how, name, move in _STEPS:
            first = self.at(PAGES[name])
            self.hand.do((move,))
            yield Pair(first, self.hand.look(), False, how)
        for one, other in _NEIGHBOURS:
            yield Pair(self.at(PAGES[one]), self.at(PAGES[other]), False, f"{one} and {other}")


def _with_hierarchy(screen: Screen, tree: Any) -> Screen:
    from lxml import etree

    xml = etree.tostring(tree, encoding="unicode")
    return Screen(xml, screen.png, screen.package, screen.activity, screen.time)


def _repainted(screen: Screen, picture: Image.Image) -> Screen:
    packed = io.BytesIO()
    picture.save(packed, "PNG")
    return Screen(screen.xml, packed.getvalue(), screen.package, screen.activity, screen.time)


def _noisy(screen: Screen) -> Screen:
    """Return the screen after slightly lossy compression, such as JPEG."""
    packed = io.BytesIO()
    screen.image.save(packed, "JPEG", quality=92)
    return _repainted(screen, Image.open(packed))


def _with_icon(screen: Screen) -> Screen:
    """Return the screen with a filled heart of 24 dp that is not in the hierarchy."""
    picture = screen.image.copy()
    draw = ImageDraw.Draw(picture)
    draw.ellipse((930, 700, 962, 732), fill=(211, 47, 47))
    draw.ellipse((958, 700, 990, 732), fill=(211, 47, 47))
    draw.polygon(((932, 724), (988, 724), (960, 756)), fill=(211, 47, 47))
    return _repainted(screen, picture)


def _with_caret(screen: Screen, at: tuple[int, int]) -> Screen:
    """Return the screen half a second later, with Android's cursor, 2 dp wide, toggled."""
    picture = screen.image.copy()
    x, y = at
    ImageDraw.Draw(picture).rectangle((x, y - 30, x + 5, y + 30), fill=(0, 105, 92))
    return _repainted(screen, picture)
