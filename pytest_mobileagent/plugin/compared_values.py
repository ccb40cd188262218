"""The two sides of the comparison that failed in a test's body: the expected and actual value."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from pytest_mobileagent.report.text.table import cut

COMPARED = pytest.StashKey[tuple[str, Any, Any]]()  # the last comparison that failed in an assert
_LONGEST = 1_000  # characters


def expected_and_actual(config: pytest.Config, condition: str) -> dict[str, str]:
    """Return the "expected" and the "actual" value of a condition that failed; {} if unknown.

    The actual value is the side with the episode. Other comparisons than for equality are part of
    the expected value, as in "in ['a', 'b']" or "≥ 3".
    """
    operator, left, right = config.stash.get(COMPARED, ("", None, None))
    try:
        tree = ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if not operator or not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return {}
    if _is_of_episode(tree.comparators[0]) and not _is_of_episode(tree.left):
        left, right = right, left
        operator = _SWAPPED.get(operator, operator)
    sign = "" if operator == "==" else f"{operator} "
    try:
        return {"expected": cut(f"{sign}{right!r}", _LONGEST), "actual": cut(repr(left), _LONGEST)}
    except Exception:  # noqa: BLE001 - values may be anything
        return {}


_SWAPPED = {"in": "contains", "not in": "lacks", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _is_of_episode(side: ast.expr) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "episode" for each in ast.walk(side))
