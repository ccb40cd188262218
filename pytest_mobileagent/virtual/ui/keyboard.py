"""The soft keyboard: ordinary views, whose keys call back with what they type."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_mobileagent.virtual.ui.strokes import DRAWINGS
from pytest_mobileagent.virtual.ui.views import MATCH, Column, Frame, Image, Row, Text, View
from pytest_mobileagent.virtual.ui.words import word

if TYPE_CHECKING:
    from collections.abc import Callable

    OnKey: TypeAlias = Callable[[str], object]

_TABLE: Final = tomllib.loads(Path(__file__).with_name("keyboard.toml").read_text("utf-8"))
LAYERS: Final = tuple(_TABLE["layers"])
_NAMED: Final = _TABLE["named"]


def keyboard(layer: str, on_key: OnKey, *, action: str = "enter") -> View:
    r"""Create the keyboard, at the bottom of the screen, above the navigation bar.

    `on_key` receives the character of a key, "\b", "\n" for the action key, or the name of the
    layer that a key switches to.
    """
    return Column(
        [_row(row, layer, on_key, action) for row in _TABLE["layers"][layer]],
        id="keyboard_view",
        align="bottom",
        direction="ltr",  # rows are never mirrored, as on hardware keyboards
        padding=(3, 6, 3, 36),
        background="surface_container",
    )


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
