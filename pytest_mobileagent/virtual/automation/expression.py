"""Parses the Java-like text of `-android uiautomator` locators: UiSelector and UiScrollable.

Without the keyword `new`, and with literals converted to Python's syntax, the text is a Python
expression, so that Python's parser does the rest.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.automation.selector import (
    FLAGS,
    NUMBERS,
    TEXTS,
    UiSelector,
    pattern,
)

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
    """Parse the statements, separated by semicolons; SyntaxProblem if they are not valid."""
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
