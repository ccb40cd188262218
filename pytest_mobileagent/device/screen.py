"""The screen as phones report it, beside the hierarchy: screenshots, and what is in front.

Screenshots arrive amid other output, refused, black, turned, or scaled; the focus says which app
and activity are in front.

A refusal in AOSP (`screencap`, SurfaceFlinger): up to Android 11 the shell gets no picture of a
page with FLAG_SECURE; `screencap` exits silently, or prints its status, PERMISSION_DENIED (-1).
Since Android 12 the page is black in the picture.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.perception.picture import encode
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.picture import size_of
from pytest_mobileagent.screen.sight import black

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PIL.Image import Image


Size = tuple[int, int]

_PNG, _LAST = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"  # how a file begins and ends
_CUT = "a picture that is cut off"
_WARNING = re.compile(
    r"(?m)^.*(?:Multiple displays were found|A display ID can be specified|--display-id"
    r"|WARNING: linker:).*$"
)
_REFUSAL = re.compile(
    r"Status: -1\b|secure|PERMISSION_DENIED|^\W*Capturing failed\W*$", re.IGNORECASE
)
# At most this many bytes for each 100 pixels have a mostly black PNG; 0.6 if all of it is black.
_BYTES = 3


@dataclass(frozen=True, slots=True)
class Shot:
    """What a phone has returned as a screenshot: a complete PNG file, or b"", and what it said."""

    png: bytes
    said: str = ""

    @classmethod
    def of(cls, output: bytes) -> Shot:
        """Return the screenshot in the output of a command, which may have printed more."""
        start = output.find(_PNG)
        if start < 0:
            return cls(b"", _plain(output))
        if (end := _end(output, start)) is None:
            words = _plain(output[:start])
            return cls(b"", f"{words} {_CUT} after {len(output) - start} bytes".strip())
        return cls(output[start:end], _plain(output[:start] + b"\n" + output[end:]))

    @property
    def warns(self) -> bool:
        """Whether the phone warns that it has several displays."""
        return "display" in self.said

    @property
    def is_refused(self) -> bool:
        """Whether there is no picture because the page forbids it, as far as the words tell."""
        words = _WARNING.sub("", self.said).strip()
        return not self.png and (not words or _REFUSAL.search(words) is not None)


# What screencap says is printed after the picture, not in the middle of it.
_SCREENSHOT = '{ said=$(screencap -p%s 2>&1 >&3 3>&-); echo; echo "$said"; } 3>&1'
# The panel on which the default display is shown (AOSP: DisplayViewport), which changes when a
# phone is folded; without it, one of those that SurfaceFlinger lists.
_PANEL = (
    "panel=$(dumpsys display | grep -o 'DisplayViewport{[^}]*}' | grep 'displayId=0,' | "
    "grep -v isActive=false | sed -n \"s/.*uniqueId='local:\\([0-9]*\\)'.*/\\1/p\" | head -n 1); "
    "panel=${panel:-$(dumpsys SurfaceFlinger --display-id | "
    "sed -n 's/^Display \\([0-9]*\\).*/\\1/p' | sed -n %dp)}; "
)
_MOST_PANELS = 3


class Panels:
    """The panel of which an Android shell takes screenshots: at first, the one that it chooses."""

    def __init__(self) -> None:
        self._number, self._are_several = 0, False

    @property
    def script(self) -> str:
        """The script that prints a screenshot, for `Shot.of`."""
        if not self._number:
            return _SCREENSHOT % ""
        return _PANEL % self._number + _SCREENSHOT % '${panel:+ -d "$panel"}'

    def turn(self, shot: Shot) -> bool:
        """Choose another panel after a screenshot; return False if there seems to be no other."""
        self._are_several = self._are_several or shot.warns
        if self._number >= (_MOST_PANELS if self._are_several else 1):
            return False
        self._number += 1
        return True


def _plain(output: bytes) -> str:
    lines = output[:4000].decode("utf-8", "replace").splitlines()
    shown = ("".join(char if char.isprintable() else " " for char in line) for line in lines)
    return "\n".join(filter(None, (" ".join(line.split()) for line in shown)))[:600]


def _end(output: bytes, start: int) -> int | None:
    """Return where a PNG file ends; None if it is cut off, or has no pixels."""
    end, size = output.find(_LAST, start), output[start + 16 : start + 24]
    return None if end < 0 or bytes(4) in {size[:4], size[4:]} else end + len(_LAST)


_ROTATION = re.compile(r"<hierarchy\b[^>]*\brotation=[\"']([0-3])")
_EXTENT = re.compile(r"\bbounds=[\"']\[-?\d+,-?\d+\]\[(\d+),(\d+)\]")


def _rotation(xml: str) -> int:
    found = _ROTATION.search(xml, 0, 1000)
    return int(found[1]) if found else 0


def turned(size: Size, xml: str) -> Size:
    """Return the size of a screen in pixels, from its unrotated size and the rotation in a dump."""
    return size[::-1] if _rotation(xml) in {1, 3} else size


def has_nodes(xml: str) -> bool:
    """Return whether a hierarchy has any element; one without is mostly of a page that changes."""
    return re.search(r"<(?![?!/]|hierarchy\b)", xml) is not None


class Camera:
    """Makes the picture of a screen from a screenshot: in the frame of the hierarchy, always.

    `device` names the device in errors. `measure` asks the device for its unrotated size, in pixels
    of the hierarchy: it changes when a phone is unfolded. `tells` is what returns screenshots, and
    `panels` are those that it can take one of.
    """

    def __init__(
        self, device: str, measure: Callable[[], Size], tells: str, panels: Panels | None = None
    ) -> None:
        self._device, self._measure, self._tells, self._panels = device, measure, tells, panels
        self._has_shown = False  # a picture, so that what fails now is due to the page
        self._last: tuple[bytes, str, bool] = b"", "", False

    def look(self, shot: Shot, xml: str | None, size: Size) -> tuple[bytes, bool]:
        """Return the PNG file if it shows the page of the hierarchy, and whether to look no more.

        Another look may help if it is of another panel, or if what failed may succeed.
        """
        if not xml:
            return b"", True
        shows = bool(shot.png) and size_of(shot.png) == turned(size, xml)
        shows = shows and not self._is_black(shot.png, xml)
        self._has_shown = self._has_shown or bool(shot.png)
        turns = (shot.warns or not shows) and self._panels is not None and self._panels.turn(shot)
        return shot.png if shows else b"", not turns and has_nodes(xml) and self._is_final(shot)

    def _is_final(self, shot: Shot) -> bool:
        is_cut = _CUT in shot.said
        return bool(shot.png) or shot.is_refused or (self._has_shown and not is_cut)

    def picture(self, shot: Shot, xml: str, size: Size) -> tuple[bytes, str]:
        """Return the PNG file of a screen, and a notice if it does not show the page; else "".

        Raises:
            DeviceError: if there is no picture for another reason than that the page forbids it.
        """
        frame = turned(size, xml)
        if not shot.png:
            said = f"{self._tells} returned {_quoted(shot.said)}"
            if not self._is_final(shot):
                raise DeviceError(f"device {self._device} takes no screenshot: {said}")
            why = "the app on the screen probably forbids screenshots"
            return black(frame), f"there is no screenshot, so the picture is black: {why} ({said})"
        if size_of(shot.png) == frame:
            return shot.png, _FORBIDDEN if self._is_black(shot.png, xml) else ""
        frame = turned(self._measure(), xml)
        png = _fitted(shot.png, frame, xml)
        return png, _FORBIDDEN if self._is_black(png, xml) else ""

    def _is_black(self, png: bytes, xml: str) -> bool:
        if self._last[:2] != (png, xml):
            self._last = png, xml, _is_black(png, xml)
        return self._last[2]


_FORBIDDEN = (
    "the screenshot is black where the page has content: the app probably forbids screenshots"
)


def _quoted(said: str) -> str:
    return repr(" ".join(said.split())[:300]) if said else "nothing"


def _is_black(png: bytes, xml: str) -> bool:
    """Return whether a picture is black wherever the hierarchy has text, or all over."""
    width, height = size_of(png)
    if len(png) * 100 > _BYTES * max(width * height, 100_000) or not has_nodes(xml):
        return False
    with _decoded(png) as image:
        pixels = image.convert("L")
    places = list(_places_of_text(xml, (width, height))) or [Bounds(0, 0, width, height)]
    return all(pixels.crop(place).getextrema() == (0, 0) for place in places)


def _places_of_text(xml: str, size: Size) -> Iterator[Bounds]:
    known = hierarchy.outline(xml)
    for element in known[0] if known else hierarchy.parse(xml).iter():
        left, top, right, bottom = element.bounds
        place = Bounds(max(0, left), max(0, top), min(right, size[0]), min(bottom, size[1]))
        if element.text and place.width and place.height:
            yield place


def _fitted(png: bytes, frame: Size, xml: str) -> bytes:
    """Return a picture turned or scaled to fit a frame, unless it has the size of the window."""
    size = size_of(png)
    extent = _EXTENT.search(xml)
    if size == frame or (extent and size == (int(extent[1]), int(extent[2]))):
        return png
    from PIL import Image

    with _decoded(png) as image:
        is_turned = (size[0] < size[1]) != (frame[0] < frame[1])
        # Android's rotations are clockwise, so that the picture is turned back.
        back = Image.Transpose.ROTATE_270 if _rotation(xml) == 3 else Image.Transpose.ROTATE_90
        upright = image.transpose(back) if is_turned else image
        return encode(upright if upright.size == frame else upright.resize(frame))


@contextmanager
def _decoded(png: bytes) -> Iterator[Image]:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(png)) as image:
            yield image
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DeviceError(f"the screenshot cannot be decoded: {error}") from error


_LINES = "grep -E 'Display: mDisplayId=|mCurrentFocus=|mFocusedApp|mTopFocusedDisplayId='"
# Android 8 and 9 list the focus with the windows, newer versions with the displays. If several
# displays have a focus, only the list of windows tells which of them is used.
FOCUS = (
    f'seen=$(dumpsys window displays | {_LINES}); echo "$seen"; '
    'case "$seen" in *mCurrentFocus=W*mCurrentFocus=W*) ;; *mCurrentFocus=*) false ;; esac && '
    f"dumpsys window windows | {_LINES}"
)
_FIELD = re.compile(
    r"\s*(Display: mDisplayId|mCurrentFocus|mFocusedApp(?:lication)?|mTopFocusedDisplayId)=(.*)"
)
_WINDOW = re.compile(r"Window\{\S+ u\d+ (.*?)(?: EXITING| type=\d+)*\}")
_PACKAGE = r"(?:android|[^\W\d]\w*(?:\.\w+)+)"
_COMPONENT = re.compile(rf"(?<![\w.])({_PACKAGE})/([\w.$]+)")
_OF_APP = re.compile(rf"(?:Splash Screen |Starting )?({_PACKAGE})")


@dataclass(slots=True)
class _Display:
    number: str = ""
    window: str | None = None  # the title of the focused window; empty if there is none
    app: str | None = None  # the line of the app that has, or is about to have, the focus


def focus(dump: str) -> tuple[str, str]:
    """Return the package and the activity that have the focus, from the output of FOCUS.

    The activity is a full class name; it is empty if the window belongs to no activity. For a
    system window above an app, such as a menu or the notification shade, it is the app below. If
    no window has the focus, it is the app that is being started. Both are empty if there is none.

    Of several displays, only those with a focused window count (AOSP: DisplayContent), and of
    those, the one that Android names, or else the default display.
    """
    displays, top = _displays(dump)

    def rank(display: _Display) -> tuple[bool, bool]:
        return display.number == top, display.number == "0"

    focused = [each for each in displays if each.window]
    starting = [each for each in reversed(displays) if each.app]  # the uppermost is printed last
    front = max(focused or starting, key=rank, default=_Display())
    window, below = front.window or "", _component(front.app or "")
    if found := _component(window):
        return found
    if named := _OF_APP.fullmatch(window):
        return named[1], below[1] if below and below[0] == named[1] else ""
    return below or ("", "")


def _displays(dump: str) -> tuple[list[_Display], str]:
    """Return the displays, in the order printed, and the number of the top focused one."""
    displays, top = [_Display()], "-1"
    for name, value in (found.groups() for found in map(_FIELD.match, dump.splitlines()) if found):
        last = displays[-1]
        if name == "mTopFocusedDisplayId":
            top = value.strip()
        elif name.startswith("Display"):
            displays.append(_Display(number=value.split()[0] if value.strip() else ""))
        elif name == "mCurrentFocus":
            if last.window is not None:
                displays.append(last := _Display())
            window = _WINDOW.match(value)
            last.window = window[1] if window else ""
        else:
            if last.app is not None:
                displays.append(last := _Display())
            last.app = value
    return displays, top


def _component(text: str) -> tuple[str, str] | None:
    if (found := _COMPONENT.search(text)) is None:
        return None
    package, name = found.groups()
    return package, f"{package}{name}" if name.startswith(".") else name
