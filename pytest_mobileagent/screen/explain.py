"""Explanations of failed searches, collected until an assertion fails and then shown with it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

_misses: ContextVar[list[Callable[[], str]] | None] = ContextVar("misses", default=None)
_body: ContextVar[CodeType | None] = ContextVar("body", default=None)


class CriteriaError(TaskError, TypeError):
    """The criteria of a search are invalid: an unknown name, a wrong type, a bad XPath."""


class NotFoundError(AssertionError):
    """No element meets the criteria; the message describes the search and the closest elements.

    The explanation may be a function, which is called when the message is read: explaining takes
    far longer than searching, and a check that is evaluated at every step often fails.
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


@dataclass(frozen=True, slots=True)
class Miss:
    """The explanation of a failed search, computed when called, and the line of the body."""

    explain: Callable[[], str]
    line: int

    def __call__(self) -> str:
        """Return the explanation."""
        return self.explain()


def missed(explain: Callable[[], str]) -> None:
    """Record that a search found nothing, for `collect_misses`.

    `explain` is called only if the explanation is needed: it takes far longer than the search.
    """
    misses = _misses.get()
    if misses is None:
        return
    line = None if isinstance(explain, Miss) else _line()
    misses.append(explain if line is None else Miss(explain, line))


@contextmanager
def collect_misses(body: CodeType | None = None) -> Iterator[list[Callable[[], str]]]:
    """Collect the explanations of all searches that find nothing inside the `with` block.

    Those from a function with the code object `body` are `Miss` objects, even in a nested block.
    """
    misses: list[Callable[[], str]] = []
    tokens = _misses.set(misses), _body.set(body or _body.get())
    try:
        yield misses
    finally:
        _misses.reset(tokens[0])
        _body.reset(tokens[1])


def _line() -> int | None:
    """Return the line that the body is executing, or None outside of it."""
    body, frame = _body.get(), sys._getframe(2)  # noqa: SLF001 - as in `warnings`
    while body is not None and frame is not None:
        if frame.f_code is body:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None
