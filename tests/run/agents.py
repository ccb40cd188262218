"""Agents made of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent import (
    Agent,
    Finish,
    Tap,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action


def agent(step: Callable[..., Any], **methods: Any) -> type[Agent]:
    """Make an agent class of a step, called with the agent itself."""
    return type("Mine", (Agent,), {"step": step, **methods})


def script(*decisions: Any) -> type[Agent]:
    """Make an agent class that decides one after the other, and then finishes."""
    each = iter(decisions)
    return agent(lambda _, __: next(each, Finish()))


def throw(error: BaseException) -> Callable[..., NoReturn]:
    def thrower(*arguments: Any) -> NoReturn:
        raise error

    return thrower


def tap(*_: Any) -> Action:
    return Tap(1, 1)
