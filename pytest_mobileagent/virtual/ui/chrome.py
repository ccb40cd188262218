"""The system's own pieces of the screen: the decor of a window, bars, shade and toast."""

from __future__ import annotations

from pytest_mobileagent.virtual.ui.components import AppBar
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Action,
    Column,
    Frame,
    Group,
    Image,
    List,
    Row,
    Scroll,
    Space,
    Text,
    View,
)

BAR = 24  # dp, of the status bar and of the navigation bar


def decor(
    content: View,
    *,
    top: float = BAR,
    bottom: float = BAR,
    title: str = "",
    up: Action | None = None,
) -> View:
    """Wrap an activity's content as its window does.

    `top` and `bottom` (dp) are left free for the bars, or for the keyboard. Content that does
    not fill the window by itself, and has no bar, gets one with the title, a margin, and scrolls.
    """
    background = content.background  # of a whole screen: it goes on behind the bars
    floor = _floor(content)
    if _barred(content):
        content = Frame([content], height=MATCH)
    elif content.height != MATCH or isinstance(content, List):
        content = Column([AppBar(title, up=up), *_scrolling(content)], height=MATCH)
    inner = Frame([content], id="android:id/content", height=MATCH)
    root = Column([inner], id="action_bar_root", height=MATCH)
    parts: list[View] = [
        Column(
            [Frame([root], height=MATCH, margin=(0, top, 0, 0))],
            height=MATCH,
            margin=(0, 0, 0, bottom),
        )
    ]
    if top:
        parts.append(View(id="android:id/statusBarBackground", width=MATCH, height=top))
    if bottom:
        name = "android:id/navigationBarBackground"
        bar = View(id=name, width=MATCH, height=BAR, align="bottom", background=floor)
        parts.append(bar)
    return Frame(parts, height=MATCH, background=background or "surface")


def _barred(view: View) -> bool:
    return isinstance(view, AppBar) or any(map(_barred, view.children))


def _floor(content: View) -> str:
    """Give the colour of a bar at the bottom, which goes on to the edge of the screen."""
    if type(content) is not Column or not content.children:
        return ""
    last = content.children[-1]
    flush = isinstance(last, Group) and not (last.margin or last.corner)
    return last.background if flush else ""


def _scrolling(content: View) -> list[View]:
    if content.height == MATCH:
        return [content]
    content.padding = content.padding or 16
    return [Scroll(content, weight=1)]


def status_bar(
    time: str,
    *,
    wifi: bool = True,
    airplane: bool = False,
    silent: bool = False,
    battery_text: str = "Battery 100 percent.",
    notifications: int = 0,
    call: str = "",
    ink: str = "on_surface",
) -> View:
    """Make the row at the top of the screen, 24 dp high."""
    left: list[View] = [Text(time, id="clock", size=13, bold=True, color=ink, max_lines=1)]
    if call:
        left.append(_chip(call))
    if notifications:
        left.append(Image("notifications", size=14, color=ink, margin=(6, 0, 0, 0)))
    right = [
        Image("remove", id="zen", size=15, color=ink, visible=silent, desc="Do Not Disturb."),
        Image("airplane", id="airplane_mode", size=15, color=ink, visible=airplane),
        Image("wifi", id="wifi_signal", size=15, color=ink, visible=wifi),
        Image("network", id="mobile_signal", size=15, color=ink, visible=not airplane),
        Image("battery", id="battery", size=15, color=ink, desc=battery_text),
    ]
    for image in right:
        image.margin = (3, 0, 0, 0)
    return Row([*left, Space(), *right], id="status_bar", height=BAR, padding=(20, 0))


def _chip(time: str) -> View:
    """Make what tells of a call that goes on behind the screen."""
    chip = Text(time, id="ongoing_call_chip", icon="call", icon_size=12, size=12, color="#ffffff")
    chip.height, chip.corner, chip.background = 20, 10, "#1e8e3e"
    chip.padding, chip.margin, chip.gravity = (8, 0), (8, 0, 0, 0), "center_vertical"
    return chip


def navigation_bar(*, ink: str = "on_surface") -> View:
    """Make the gesture handle at the bottom of the screen, 24 dp high."""
    handle = View(id="home_handle", width=108, height=4, corner=2, background=ink, align="center")
    return Frame([handle], id="navigation_bar_frame", height=BAR, align="bottom")


def scrim(on_click: Action | None = None) -> View:
    """Make the shade between a dialog and what is behind it."""
    return View(width=MATCH, height=MATCH, background="scrim", on_click=on_click)


def toast(text: str) -> View:
    """Make a toast, near the bottom of the screen."""
    message = Text(text, id="android:id/message", size=14, max_lines=2)
    return Frame(
        [message],
        width=WRAP,
        align="bottom|center_horizontal",
        margin=(24, 24, 24, 72),
        padding=(20, 12),
        background="surface_container_high",
        corner=24,
        elevation=4,
    )
