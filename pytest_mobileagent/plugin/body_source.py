"""Reads the source of test bodies: what explains a failure, and which sub-goals exist."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.recorded_data import MissingIndexError, MissingItemError, MissingKeyError
from pytest_mobileagent.screen.explain import Miss, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType

# The last comparison that failed in an assert: its operator, and its two sides.
COMPARED = pytest.StashKey[tuple[str, Any, Any]]()
_LONGEST = 1_000  # characters of a value


def code_of(body: Any) -> CodeType | None:
    """Return the code object of a test body without its wrappers; None if it has none."""
    return getattr(inspect.unwrap(body), "__code__", None)


def closest(
    body: Any, error: Exception, misses: Sequence[Callable[[], str]]
) -> Sequence[Callable[[], str]]:
    """Return the misses (failed look-ups) that explain why a body failed.

    These are the misses in the statement that failed. If it has none, they are all misses outside
    of other asserts, as `assert not episode.tapped(…)` holds because of what it did not find.
    """
    cause = error.__cause__ or error
    if isinstance(cause, NotFoundError):
        return [cause.__str__]
    code = code_of(body)
    each = statements(code) if code is not None else []
    own = _statement(each, _line_of(code, cause))
    by = [(miss, _statement(each, getattr(miss, "line", None))) for miss in misses]
    meant = [miss for miss, of in by if of is not None and of is own]
    if isinstance(cause, MissingKeyError | MissingIndexError | MissingItemError):
        return [*meant, cause.__str__]
    return meant or [
        miss for miss, of in by if not (isinstance(miss, Miss) and isinstance(of, ast.Assert))
    ]


def _line_of(code: CodeType | None, error: BaseException) -> int | None:
    """Return the line of a body that raised an error."""
    lines = [n for frame, n in walk_tb(error.__traceback__) if frame.f_code is code]
    return lines[-1] if lines else None


def statements(code: CodeType) -> list[ast.stmt]:
    """Return the statements of a body, with the file's line numbers; empty without the source."""
    # `inspect.getsourcelines` would search all modules for that of the code.
    before = max(code.co_firstlineno, 1) - 1
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)[before:]
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getblock(lines))))
    except SyntaxError:
        return []
    ast.increment_lineno(tree, before)
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def _statement(statements: Sequence[ast.stmt], line: int | None) -> ast.stmt | None:
    """Return the innermost statement on a line."""
    on = [s for s in statements if line is not None and s.lineno <= line <= (s.end_lineno or 0)]
    return max(on, key=lambda s: (s.lineno, -(s.end_lineno or 0)), default=None)


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


def declared(code: CodeType | None) -> dict[str, float]:
    """Return the weights of the sub-goals that a body names in its source."""
    found: dict[str, float] = {}
    for part in statements(code) if code is not None else ():
        for call in ast.walk(part):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "subgoal":
                given = [*call.args, *(k.value for k in call.keywords if k.arg == "weight")]
                values = [each.value for each in given if isinstance(each, ast.Constant)]
                match values:
                    case [str(name)]:
                        found[name] = 1
                    case [str(name), int() | float() as weight]:
                        found[name] = weight
    return found
