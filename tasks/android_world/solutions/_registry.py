"""The solutions by the names of tasks, and how modules add theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Solution = Callable[[Mapping[str, Any]], Sequence[Any]]

SOLUTIONS: dict[str, Solution] = {}


def solves(*names: str) -> Callable[[Solution], Solution]:
    """Register a function as the solution of tasks, by their names."""

    def register(solution: Solution) -> Solution:
        SOLUTIONS.update(dict.fromkeys(names, solution))
        return solution

    return register
