"""Unclear answers in a body: assumed to be right, or wrong, until somebody has decided.

A body is a predicate, so it can be evaluated under both assumptions: if its result is the same, the
answer does not matter. This makes `answers(…) or …` and `not answers(…)` mean what they say,
whichever way a body is written.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_MOST_RUNS = 16  # of a body; more than four unclear answers are left undecided


@dataclass(frozen=True, slots=True)
class UnclearAnswer:
    """An answer that neither certainly states nor certainly lacks what is expected.

    `said` are the parts of the answer that resemble what is expected.
    """

    goal: str
    expected: str
    answer: str
    reason: str
    said: tuple[str, ...] = ()

    def evidence(self, right: bool | None) -> dict[str, Any]:
        """Return the answer as plain data, and whether somebody has found it right."""
        texts = {"goal": self.goal, "expected": self.expected, "answer": self.answer}
        return {**texts, "said": list(self.said), "right": right}


@dataclass(slots=True)
class Assumptions:
    """What is assumed of unclear answers; all others count as wrong, and are collected in `met`."""

    known: Mapping[UnclearAnswer, bool]
    met: list[UnclearAnswer] = field(default_factory=list)


_assumed: ContextVar[Assumptions | None] = ContextVar("assumed", default=None)


@contextmanager
def assume(known: Mapping[UnclearAnswer, bool]) -> Iterator[Assumptions]:
    """Inside the `with` block, take unclear answers as `known`, and all others as wrong."""
    assumptions = Assumptions(known)
    token = _assumed.set(assumptions)
    try:
        yield assumptions
    finally:
        _assumed.reset(token)


def assumed(unclear: UnclearAnswer) -> bool:
    """Return what is assumed of an unclear answer.

    Raises:
        UndecidedError: outside of `assume`.
    """
    assumptions = _assumed.get()
    if assumptions is None:
        raise UndecidedError(unclear.reason)
    if unclear in assumptions.known:
        return assumptions.known[unclear]
    if unclear not in assumptions.met:
        assumptions.met.append(unclear)
    return False


def matter(
    holds: Callable[[], bool],
    known: Mapping[UnclearAnswer, bool],
    met: Sequence[UnclearAnswer],
    *,
    is_held: bool,
) -> list[UnclearAnswer]:
    """Return the unclear answers if the result of a body depends on them; else none.

    `is_held` is the body's result if the unclear answers that it met are wrong; `holds` runs the
    body again.
    """
    all_met, todo, runs = list(met), [dict(known)], 0
    while todo:
        settled = todo.pop()
        unsettled = next((each for each in all_met if each not in settled), None)
        if unsettled is None:
            continue
        right = settled | {unsettled: True}
        with assume(right) as assumptions:
            differs = holds() is not is_held
        all_met += [each for each in assumptions.met if each not in all_met]
        runs += 1
        if differs or runs == _MOST_RUNS:
            return all_met
        todo += [right, settled | {unsettled: False}]
    return []
