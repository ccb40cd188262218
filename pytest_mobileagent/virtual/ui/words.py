"""The few texts that the toolkit has of its own, in the language of whoever builds the screen."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_translate: list[Callable[[str], str]] = [str]


def word(english: str) -> str:
    """Give a text of the toolkit's in the language that is spoken now."""
    return _translate[-1](english)


@contextmanager
def spoken(translate: Callable[[str], str]) -> Iterator[None]:
    """Let views that are made meanwhile speak another language."""
    _translate.append(translate)
    try:
        yield
    finally:
        _translate.pop()
