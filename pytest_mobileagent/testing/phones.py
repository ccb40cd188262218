"""Phones in memory, with the same protocol as real ones, and screens for tests.

Screens are made from a few words, from XML, or from an XML file.
"""

from __future__ import annotations

import contextlib
import struct
import zlib
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from pytest_mobileagent.action import Key, Open
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.episode.observation import DeviceInfo, Reset
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.event import Event, LogLine


class FakePhone:
    """A phone that shows one screen after another, whatever the actions; the last one stays.

    - `screens`: screens, XML strings, or paths of XML files.
    - `apps`: the installed packages; None means whatever a task needs.
    - `answers`: the output of shell scripts, which probes read, by script; others print nothing.
    - `react`: called with the phone and each action before it is performed, to raise a DeviceError,
      or to add to `pending_events` or `pending_log`.

    `actions` lists the actions that were performed.
    """

    def __init__(
        self,
        screens: Iterable[Screen | str | Path],
        *,
        apps: Iterable[str] | None = None,
        answers: Mapping[str, str] | None = None,
        react: Callable[[FakePhone, Action], None] | None = None,
        info: DeviceInfo | None = None,
    ) -> None:
        self.screens = [as_screen(screen) for screen in screens]
        if not self.screens:
            raise ValueError("a phone in memory needs at least one screen")
        self.actions: list[Action] = []
        self.answers = dict(answers or {})
        self.pending_events: list[Event] = []
        self.pending_log: list[LogLine] = []
        self.info = info or _info(self.screens[0].size)
        self._apps = None if apps is None else frozenset(apps)
        self._needed: frozenset[str] = frozenset()
        self._react = react
        self._is_pictured = True

    @property
    def screen(self) -> Screen:
        """The screen that the phone shows now."""
        return self.screens[min(len(self.actions), len(self.screens) - 1)]

    @property
    def system(self) -> FakePhone:
        """The phone behind the screen: the object itself."""
        return self

    @property
    def adb(self) -> None:
        """None: no adb reaches this phone."""

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Return the screen and the values of the probes."""
        asked = (probes or {}).items()
        values = {name: probe.parse(self.shell(probe.script)) for name, probe in asked}
        screen = self.screen
        if not self._is_pictured:
            screen = replace(screen, png=b"", extent=screen.size)
        return Capture(screen, values)

    @contextlib.contextmanager
    def without_screenshots(self) -> Iterator[None]:
        """Take no screenshots within this context."""
        self._is_pictured = False
        try:
            yield
        finally:
            self._is_pictured = True

    def perform(self, action: Action) -> None:
        """Perform an action: the phone then shows the next screen."""
        if self._react is not None:
            self._react(self, action)
        self.actions.append(action)

    def events(self) -> tuple[Event, ...]:
        """Return the pending events and clear them."""
        events, self.pending_events = tuple(self.pending_events), []
        return events

    def log(self, *, late: bool = False) -> tuple[LogLine, ...]:
        """Return the pending log lines and clear them; lines are never late on this phone."""
        del late
        lines, self.pending_log = tuple(self.pending_log), []
        return lines

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Show the first screen again."""
        self.actions.clear()
        self._needed = frozenset(apps)
        return Reset("snapshot", snapshot)

    def refresh(self) -> None:
        """Do nothing: nothing known about this phone ever changes."""

    def snapshots(self) -> Sequence[str]:
        """Return the name of the only snapshot."""
        return ["default_boot"]

    def packages(self) -> frozenset[str]:
        """Return the installed packages."""
        return self._needed if self._apps is None else self._apps

    def versions(self) -> Mapping[str, str]:
        """Return the packages, with empty version codes."""
        return dict.fromkeys(self.packages(), "")

    def shell(self, script: str) -> str:
        """Return the entry of `answers` for a script, or ""."""
        return self.answers.get(script, "")

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class MemoryPhone(FakePhone):
    """A phone with a few pages, where tapping an element leads from one page to another.

    - `pages`: screens by name; an episode begins on the first one.
    - `links`: where a touch leads: `{("home", "Search"): "results"}`, by page and by the label or
      short resource id of the element; a package instead of the element is where opening it leads.

    The back key returns to the previous page; actions without a link change nothing. Like recorded
    pages, the phone can `show` any page directly. Keyword arguments are those of `FakePhone`.
    """

    def __init__(
        self,
        pages: Mapping[str, Screen | str | Path],
        links: Mapping[tuple[str, str], str],
        **given: Any,
    ) -> None:
        super().__init__(pages.values(), **given)
        self.pages = dict(zip(pages, self.screens, strict=True))
        self.links = dict(links)
        named = {page for (page, _), target in links.items() for page in (page, target)}
        if unknown := sorted(named - self.pages.keys()):
            msg = f"links name unknown pages: {unknown} (pages: {', '.join(self.pages)})"
            raise ValueError(msg)
        self.history = [next(iter(pages))]

    @property
    def screen(self) -> Screen:
        """The screen of the page that the phone shows now."""
        return self.pages[self.history[-1]]

    def perform(self, action: Action) -> None:
        """Perform an action: follow a link, or go back."""
        super().perform(action)
        if isinstance(action, Key) and action.name == "back":
            del self.history[max(1, len(self.history) - 1) :]
        elif (page := self._target(action)) is not None:
            self.history.append(page)

    def show(self, page: str) -> None:
        """Show the page with this name.

        Raises:
            GraphError: if there is no such page.
        """
        if page not in self.pages:
            raise GraphError(f"there is no page {page!r} (pages: {', '.join(self.pages)})")
        self.history.append(page)

    def reset(self, snapshot: str, apps: Sequence[str]) -> Reset:
        """Show the first page again."""
        del self.history[1:]
        return super().reset(snapshot, apps)

    def _target(self, action: Action) -> str | None:
        here = self.history[-1]
        if isinstance(action, Open):
            return self.links.get((here, action.app))
        if not isinstance(action, Tap | LongPress | DoubleTap):
            return None
        touched = self.screen.at(action.x, action.y)
        names = [n for e in touched for n in (e.label, e.resource_id.rpartition("/")[2]) if n]
        return next((self.links[here, name] for name in names if (here, name) in self.links), None)


