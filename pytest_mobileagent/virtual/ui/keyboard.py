"""The soft keyboard: boxes like any other, whose keys say what they type."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from pytest_mobileagent.virtual.ui.strokes import DRAWINGS
from pytest_mobileagent.virtual.ui.views import MATCH, Column, Frame, Image, Row, Text, View
from pytest_mobileagent.virtual.ui.words import word

if TYPE_CHECKING:
    from collections.abc import Callable

    OnKey: TypeAlias = Callable[[str], object]

Layer: TypeAlias = Literal["letters", "capitals", "symbols", "more_symbols", "digits"]

_LAYERS = get_args(Layer)
_LETTERS = ("q w e r t y u i o p", "a s d f g h j k l", "capitals z x c v b n m \b")
_SYMBOLS = ("1 2 3 4 5 6 7 8 9 0", "@ # $ _ & - + ( ) /", "more_symbols * \" ' : ; ! ? \b")
_MORE = ("~ ` | • √ π ÷ × < >", "£ ¢ € ¥ ^ ° = { } \\", "symbols % © ® ™ ✓ [ ] \b")
_ROWS: dict[str, tuple[str, ...]] = {
    "letters": _LETTERS,
    "capitals": tuple(row.upper().replace("CAPITALS", "letters") for row in _LETTERS),
    "symbols": _SYMBOLS,
    "more_symbols": _MORE,
    "digits": ("1 2 3 -", "4 5 6 \N{NO-BREAK SPACE}", "7 8 9 \b", ", 0 . \n"),
}
_CAPS = {  # how a key that types no character of its own looks, and what it is called
    "\b": ("backspace", "Delete"),
    "\n": ("keyboard_return", "Enter"),
    "letters": ("ABC", "Letters"),
    "capitals": ("shift", "Shift"),
    "symbols": ("?123", "Symbols"),
    "more_symbols": ("=\\<", "More symbols"),
    " ": ("", "Space"),
}
_ACTIONS = {"search": "search", "done": "check", "next": "arrow_forward", "go": "arrow_forward"}


def keyboard(layer: Layer, on_key: OnKey, *, action: str = "enter") -> View:
    r"""Make the keyboard, at the bottom of the screen, above the navigation bar.

    `on_key` gets the character of a key, "\b", "\n" for the action key, or the name of the
    layer that a key leads to.
    """
    rows: list[View] = [_row(row, layer, on_key, action) for row in _ROWS[layer]]
    if layer != "digits":
        switch = "symbols" if layer in ("letters", "capitals") else "letters"
        rows.append(_row(f"{switch} , \N{NO-BREAK SPACE} . \n", layer, on_key, action))
    return Column(
        rows,
        id="keyboard_view",
        align="bottom",
        direction="ltr",  # its rows are read as they are on the keyboards of computers
        padding=(3, 6, 3, 36),
        background="surface_container",
    )


def _row(text: str, layer: Layer, on_key: OnKey, action: str) -> View:
    keys = [key.replace("\N{NO-BREAK SPACE}", " ") for key in text.split(" ")]
    indent = 20 if len(keys) == 9 and keys[0] not in _LAYERS else 0
    wide = {} if len(keys) == 4 else {" ": 5.0} | dict.fromkeys(_CAPS.keys() - " ", 1.5)
    views = [_key(key, layer, on_key, action) for key in keys]
    for key, view in zip(keys, views, strict=True):
        view.weight = wide.get(key, 1)
    return Row(views, height=54, min_height=38, padding=(indent, 0))


def _key(key: str, layer: Layer, on_key: OnKey, action: str) -> View:
    look = "capitals" if key == "letters" and layer == "capitals" else key  # one key goes both ways
    label, desc = _CAPS.get(look, (key, key))
    if key == "\n":
        label = _ACTIONS.get(action, label)
    view: View
    if label in DRAWINGS:
        view = Frame([Image(label, size=22, color="on_surface", align="center")])
    else:
        view = Text(label, size=14 if key in _LAYERS else 22, gravity="center", max_lines=1)
    desc = word(desc) if key in _CAPS else desc
    view.desc, view.on_click, view.touch_padding = desc, partial(on_key, key), 3
    view.height, view.margin, view.corner = MATCH, 3, 6
    view.background = "surface"
    if key == "\n":
        view.background, view.corner = "primary_container", 23
    elif key in _CAPS and key != " ":
        view.background = "surface_container_highest"
    if look == "capitals" == layer:
        view.background = "primary_container"
    return view
