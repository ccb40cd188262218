"""Why something was not found: kept until an assert fails, then shown with it."""

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


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a search found nothing, said when called, and the line of the body that searched."""

    explain: Callable[[], str]
    line: int

    def __call__(self) -> str:
        """Say why."""
        return self.explain()


def missed(explain: Callable[[], str]) -> None:
    """Note that a search found nothing, for `collect_misses`.

    `explain` is called only if somebody reads the explanation: it takes far longer than the search.
    """
    misses = _misses.get()
    if misses is None:
        return
    line = None if isinstance(explain, Miss) else _line()
    misses.append(explain if line is None else Miss(explain, line))


@contextmanager
def collect_misses(body: CodeType | None = None) -> Iterator[list[Callable[[], str]]]:
    """Collect the explanations of all searches that find nothing inside the `with` block.

    Those of a function with the code `body` are a `Miss`, also if others collect them inside of it.
    """
    misses: list[Callable[[], str]] = []
    tokens = _misses.set(misses), _body.set(body or _body.get())
    try:
        yield misses
    finally:
        _misses.reset(tokens[0])
        _body.reset(tokens[1])


def _line() -> int | None:
    """Return the line at which the body is; None outside of it."""
    body, frame = _body.get(), sys._getframe(2)  # noqa: SLF001 - as `warnings` does
    while body is not None and frame is not None:
        if frame.f_code is body:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None
