"""Why something was not found: kept until an assert fails, then shown with it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_misses: ContextVar[list[Callable[[], str]] | None] = ContextVar("misses", default=None)


class CriteriaError(TaskError, TypeError):
    """The criteria of a search make no sense: an unknown name, a wrong type, a bad XPath."""


class NotFoundError(AssertionError):
    """No element meets the criteria: says what was sought, and which elements come closest.

    The explanation may be a function, called when somebody reads the message: explaining takes far
    longer than searching, and a check that is evaluated at every step often fails.
    """

    def __init__(self, explanation: str | Callable[[], str]) -> None:
        super().__init__(explanation)

    def __str__(self) -> str:
        (explanation,) = self.args
        if callable(explanation):
            self.args = (explanation(),)
        return str(self.args[0])

    def __repr__(self) -> str:
        return f"NotFoundError({str(self)!r})"

    def __reduce__(self) -> tuple[type[NotFoundError], tuple[str]]:
        return NotFoundError, (str(self),)


def missed(explain: Callable[[], str]) -> None:
    """Note that a search found nothing, for whoever collects misses.

    `explain` is called only if somebody reads the explanation: it takes far longer than the search.
    """
    misses = _misses.get()
    if misses is not None:
        misses.append(explain)


@contextmanager
def collect_misses() -> Iterator[list[Callable[[], str]]]:
    """Collect the explanations of all searches that find nothing inside the `with` block."""
    misses: list[Callable[[], str]] = []
    token = _misses.set(misses)
    try:
        yield misses
    finally:
        _misses.reset(token)
