"""XPath over a page source: version 1.0, with the functions of 2.0 that locators use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from pytest_mobileagent import patterns

if TYPE_CHECKING:
    from collections.abc import Callable


class BadXPath(ValueError):
    """The text is not a valid XPath expression that selects elements."""


@patterns.within(patterns.QUICK)
def find(root: Any, expression: str) -> list[Any]:
    """Return the elements that an expression selects from `root`, in document order."""
    try:
        found = root.xpath(expression, extensions=_EXTENSIONS)
    except (etree.XPathError, ValueError) as error:
        raise BadXPath(f"{error} in `{expression}`") from error
    if not isinstance(found, list) or not all(map(etree.iselement, found)):
        raise BadXPath(f"`{expression}` does not find elements")
    return found


def _text(value: Any) -> str:
    """Return the string value of an argument, which is a string, a number or nodes."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if etree.iselement(value):
        return str(value.xpath("string()"))
    return str(value)


def _flags(flags: str) -> int:
    names = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}
    return sum(names.get(flag, 0) for flag in set(flags))


def _matches(_: object, text: Any, pattern: Any, flags: Any = "") -> bool:
    compiled = patterns.compile(_text(pattern), _flags(_text(flags)), java=True)
    return compiled.search(_text(text)) is not None


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "matches": _matches,
    "ends-with": lambda _, text, end: _text(text).endswith(_text(end)),
    "lower-case": lambda _, text: _text(text).lower(),
    "upper-case": lambda _, text: _text(text).upper(),
}
_EXTENSIONS = {(None, name): function for name, function in _FUNCTIONS.items()}
