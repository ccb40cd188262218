"""Calls: which parameters a method takes, what it gets for them, and how calls fail."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.automation.selector import FLAGS, TEXTS, UiSelector, pattern

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NO_SUCH_METHOD, INVALID_PARAMETERS = -32601, -32602
CUSTOM = -32001  # an exception of the method's own
MASK: Final = (  # what the bits of a selector's mask say is there
    *("text", "textContains", "textMatches", "textStartsWith"),
    *("className", "classNameMatches"),
    *("description", "descriptionContains", "descriptionMatches", "descriptionStartsWith"),
    *("checkable", "checked", "clickable", "longClickable", "scrollable", "enabled"),
    *("focusable", "focused", "selected"),
    *("packageName", "packageNameMatches", "resourceId", "resourceIdMatches"),
    *("index", "instance"),
)
MOST = 1 << 63  # what a number is below, as Java's are
MOST_NESTED = 50  # selectors inside selectors


class RpcError(Exception):
    """A call that failed: a code of JSON-RPC, and what the client is told."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def thrown(name: str, message: str) -> RpcError:
    """Make the error for an exception that a method has thrown."""
    return RpcError(CUSTOM, f"{name}: {message}")


def not_found(what: object) -> RpcError:
    """Make the error for something that is not on the screen."""
    return thrown("androidx.test.uiautomator.UiObjectNotFoundException", str(what))


class WrongKind(ValueError):  # noqa: N818 - says what is wrong, not that something is
    """A value is not of the kind that is wanted."""


Kind: TypeAlias = Callable[[Any], Any]
Method: TypeAlias = tuple[
    tuple[Kind, ...], Callable[..., Any]
]  # which parameters, and what it does
Methods: TypeAlias = Mapping[str, Sequence[Method]]  # by name, as Java overloads them


async def call(methods: Methods, name: str, receiver: object, parameters: list[Any]) -> Any:
    """Call a method of `receiver`; RpcError if there is none for these parameters."""
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
    """Accept a number; what is behind its point is cut off."""
    return int(number(value))


def number(value: Any) -> float:
    """Accept a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
        raise WrongKind(value)
    return value


def flag(value: Any) -> bool:
    """Accept true or false."""
    return bool(_of(bool, value))


def text(value: Any) -> str:
    """Accept a text, or none, which is as good as an empty one."""
    return "" if value is None else str(_of(str, value))


def point(value: Any) -> tuple[int, int]:
    """Accept a point."""
    place = _of(dict, value)
    return integer(place.get("x")), integer(place.get("y"))


def integers(value: Any) -> list[int]:
    """Accept a list of numbers."""
    return [integer(each) for each in _of(list, value)]


def thing(value: Any) -> UiSelector | str:
    """Accept a selector, or the id that stands for one."""
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
