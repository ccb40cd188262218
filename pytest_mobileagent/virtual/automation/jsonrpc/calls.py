"""Method calls: the parameters of methods, their conversion, and the errors of calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.automation.selector import FLAGS, TEXTS, UiSelector, pattern

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NO_SUCH_METHOD, INVALID_PARAMETERS = -32601, -32602
CUSTOM = -32001  # an exception thrown by the method itself
MASK: Final = (  # the criteria that the bits of a selector's mask stand for
    *("text", "textContains", "textMatches", "textStartsWith"),
    *("className", "classNameMatches"),
    *("description", "descriptionContains", "descriptionMatches", "descriptionStartsWith"),
    *("checkable", "checked", "clickable", "longClickable", "scrollable", "enabled"),
    *("focusable", "focused", "selected"),
    *("packageName", "packageNameMatches", "resourceId", "resourceIdMatches"),
    *("index", "instance"),
)
MOST = 1 << 63  # exclusive limit for numbers, like Java's
MOST_NESTED = 50  # depth of nested selectors


class RpcError(Exception):
    """A failed call: a JSON-RPC error code, and the message for the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def thrown(name: str, message: str) -> RpcError:
    """Return the error for an exception that a method has thrown."""
    return RpcError(CUSTOM, f"{name}: {message}")


def not_found(what: object) -> RpcError:
    """Return the error for something that is not on the screen."""
    return thrown("androidx.test.uiautomator.UiObjectNotFoundException", str(what))


class WrongKind(ValueError):
    """A value does not have the required kind."""


Kind: TypeAlias = Callable[[Any], Any]
Method: TypeAlias = tuple[
    tuple[Kind, ...], Callable[..., Any]
]  # the kinds of its parameters, and its function
Methods: TypeAlias = Mapping[str, Sequence[Method]]  # by name; overloads as in Java


async def call(methods: Methods, name: str, receiver: object, parameters: list[Any]) -> Any:
    """Call a method on `receiver`; RpcError if none accepts these parameters."""
    if name not in methods:
        raise RpcError(NO_SUCH_METHOD, "method not found")
    for kinds, function in methods[name]:
        optional = len(getattr(function, "__defaults__", None) or ())
        if not len(kinds) - optional <= len(parameters) <= len(kinds):
            continue
        try:
            arguments = [kind(value) for kind, value in zip(kinds, parameters, strict=False)]
        except WrongKind:
            continue
        answer = function(receiver, *arguments)
        return await answer if inspect.isawaitable(answer) else answer
    raise RpcError(INVALID_PARAMETERS, "method parameters invalid")


def _of(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise WrongKind(value)
    return value


def integer(value: Any) -> int:
    """Accept a number and truncate it to an integer."""
    return int(number(value))


def number(value: Any) -> float:
    """Accept a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
        raise WrongKind(value)
    return value


def flag(value: Any) -> bool:
    """Accept a boolean."""
    return bool(_of(bool, value))


def text(value: Any) -> str:
    """Accept a string or null, which counts as an empty string."""
    return "" if value is None else str(_of(str, value))


def point(value: Any) -> tuple[int, int]:
    """Accept a point."""
    place = _of(dict, value)
    return integer(place.get("x")), integer(place.get("y"))


def integers(value: Any) -> list[int]:
    """Accept a list of numbers."""
    return [integer(each) for each in _of(list, value)]


def thing(value: Any) -> UiSelector | str:
    """Accept a selector, or the id of one."""
    return value if isinstance(value, str) else selector(value)


def selector(value: Any, depth: int = MOST_NESTED) -> UiSelector:
    """Accept a selector."""
    given = _of(dict, value)
    if not depth:
        raise WrongKind(value)
    mask, found = integer(given.get("mask", 0)), UiSelector()
    for bit, name in enumerate(MASK):
        if mask >> bit & 1:
            found = found.having(name, _criterion(name, given.get(name)))
    ways = _of(list, given.get("childOrSibling", []))
    inner = _of(list, given.get("childOrSiblingSelector", []))
    if len(ways) != len(inner):
        raise WrongKind(value)
    for way, each in zip(ways, inner, strict=True):
        found = found.then("child" if way == "child" else "sibling", selector(each, depth - 1))
    return found


def _criterion(name: str, value: Any) -> str | int | bool:
    if name in FLAGS:
        return flag(value)
    if name not in TEXTS:
        return integer(value)
    found = str(_of(str, value))
    if name.endswith("Matches"):
        try:
            pattern(found)
        except PatternError as error:
            raise WrongKind(value) from error
    return found
