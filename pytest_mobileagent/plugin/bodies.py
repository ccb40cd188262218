"""A test body as a predicate over its episode: it is run once, and what it missed is noted."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import wraps
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.check.events import NoListenerError
from pytest_mobileagent.check.subgoals import SubGoal, collect_subgoals, credit
from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.found import MissingIndexError, MissingItemError, MissingKeyError
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.judges import ask_beside
from pytest_mobileagent.plugin.state import Skipped, state_of
from pytest_mobileagent.screen.explain import Miss, NotFoundError, collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from types import CodeType

    import pytest

    from pytest_mobileagent.check.prefixes import OnTheWay


AGENTS_FAULT = (Termination.AGENT_ERROR, Termination.TIME_LIMIT)


class AgentFailedError(AssertionError):
    """The agent raised, crashed or ran out of time, so that the goal does not count as met."""


def ask_body(item: pytest.Function) -> Generator[None, Any, Any]:
    """Run a test body as a predicate over its episode, as a wrapper around pytest's own call.

    An error of the agent, or its time limit, ends an episode but does not decide it: the body is
    run all the same. That it holds then counts only if the task says so.
    """
    __tracebackhide__ = True
    case, episode, state = case_of(item), item.funcargs.get("episode"), state_of(item)
    if isinstance(episode, Episode) and not state.is_asked_of_prefix:
        ask_beside(item, episode, item.config.stash[RUN].judges)
    own = item.obj
    item.obj = _without_return(own, item.name)
    with collect_misses(code_of(own)) as misses, collect_subgoals() as subgoals:
        state.begin_body(subgoals)
        try:
            result = yield
            subgoals.settle()
        except (AssertionError, AttributeError) as error:
            # Of AttributeErrors only those of None, which `find` returned. Explaining takes long.
            if not state.is_asked_of_prefix and getattr(error, "obj", None) is None:
                explained = (explain() for explain in closest(own, error, misses))
                state.misses = list(dict.fromkeys(explained))
            raise
        except NoListenerError as error:
            raise Skipped("listener", str(error)) from None
        finally:
            item.obj = own
            state.is_in_body = False
    if case and isinstance(episode, Episode) and episode.termination in AGENTS_FAULT:
        state.check_held = True
        if not case.task.success_after_error and not state.is_asked_of_prefix:
            raise AgentFailedError(episode.error)
    return result


def _without_return(body: Any, name: str) -> Any:
    @wraps(body)
    def decide(**arguments: Any) -> None:
        __tracebackhide__ = True
        returned = body(**arguments)
        if returned is not None:
            msg = f"{name} returns {returned!r}: the body of a task decides by assert"
            raise TaskError(msg)

    return decide


def code_of(body: Any) -> CodeType | None:
    """Return the code of a test body without its wrappers; None if it has none."""
    return getattr(inspect.unwrap(body), "__code__", None)


def closest(
    body: Any, error: Exception, misses: Sequence[Callable[[], str]]
) -> Sequence[Callable[[], str]]:
    """Return the misses that explain why a body failed.

    These are the misses of the statement that failed. If it has none, they are all those that are
    not of another assert: `assert not episode.tapped(…)` holds because of what it did not find.
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
    """Return the line of a body from which an error came."""
    lines = []
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code is code:
            lines.append(at.tb_lineno)
        at = at.tb_next
    return lines[-1] if lines else None


def _statements(code: CodeType) -> list[ast.stmt]:
    """Return the statements of a body, with line numbers of its file; none without the source."""
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


_NOT_ASKED = "not asked: the body failed before"


def asked_of(item: pytest.Item) -> Sequence[SubGoal]:
    """Return the sub-goals for which the last run of a body has asked."""
    subgoals = state_of(item).subgoals
    return subgoals.asked if subgoals is not None else ()


def progress(item: pytest.Item, way: OnTheWay, episode: Episode) -> list[dict[str, Any]]:
    """Return what became of each sub-goal, as in the evidence of a verdict.

    One that holds for the whole episode, but for no prefix, first held at its end. Sub-goals that a
    body asked for in prefixes only, as it then failed before them, count as not held.
    """
    subgoals = state_of(item).subgoals
    if subgoals is None:
        return []
    asked = list(subgoals.asked)
    if not subgoals.complete:
        known = {each.name for each in asked}
        unasked = {n: weight for n, (weight, _) in way.subgoals.items() if n not in known}
        asked += [SubGoal(n, weight, False, _NOT_ASKED) for n, weight in unasked.items()]
    return [_evidence(each, way, episode.step_count) for each in asked]


def _evidence(subgoal: SubGoal, way: OnTheWay, steps: int) -> dict[str, Any]:
    _, first = way.subgoals.get(subgoal.name, (subgoal.weight, None))
    if first is None and subgoal.held and way.asked:
        first = steps
    return {
        "name": subgoal.name,
        "weight": subgoal.weight,
        "held": subgoal.held,
        "first_step": first,
        "reason": subgoal.reason,
    }


def partial_credit(progress: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the share of the sub-goals that held, by weight; None if there are none."""
    return credit([(each["weight"], each["held"]) for each in progress])
