"""The editing of text in fields, and the soft keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.ui import Input, editing
from pytest_mobileagent.virtual.ui.chrome import LAYERS, keyboard
from pytest_mobileagent.virtual.ui.layout import UiState
from pytest_mobileagent.virtual.ui.touch import tap, target

if TYPE_CHECKING:
    from tests.virtual.ui.conftest import Screen


class Field:
    """An app that keeps the typed text; "|" in a text is the cursor, "[" the other end."""

    def __init__(self, marked: str, **options: Any) -> None:
        text = marked.replace("[", "").replace("|", "")
        self.state = UiState(cursor=marked.replace("[", "").index("|"))
        if "[" in marked:
            self.state.anchor = marked.replace("|", "").index("[")
        self.input = Input(text, on_change=self._typed, **options)

    def _typed(self, text: str) -> None:
        self.input.text = text

    @property
    def marked(self) -> str:
        text, cursor = self.input.text, self.state.cursor
        return f"{text[:cursor]}|{text[cursor:]}"


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        ("|", "a", "a|"),
        ("a|c", "b", "ab|c"),
        ("a[bb|c", "x", "ax|c"),
        ("a|bb[c", "x", "ax|c"),
        ("a|", "b\nc", "abc|"),
    ],
)
def test_typing(before: str, typed: str, after: str) -> None:
    field = Field(before)
    editing.insert(field.input, typed, field.state)
    assert field.marked == after


def test_some_fields_take_some_characters_only() -> None:
    field = Field("1|", numeric=True)
    editing.insert(field.input, "2a3", field.state)
    assert field.marked == "123|"
    field = Field("a|", multiline=True)
    editing.insert(field.input, "\nb", field.state)
    assert field.marked == "a\nb|"


@pytest.mark.parametrize(
    ("before", "forward", "after"),
    [
        ("ab|c", False, "a|c"),
        ("ab|c", True, "ab|"),
        ("|a", False, "|a"),
        ("a|", True, "a|"),
        ("a[bb|c", False, "a|c"),
        ("a[bb|c", True, "a|c"),
    ],
)
def test_deleting(before: str, forward: bool, after: str) -> None:
    field = Field(before)
    editing.delete(field.input, field.state, forward=forward)
    assert field.marked == after


@pytest.mark.parametrize(
    ("before", "to", "after"),
    [
        ("ab|c", "left", "a|bc"),
        ("|a", "left", "|a"),
        ("a[bb|c", "left", "a|bbc"),
        ("a|b", "right", "ab|"),
        ("a|", "right", "a|"),
        ("a[bb|c", "right", "abb|c"),
        ("ab|c", "home", "|abc"),
        ("ab|c", "end", "abc|"),
        ("ab\nc|d\ne", "home", "ab\n|cd\ne"),
        ("ab\nc|d\ne", "end", "ab\ncd|\ne"),
        ("a|bc", "all", "abc|"),
    ],
)
def test_moving(before: str, to: str, after: str) -> None:
    field = Field(before)
    editing.move(field.input, field.state, to)
    assert field.marked == after


def test_selecting_all_and_typing_replaces_everything() -> None:
    field = Field("ab|c")
    editing.move(field.input, field.state, "all")
    assert editing.selection(field.input, field.state) == (0, 3)
    editing.insert(field.input, "x", field.state)
    assert field.marked == "x|"


def test_clearing() -> None:
    field = Field("ab|c")
    editing.set_text(field.input, "", field.state)
    assert field.marked == "|"


def test_a_disabled_field_keeps_its_text() -> None:
    field = Field("ab|c", enabled=False)
    editing.insert(field.input, "x", field.state)
    assert field.marked == "ab|c"


def test_submitting_gives_the_text() -> None:
    given_text: list[str] = []
    assert editing.submit(Input("query", on_submit=given_text.append))
    assert not editing.submit(Input("query"))
    assert given_text == ["query"]


@given(st.text(max_size=9), st.integers(0, 20), st.none() | st.integers(0, 20), st.text(max_size=5))
def test_the_cursor_stays_within_the_text_whatever_it_was(
    text: str, cursor: int, anchor: int | None, typed: str
) -> None:
    field = Field("|", multiline=True)
    field.input.text, field.state.cursor, field.state.anchor = text, cursor, anchor
    start, end = editing.selection(field.input, field.state)
    editing.insert(field.input, typed, field.state)
    assert field.input.text == text[:start] + typed + text[end:]
    assert field.state.cursor == start + len(typed)


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
