"""The focus: which app and activity a phone reports as being in front."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    found = _COMPONENT.search(text)
    if found is None:
        return None
    package, name = found.groups()
    return package, f"{package}{name}" if name.startswith(".") else name
