"""A test body as a predicate over its episode: asked once, with what it missed noted."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.check.events import NoListenerError
from pytest_mobileagent.check.subgoals import collect_subgoals
from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.plugin.closest import closest, code_of
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.judges import ask_beside
from pytest_mobileagent.plugin.skipping import Skipped
from pytest_mobileagent.plugin.state import state_of
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest

AGENTS_FAULT = (Termination.AGENT_ERROR, Termination.TIME_LIMIT)


class AgentFailedError(AssertionError):
    """The agent raised, crashed or ran out of time, so that the goal does not count as met."""


def ask_body(item: pytest.Function) -> Generator[None, Any, Any]:
    """Run a test body as a predicate over its episode, as a wrapper around pytest's own call.

    An agent's error or its time limit ends an episode, but does not decide it: the body is asked
    all the same. Its yes counts only where the task says so.
    """
    __tracebackhide__ = True
    case, episode, state = case_of(item), item.funcargs.get("episode"), state_of(item)
    if isinstance(episode, Episode) and not state.is_asked_of_prefix:
        ask_beside(item, episode)
    own = item.obj
    item.obj = _without_return(own, item.name)
    with collect_misses(code_of(own)) as misses, collect_subgoals() as subgoals:
        state.begin_body(subgoals)
        try:
            result = yield
            subgoals.settle()
        except (AssertionError, AttributeError) as error:
            # That of None, too, which `find` returned. Explaining takes far longer than the search.
            if not state.is_asked_of_prefix and getattr(error, "obj", None) is None:
                told = (explain() for explain in closest(own, error, misses))
                state.misses = list(dict.fromkeys(told))
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
