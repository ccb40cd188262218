"""UiSelector, UiScrollable, and the expressions in which clients write them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import PatternError

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


FLAGS: Final = (
    *("checked", "checkable", "clickable", "enabled", "focused"),
    *("focusable", "longClickable", "scrollable", "selected"),
)
_READ: Final[dict[str, Callable[[Node], str | int | bool]]] = {
    "index": lambda node: node.index,
    "text": lambda node: node.text,
    "description": lambda node: node.desc,
    "className": lambda node: node.class_name,
    "packageName": lambda node: node.package,
    "resourceId": lambda node: node.resource_id,
    **{name: attrgetter(name.replace("longClick", "long_click")) for name in FLAGS},
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
        yield from self._find(root, [self.instance or 0])

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


CHILDREN: Final[dict[str, Literal["child", "sibling"]]] = {
    "childSelector": "child",
    "fromParent": "sibling",
}
MOST_SELECTORS = 50  # in one text, because selectors may be nested
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|.', re.DOTALL | re.ASCII)
_PYTHON = {"new": "", "true": "True", "false": "False", "class": "Class"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


class SyntaxProblem(ValueError):
    """The text is not a valid locator; the message says why."""


Argument: TypeAlias = "str | int | float | bool | UiSelector"


@dataclass(frozen=True, slots=True)
class Call:
    """A method call."""

    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class UiScrollable:
    """`new UiScrollable(…)` with the methods called on it."""

    container: UiSelector
    calls: tuple[Call, ...]


Statement: TypeAlias = UiSelector | UiScrollable


def parse(text: str) -> list[Statement]:
    """Parse the statements, separated by semicolons; SyntaxProblem if they are not valid.

    Without the keyword `new`, and with literals converted to Python's syntax, the text is a Python
    expression, so that Python's parser does the rest.
    """
    if text.count("UiSelector") > MOST_SELECTORS:
        raise SyntaxProblem("Too many selectors")
    try:
        module = ast.parse(_TOKEN.sub(_in_python, text).strip())
    except SyntaxError as error:
        raise SyntaxProblem(error.msg) from error
    except (RecursionError, MemoryError) as error:
        raise SyntaxProblem("Too deeply nested") from error
    if not module.body:
        raise SyntaxProblem("Nothing is built")
    return [_statement(each) for each in module.body]


def _in_python(token: re.Match[str]) -> str:
    found = token[0]
    if found[0] == '"' and len(found) > 1:
        return repr(_unquoted(found))
    if found.isspace():
        return " "
    if not re.fullmatch(r"[\w().,;-]+", found, re.ASCII):
        raise SyntaxProblem(f"Unexpected `{found}`")
    return _PYTHON.get(found, found)


def _statement(node: ast.stmt) -> Statement:
    if isinstance(node, ast.Expr):
        match _chain(node.value):
            case "UiSelector", arguments, calls:
                return _selector(arguments, calls)
            case "UiScrollable", (UiSelector() as container,), calls:
                return UiScrollable(container, calls)
            case "UiScrollable", _, _:
                raise SyntaxProblem("UiScrollable has no suitable constructor")
    raise SyntaxProblem(f"Expected `UiSelector` or `UiScrollable` but saw `{ast.unparse(node)}`")


def _chain(node: ast.expr) -> tuple[str, tuple[Argument, ...], tuple[Call, ...]]:
    """Split a chain of calls into the constructor, its arguments, and the methods called on it."""
    calls: list[Call] = []
    while isinstance(node, ast.Call) and not node.keywords:
        arguments = tuple(_argument(each) for each in node.args)
        match node.func:
            case ast.Name(id=name):
                return name, arguments, tuple(reversed(calls))
            case ast.Attribute(value=inner, attr=name):
                calls.append(Call(name, arguments))
                node = inner
            case other:
                node = other
    return "", (), ()


def _selector(arguments: tuple[Argument, ...], calls: tuple[Call, ...]) -> UiSelector:
    if arguments:
        raise SyntaxProblem("UiSelector has no suitable constructor")
    selector = UiSelector()
    for call in calls:
        selector = _applied(selector, call)
    return selector


def _argument(node: ast.expr) -> Argument:
    match node:
        case ast.Constant(value=str() | bool() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Call():
            name, arguments, calls = _chain(node)
            if name == "UiSelector":
                return _selector(arguments, calls)
        case ast.Name() | ast.Attribute():  # a class, as in className(android.widget.Button)
            return ast.unparse(node).removesuffix(".Class")
    raise SyntaxProblem(f"Unexpected `{ast.unparse(node)}`")


def _applied(selector: UiSelector, call: Call) -> UiSelector:
    """Apply a method of UiSelector."""
    name, arguments = call.name, call.arguments
    match arguments:
        case () if name in FLAGS:
            return selector.having(name, True)
        case (UiSelector() as inner,) if name in CHILDREN:
            return selector.then(CHILDREN[name], inner)
        case (bool() as flag,) if name in FLAGS:
            return selector.having(name, flag)
        case (str() as text,) if name in TEXTS:
            if name.endswith("Matches"):
                _check_pattern(text)
            return selector.having(name, text)
        case (int() as number,) if name in NUMBERS and not isinstance(number, bool):
            if number < 0:
                raise SyntaxProblem(f"Cannot have a negative {name}")
            return selector.having(name, number)
    if name in (*TEXTS, *FLAGS, *NUMBERS, *CHILDREN):
        shown = ", ".join(map(str, arguments))
        raise SyntaxProblem(f"UiSelector has no suitable `{name}` method with arguments [{shown}]")
    raise SyntaxProblem(f"UiSelector has no `{name}` method")


def _check_pattern(text: str) -> None:
    try:
        pattern(text)
    except PatternError as error:
        raise SyntaxProblem(f"{error} in `{text}`") from error


def _unquoted(literal: str) -> str:
    r"""Return the text of a Java literal; an unknown escape is kept with its backslash."""

    def char(match: re.Match[str]) -> str:
        found = match[1]
        if len(found) == 5:
            return chr(int(found[1:], 16))
        return found if found in "\"'\\" else _ESCAPES.get(found, match[0])

    return _ESCAPE.sub(char, literal[1:-1])
