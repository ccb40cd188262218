"""Agents made of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent import Agent
from pytest_mobileagent.action import Finish
from pytest_mobileagent.action.gestures import Tap

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action


def agent(step: Callable[..., Any], **methods: Any) -> type[Agent]:
    """Return an agent class with the given step function, which is called with the agent."""
    return type("Mine", (Agent,), {"step": step, **methods})


def script(*decisions: Any) -> type[Agent]:
    """Return an agent class that makes the given decisions in order and then finishes."""
    each = iter(decisions)
    return agent(lambda _, __: next(each, Finish()))


def throw(error: BaseException) -> Callable[..., NoReturn]:
    def thrower(*arguments: Any) -> NoReturn:
        raise error

    return thrower


def tap(*_: Any) -> Action:
    return Tap(1, 1)
