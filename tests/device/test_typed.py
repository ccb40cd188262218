"""Typed text that has not arrived, and fields that only seem to have lost it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import pytest

from pytest_mobileagent import Tap, Type, Wait
from pytest_mobileagent.device.live import Typing, lost

if TYPE_CHECKING:
    from pytest_mobileagent import Action


def field(text: str = "", *, top: int = 0, focused: bool = True, **more: Any) -> str:
    about: dict[str, Any] = {
        "class": "android.widget.EditText", "text": text, "focused": str(focused).lower(),
        "bounds": f"[0,{top}][900,{top + 90}]", **more,
    }  # fmt: skip
    return f"<node {' '.join(f'{name}={quoteattr(value)}' for name, value in about.items())}/>"


def label(text: str) -> str:
    return field(text, top=500, focused=False, **TEXT)


def page(*nodes: str) -> str:
    return f"<hierarchy rotation='0'>{''.join(nodes)}</hierarchy>"


TEXT: dict[str, Any] = {"class": "android.widget.TextView"}
WEB: dict[str, Any] = {"class": "a.WebView"}
SECRET: dict[str, Any] = {"password": "true"}


@pytest.mark.parametrize(
    ("typed", "before", "after"),
    [
        ("é", page(field("")), page(field(""))),
        ("hello", page(field("Search")), page(field("Search"))),  # a hint
        ("hello", page(field("", focused=False)), page(field(""))),
        ("hello", page(label("Search")), page(field(""))),  # a page of its own for searching
        ("hello", page(label("hello"), field("")), page(label("hello"), field(""))),
        ("letters", page(field("12")), page(field("12"))),  # the field takes digits only
        ("secret", page(field("•••", **SECRET)), page(field("•••", **SECRET))),
        ("hello", page(field("a", top=9)), page(field("a", top=200))),  # moved by a keyboard
        (Type("new", clear=True), page(field("old")), page(field(""))),
        ("hello", page(label("Home")), page(label("Home"))),  # into nothing
    ],
)
def test_lost_text_is_told(typed, before, after):
    action = Type(typed) if isinstance(typed, str) else typed
    assert f"the typed text {action.text!r} is not on the screen" in lost(action, before, after)


@pytest.mark.parametrize(
    ("typed", "before", "after"),
    [
        ("hello", page(field("")), page(field("hello"))),
        ("hello", page(field("oh ")), page(field("oh Hello "))),
        ("5551234567", page(field("")), page(field("(555) 123-4567"))),
        ("4111111111111111", page(field("")), page(field("4111 1111 1111 1111"))),
        ("1234.5", page(field("0")), page(field("$12.34"))),  # changed, though to something else
        ("teh", page(field("")), page(field("the"))),  # corrected
        ("Berlin", page(label("Where to?")), page(field("Berl"))),  # shortened
        ("1234", page(*(field("", top=n, focused=n == 0) for n in range(0, 400, 100))),
         page(*(field(str(n + 1), top=100 * n, focused=n == 3) for n in range(4)))),
        ("123", page(field(""), field("", top=100, focused=False)),
         page(field("1", focused=False), field("2", top=100, focused=False), label("3"))),
        ("a@b.c", page(field("")), page(label("a@b.c"), field(""))),  # becomes a chip
        ("secret", page(field("", **SECRET)), page(field("", **SECRET))),  # hidden at all times
        ("secret", page(field("•", **SECRET)), page(field("•••", **SECRET))),
        ("hello", page(field("")), page(label("Next page"))),
        ("hello", page(label("Canvas"), field("", **WEB)),
         page(label("Canvas"), field("", **WEB))),
        ("7", page(field("7")), page(field("7"))),  # selected when focused, and replaced
        (Type("old", clear=True), page(field("old")), page(field("old"))),
        (Type("hi", enter=True), page(field("")), page(field(""))),  # sent
        ("hi\n", page(field("")), page(field(""))),
        (" ", page(field("")), page(field(""))),
        ("hello", page(field("")), "<hierarchy>"),
    ],
)  # fmt: skip
def test_text_that_may_have_arrived_is_not_called_lost(typed, before, after):
    assert lost(Type(typed) if isinstance(typed, str) else typed, before, after) == ""


def test_last_typed_text_alone_is_looked_for():
    typing, empty = Typing(), page(field(""))
    cases: list[tuple[list[Action], bool]] = [
        ([Type("a")], False),  # nothing was seen before
        ([Type("a"), Wait(1)], True),
        ([], False),
        ([Type("a"), Tap(1, 1)], False),
        ([Tap(1, 1), Type("a")], True),
    ]
    for actions, is_told in cases:
        for action in actions:
            typing.note(action)
        assert bool(typing.seen(empty)) == is_told
    typing.note(Type("a"))
    typing.forget()
    assert typing.seen(empty) == ""
