"""The methods by name and by the kinds of their parameters, as Java overloads them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from pytest_mobileagent.virtual.automation.jsonrpc.errors import (
    INVALID_PARAMETERS,
    NO_SUCH_METHOD,
    RpcError,
)
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import Kind, WrongKind

Function: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Method:
    """One way to call a method."""

    function: Function
    kinds: tuple[Kind, ...]

    def accept(self, parameters: list[Any]) -> list[Any] | None:
        """Give the arguments for some parameters; None if they are for another way."""
        if len(parameters) != len(self.kinds):
            return None
        try:
            return [kind(value) for kind, value in zip(self.kinds, parameters, strict=True)]
        except WrongKind:
            return None


_methods: dict[str, list[Method]] = {}


def method(name: str, *kinds: Kind) -> Callable[[F], F]:
    """Register a function under a name, for parameters of these kinds."""

    def register(function: F) -> F:
        _methods.setdefault(name, []).append(Method(function, kinds))
        return function

    return register


async def call(name: str, receiver: object, parameters: list[Any]) -> Any:
    """Call a method of `receiver`; RpcError if there is none for these parameters."""
    if name not in _methods:
        raise RpcError(NO_SUCH_METHOD, "method not found")
    for each in _methods[name]:
        if (arguments := each.accept(parameters)) is not None:
            answer = each.function(receiver, *arguments)
            return await answer if inspect.isawaitable(answer) else answer
    raise RpcError(INVALID_PARAMETERS, "method parameters invalid")
