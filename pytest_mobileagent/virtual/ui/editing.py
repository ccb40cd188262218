"""The effect of keys on the focused text field; the app keeps the text, not the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.ui.controls import Input
    from pytest_mobileagent.virtual.ui.layout import UiState


def selection(field: Input, state: UiState) -> tuple[int, int]:
    """Return the start and end index of the selection; both are the cursor if it is empty."""
    cursor = min(state.cursor, len(field.text))
    anchor = cursor if state.anchor is None else min(state.anchor, len(field.text))
    return min(anchor, cursor), max(anchor, cursor)


def insert(field: Input, text: str, state: UiState) -> None:
    """Insert text at the cursor, replacing the selection if there is one."""
    _replace(field, selection(field, state), _fitting(field, text), state)


def set_text(field: Input, text: str, state: UiState) -> None:
    """Replace the whole text."""
    _replace(field, (0, len(field.text)), _fitting(field, text), state)


def _fitting(field: Input, text: str) -> str:
    """Remove the characters that the field does not accept."""
    if field.numeric:
        text = "".join(char for char in text if char.isdigit())
    return text if field.multiline else text.replace("\n", "")


def delete(field: Input, state: UiState, *, forward: bool = False) -> None:
    """Delete the selection, or else the character before (`forward`: after) the cursor."""
    start, end = selection(field, state)
    if start == end:
        start, end = (start, end + 1) if forward else (max(0, start - 1), end)
    _replace(field, (start, end), "", state)


def move(field: Input, state: UiState, to: str) -> None:
    """Move the cursor "left", "right", "home" or "end", or select "all"."""
    start, end = selection(field, state)
    length = len(field.text)
    state.anchor = 0 if to == "all" and length else None
    state.cursor = {
        "left": start if start < end else max(0, start - 1),
        "right": end if start < end else min(length, end + 1),
        "home": field.text.rfind("\n", 0, start) + 1,
        "end": min(field.text.find("\n", end) % (length + 1), length),
        "all": length,
    }[to]


def submit(field: Input) -> bool:
    """Perform the keyboard's action; return False if the field defines none."""
    if field.on_submit is None:
        return False
    field.on_submit(field.text)
    return True


def _replace(field: Input, span: tuple[int, int], text: str, state: UiState) -> None:
    if not field.enabled or field.on_change is None:
        return
    start, end = span
    new = field.text[:start] + text + field.text[end:]
    state.cursor, state.anchor = start + len(text), None
    if new != field.text:
        field.on_change(new)