class FakeLease:
    """A lease of a phone in memory, for overriding the fixture `mobile_lease`.

    `pytest tasks` then runs on that phone and starts no other::

        @pytest.fixture(scope="session")
        def mobile_lease():
            return FakeLease(FakePhone(["list.xml"]))
    """

    def __init__(self, phone: FakePhone) -> None:
        self.phone = phone
        self.given_up = 0

    def get(self) -> FakePhone:
        """Return the phone."""
        return self.phone

    def give_up(self) -> str:
        """Count that the phone was declared broken; the next `get` returns it again."""
        self.given_up += 1
        return ""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def _info(size: tuple[int, int]) -> DeviceInfo:
    return DeviceInfo("fake", "Fake phone", "15", 35, size, 420, listener=True)


SIZE = (1080, 2400)
_ROW = 120  # pixels
_NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - the phone's own clock


def make_screen(
    *elements: str | Mapping[str, str],
    size: tuple[int, int] = SIZE,
    shade: int = 255,
    time: datetime | None = _NOON,
    **fields: Any,
) -> Screen:
    """Return a screen with elements one below another.

    An element is its text, which makes it clickable, or a mapping of the attributes of a
    UIAutomator dump ("text", "resource-id", "class", "bounds", "clickable", …). `shade` is the grey
    level of the screenshot, from 0 to 255; `fields` are those of `Screen`.
    """
    rows = [_attributes(element, number, size) for number, element in enumerate(elements)]
    nodes = "".join(
        f"<node {' '.join(f'{name}={quoteattr(value)}' for name, value in row.items())}/>"
        for row in rows
    )
    xml = f"<hierarchy rotation='0'>{nodes}</hierarchy>"
    return Screen(xml, png(*size, shade), time=time, **fields)


def as_screen(given: Screen | str | Path) -> Screen:
    """Return a screen, given as a screen, as XML text, or as the path of an XML file."""
    if isinstance(given, Screen):
        return given
    text = str(given)
    xml = text if text.lstrip().startswith("<") else Path(given).read_text("utf-8")
    return Screen(xml, png(*SIZE, 255), time=_NOON)


@lru_cache(maxsize=32)
def png(width: int, height: int, shade: int) -> bytes:
    """Return a plain grey PNG image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        content = kind + data
        return struct.pack(">I", len(data)) + content + struct.pack(">I", zlib.crc32(content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + bytes([shade]) * width) * height)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _attributes(
    element: str | Mapping[str, str], number: int, size: tuple[int, int]
) -> dict[str, str]:
    given = {"text": element, "clickable": "true"} if isinstance(element, str) else dict(element)
    row = f"[0,{number * _ROW}][{size[0]},{(number + 1) * _ROW}]"
    return {"bounds": row, "class": "android.widget.TextView", **given}
