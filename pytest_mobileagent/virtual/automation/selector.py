"""UiSelector: selects nodes by their own attributes, their surroundings and their number."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_mobileagent import patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.patterns import Pattern
    from pytest_mobileagent.virtual.ui.node import Node

Criterion: TypeAlias = tuple[str, str | int | bool]  # name in UiSelector, required value


@lru_cache(64)
def pattern(text: str) -> Pattern:
    """Compile a Java pattern; PatternError if it is invalid."""
    parts = re.split(r"\\Q(.*?)(?:\\E|$)", text, flags=re.DOTALL)
    parts[1::2] = [re.escape(part) for part in parts[1::2]]
    return patterns.compile("".join(parts), re.DOTALL, java=True)


_READ: Final[dict[str, Callable[[Node], str | int | bool]]] = {
    "index": lambda node: node.index,
    "text": lambda node: node.text,
    "description": lambda node: node.desc,
    "className": lambda node: node.class_name,
    "packageName": lambda node: node.package,
    "resourceId": lambda node: node.resource_id,
    "checked": lambda node: node.checked,
    "checkable": lambda node: node.checkable,
    "clickable": lambda node: node.clickable,
    "enabled": lambda node: node.enabled,
    "focused": lambda node: node.focused,
    "focusable": lambda node: node.focusable,
    "longClickable": lambda node: node.long_clickable,
    "scrollable": lambda node: node.scrollable,
    "selected": lambda node: node.selected,
}
_WAYS: Final[dict[str, Callable[[str, str], bool]]] = {
    "Matches": lambda have, value: pattern(value).fullmatch(have) is not None,
    "StartsWith": str.startswith,
    "Contains": str.__contains__,
}
TEXTS: Final = (  # the criteria with string values
    *(name + way for name in ("text", "description") for way in ("", *_WAYS)),
    *(name + way for name in ("className", "packageName", "resourceId") for way in ("", "Matches")),
)
FLAGS: Final = (
    *("checked", "checkable", "clickable", "enabled", "focused"),
    *("focusable", "longClickable", "scrollable", "selected"),
)
NUMBERS: Final = ("index", "instance")


@dataclass(frozen=True, slots=True)
class UiSelector:
    """Criteria for a node, optionally followed by a `child` inside it or a `sibling` beside it."""

    criteria: tuple[Criterion, ...] = ()
    child: UiSelector | None = None
    sibling: UiSelector | None = None

    def having(self, name: str, value: str | int | bool) -> UiSelector:
        """Return the selector with a criterion added, replacing one of the same name."""
        kept = tuple(each for each in self.criteria if each[0] != name)
        return replace(self, criteria=(*kept, (name, value)))

    def then(self, way: Literal["child", "sibling"], other: UiSelector) -> UiSelector:
        """Return the selector extended by another one, for a descendant or a sibling."""
        if self.child:
            return replace(self, child=self.child.then(way, other))
        if self.sibling:
            return replace(self, sibling=self.sibling.then(way, other))
        return replace(self, child=other) if way == "child" else replace(self, sibling=other)

    def __str__(self) -> str:
        parts = [f"{_words(name)}={_value(value)}" for name, value in self.criteria]
        parts += [f"CHILD={str(self.child)[10:]}"] * (self.child is not None)
        parts += [f"PARENT={str(self.sibling)[10:]}"] * (self.sibling is not None)
        return f"UiSelector[{', '.join(parts)}]"

    @property
    def instance(self) -> int | None:
        """Which of the matching nodes is selected, or None if no number is given."""
        found = dict(self.criteria).get("instance")
        return found if isinstance(found, int) else None

    def accepts(self, node: Node) -> bool:
        """Return whether a node meets all criteria, apart from its number."""
        return all(_accepts(node, name, value) for name, value in self.criteria)

    def find(self, root: Node) -> Iterator[Node]:
        """Yield the matching nodes in the order in which UiAutomator finds them."""
        skip = [self.instance or 0]
        yield from self._find(root, skip)

    def _find(self, node: Node, skip: list[int]) -> Iterator[Node]:
        if self.accepts(node):
            if skip[0]:
                skip[0] -= 1
            else:
                yield from self._found(node)
                if self.child or self.sibling:
                    return
        for child in node.seen():
            yield from self._find(child, skip)

    def _found(self, node: Node) -> Iterator[Node]:
        if self.child:
            yield from _inside(node, self.child)
        elif self.sibling:
            if node.parent:
                yield from _inside(node.parent, self.sibling)
        else:
            yield node


def _inside(node: Node, selector: UiSelector) -> Iterator[Node]:
    skip = [selector.instance or 0]
    for child in node.seen():
        yield from selector._find(child, skip)  # noqa: SLF001 - one search, several roots


def _accepts(node: Node, name: str, value: str | int | bool) -> bool:
    if name == "instance":
        return True
    for way, fits in _WAYS.items():
        if name.endswith(way):
            return fits(str(_READ[name.removesuffix(way)](node)), str(value))
    return _READ[name](node) == value


def _words(name: str) -> str:
    """Return the name of a criterion as UiSelector.toString writes it."""
    name = name.replace("className", "class").replace("Matches", "Regex")
    name = re.sub("(text|description)(Contains|StartsWith)", r"\2_\1", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name.replace("StartsWith", "Start")).upper()


def _value(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
