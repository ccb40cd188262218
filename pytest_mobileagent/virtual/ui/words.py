"""The few texts of the toolkit itself, in the language of the app that builds the screen."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_translate: list[Callable[[str], str]] = [str]


def word(english: str) -> str:
    """Return one of the toolkit's texts in the current language."""
    return _translate[-1](english)


@contextmanager
def spoken(translate: Callable[[str], str]) -> Iterator[None]:
    """Translate the texts of views created within the context."""
    _translate.append(translate)
    try:
        yield
    finally:
        _translate.pop()
