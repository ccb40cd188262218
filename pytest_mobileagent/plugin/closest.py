"""Of all that a body looked for in vain, what it failed by."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.found import MissingIndexError, MissingItemError, MissingKeyError
from pytest_mobileagent.screen.explain import Miss, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType


def code_of(body: Any) -> CodeType | None:
    """Return the code of a test body, whatever it is wrapped in; None if it has none."""
    return getattr(inspect.unwrap(body), "__code__", None)


def closest(
    body: Any, error: Exception, misses: Sequence[Callable[[], str]]
) -> Sequence[Callable[[], str]]:
    """Return the misses that tell why a body failed.

    These are of the statement that failed; else those that it may rest on, which is what no other
    assert was about: `assert not episode.tapped(…)` holds because of what it did not find.
    """
    cause = error.__cause__ or error
    if isinstance(cause, NotFoundError):
        return [cause.__str__]
    code = code_of(body)
    failed = _line_of(code, cause)
    statements = _statements(code) if code is not None else []
    own = _statement(statements, failed)
    by = [(miss, _statement(statements, getattr(miss, "line", None))) for miss in misses]
    meant = [miss for miss, of in by if of is not None and of is own]
    if isinstance(cause, MissingKeyError | MissingIndexError | MissingItemError):
        return [*meant, cause.__str__]
    return meant or [
        miss for miss, of in by if not (isinstance(miss, Miss) and isinstance(of, ast.Assert))
    ]


def _line_of(code: CodeType | None, error: BaseException) -> int | None:
    """Return the line of a body that an error came from."""
    lines = []
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code is code:
            lines.append(at.tb_lineno)
        at = at.tb_next
    return lines[-1] if lines else None


def _statements(code: CodeType) -> list[ast.stmt]:
    """Return the statements of a body, with the lines of its file; none if there is no source."""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return []
    ast.increment_lineno(tree, max(first, 1) - 1)
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def _statement(statements: Sequence[ast.stmt], line: int | None) -> ast.stmt | None:
    """Return the innermost statement on a line."""
    on = [s for s in statements if line is not None and s.lineno <= line <= (s.end_lineno or 0)]
    return max(on, key=lambda s: (s.lineno, -(s.end_lineno or 0)), default=None)
