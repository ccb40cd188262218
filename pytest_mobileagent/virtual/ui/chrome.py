"""What the system draws around apps: bars, scrims, toasts and the soft keyboard."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_mobileagent.virtual.ui.components import AppBar, word
from pytest_mobileagent.virtual.ui.theme import DRAWINGS
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
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    OnKey: TypeAlias = Callable[[str], object]


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
    below = Frame([root], height=MATCH, margin=(0, top, 0, 0))
    parts: list[View] = [Column([below], height=MATCH, margin=(0, 0, 0, bottom))]
    if top:
        parts.append(View(id="android:id/statusBarBackground", width=MATCH, height=top))
    if bottom:
        name = "android:id/navigationBarBackground"
        parts.append(View(id=name, width=MATCH, height=BAR, align="bottom", background=floor))
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
    panel = Frame([message], width=WRAP, align="bottom|center_horizontal", corner=24, elevation=4)
    panel.margin, panel.padding = (24, 24, 24, 72), (20, 12)
    panel.background = "surface_container_high"
    return panel


_TABLE: Final = tomllib.loads(Path(__file__).with_name("keyboard.toml").read_text("utf-8"))
LAYERS: Final = tuple(_TABLE["layers"])
_NAMED: Final = _TABLE["named"]


def keyboard(layer: str, on_key: OnKey, *, action: str = "enter") -> View:
    r"""Create the keyboard, at the bottom of the screen, above the navigation bar.

    `on_key` receives the character of a key, "\b", "\n" for the action key, or the name of the
    layer that a key switches to.
    """
    rows = [_row(row, layer, on_key, action) for row in _TABLE["layers"][layer]]
    board = Column(rows, id="keyboard_view", align="bottom", padding=(3, 6, 3, 36))
    board.direction = "ltr"  # rows are never mirrored, as on hardware keyboards
    board.background = "surface_container"
    return board


def _row(text: str, layer: str, on_key: OnKey, action: str) -> View:
    keys = [key.replace("\N{NO-BREAK SPACE}", " ") for key in text.split(" ")]
    indent = 20 if len(keys) == 9 and keys[0] not in LAYERS else 0
    wide = {} if len(keys) == 4 else {" ": 5.0} | dict.fromkeys(_NAMED.keys() - " ", 1.5)
    views = [_key(key, layer, on_key, action) for key in keys]
    for key, view in zip(keys, views, strict=True):
        view.weight = wide.get(key, 1)
    return Row(views, height=54, min_height=38, padding=(indent, 0))


def _key(key: str, layer: str, on_key: OnKey, action: str) -> View:
    look = "capitals" if key == "letters" and layer == "capitals" else key  # the shift key toggles
    label, desc = _NAMED.get(look, (key, key))
    if key == "\n":
        label = _TABLE["actions"].get(action, label)
    view: View
    if label in DRAWINGS:
        view = Frame([Image(label, size=22, color="on_surface", align="center")])
    else:
        view = Text(label, size=14 if key in LAYERS else 22, gravity="center", max_lines=1)
    desc = word(desc) if key in _NAMED else desc
    view.desc, view.on_click, view.touch_padding = desc, partial(on_key, key), 3
    view.height, view.margin, view.corner = MATCH, 3, 6
    view.background = "surface"
    if key == "\n":
        view.background, view.corner = "primary_container", 23
    elif key in _NAMED and key != " ":
        view.background = "surface_container_highest"
    if look == "capitals" == layer:
        view.background = "primary_container"
    return view
