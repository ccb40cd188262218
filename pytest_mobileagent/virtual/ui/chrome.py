"""What the system draws around the apps' content: window decor, scrim and toast."""

from __future__ import annotations

from pytest_mobileagent.virtual.ui.components import AppBar
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Action,
    Column,
    Frame,
    Group,
    List,
    Scroll,
    Text,
    View,
)

BAR = 24  # dp, height of the status bar and of the navigation bar


def decor(
    content: View,
    *,
    top: float = BAR,
    bottom: float = BAR,
    title: str = "",
    up: Action | None = None,
) -> View:
    """Wrap an activity's content as its window does.

    `top` and `bottom` (dp) are left free for the bars or the keyboard. Content that neither fills
    the window nor has an app bar gets an app bar with the title and a margin, and scrolls.
    """
    background = content.background  # of the whole screen, so it extends behind the bars
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
    """Return the colour of a bar at the bottom, which extends to the edge of the screen."""
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


def scrim() -> View:
    """Create the shade between a dialog and the window behind it."""
    return View(width=MATCH, height=MATCH, background="scrim")


def toast(text: str) -> View:
    """Create a toast, near the bottom of the screen."""
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
