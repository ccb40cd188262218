from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.ui.chrome import LAYERS, keyboard
from pytest_mobileagent.virtual.ui.touch import tap, target

if TYPE_CHECKING:
    from tests.virtual.ui.conftest import Screen


def keys(screen: Screen, layer: str) -> dict[str, tuple[int, int]]:
    """Tap the centre of every key; return where each one is, by what it types."""
    typed: list[str] = []
    root = screen.show(keyboard(layer, typed.append, action="search"))
    middles = []
    for box in root.walk():
        if box.view.clickable:
            left, top, right, bottom = box.bounds
            middle = (left + right) // 2, (top + bottom) // 2
            found = target(root, *middle)
            assert found is box
            tap(found, *middle, screen.state)
            middles.append(middle)
    return dict(zip(typed, middles, strict=True))


def test_letters_lie_as_on_a_typewriter(screen: Screen) -> None:
    places = keys(screen, "letters")
    row = [key for key, (_, y) in places.items() if y == places["q"][1]]
    assert "".join(row) == "qwertyuiop"
    assert {" ", "\b", "\n", ",", ".", "capitals", "symbols"} <= places.keys()


def test_capitals_lie_where_their_letters_do(screen: Screen) -> None:
    letters, capitals = keys(screen, "letters"), keys(screen, "capitals")
    assert all(capitals[key.upper()] == letters[key] for key in "qazm")


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_leads_on_and_stays_on_the_screen(screen: Screen, layer: str) -> None:
    places = keys(screen, layer)
    assert layer == "digits" or any(key in LAYERS for key in places)
    assert all(0 < x < 1080 and 1500 < y < 2400 for x, y in places.values())


def test_every_printable_ascii_character_has_a_key(screen: Screen) -> None:
    found = {key for layer in LAYERS for key in keys(screen, layer)}
    assert {chr(code) for code in range(32, 127)} <= found
