"""Parameters of calls: which are accepted where, and what methods get for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from pytest_mobileagent.virtual.automation.selector import FLAGS, TEXTS, UiSelector, pattern

NAMES: Final = {  # the bits of a selector's mask, by the criterion that each says is there
    name: 1 << bit
    for bit, name in enumerate(
        (
            *("text", "textContains", "textMatches", "textStartsWith"),
            *("className", "classNameMatches"),
            *("description", "descriptionContains", "descriptionMatches", "descriptionStartsWith"),
            *("checkable", "checked", "clickable", "longClickable", "scrollable", "enabled"),
            *("focusable", "focused", "selected"),
            *("packageName", "packageNameMatches", "resourceId", "resourceIdMatches"),
            *("index", "instance"),
        )
    )
}
MOST = 1 << 63  # what a number is below, as Java's are
MOST_NESTED = 50  # selectors inside selectors


class WrongKind(ValueError):  # noqa: N818 - says what is wrong, not that something is
    """A value is not of the kind that is wanted."""


Kind: TypeAlias = Callable[[Any], Any]


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
    if not isinstance(value, bool):
        raise WrongKind(value)
    return value


def text(value: Any) -> str | None:
    """Accept a text, or none."""
    if value is not None and not isinstance(value, str):
        raise WrongKind(value)
    return value


def point(value: Any) -> tuple[int, int]:
    """Accept a point."""
    if not isinstance(value, dict):
        raise WrongKind(value)
    return integer(value.get("x")), integer(value.get("y"))


def integers(value: Any) -> list[int]:
    """Accept a list of numbers."""
    if not isinstance(value, list):
        raise WrongKind(value)
    return [integer(each) for each in value]


def selector(value: Any) -> UiSelector:
    """Accept a selector."""
    return _selector(value, MOST_NESTED)


def thing(value: Any) -> UiSelector | str:
    """Accept a selector, or the id that stands for one."""
    return value if isinstance(value, str) else selector(value)


def _selector(value: Any, depth: int) -> UiSelector:
    if not isinstance(value, dict) or not depth:
        raise WrongKind(value)
    mask = integer(value.get("mask", 0))
    found = UiSelector()
    for name, bit in NAMES.items():
        if mask & bit:
            found = found.having(name, _criterion(name, value.get(name)))
    ways, inner = value.get("childOrSibling", []), value.get("childOrSiblingSelector", [])
    if not isinstance(ways, list) or not isinstance(inner, list) or len(ways) != len(inner):
        raise WrongKind(value)
    for way, each in zip(ways, inner, strict=True):
        then = found.then_child if way == "child" else found.then_sibling
        found = then(_selector(each, depth - 1))
    return found


def _criterion(name: str, value: Any) -> str | int | bool:
    if name in FLAGS:
        return flag(value)
    if name not in TEXTS:
        return integer(value)
    if not isinstance(value, str):
        raise WrongKind(value)
    if name.endswith("Matches"):
        try:
            pattern(value)
        except re.error as error:
            raise WrongKind(value) from error
    return value
