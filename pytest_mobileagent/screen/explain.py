"""Why something was not found: kept until an assert fails, then shown with it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_misses: ContextVar[list[Callable[[], str]] | None] = ContextVar("misses", default=None)


def missed(explain: Callable[[], str]) -> None:
    """Note that a look-up found nothing, for whoever collects.

    The explanation is made when somebody reads it: it takes far longer than the look-up.
    """
    misses = _misses.get()
    if misses is not None:
        misses.append(explain)


@contextmanager
def collect_misses() -> Iterator[list[Callable[[], str]]]:
    """Collect what explains the look-ups that find nothing inside the `with` block."""
    misses: list[Callable[[], str]] = []
    token = _misses.set(misses)
    try:
        yield misses
    finally:
        _misses.reset(token)
