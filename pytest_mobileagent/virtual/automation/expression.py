"""Reads the Java-like text of `-android uiautomator` locators: UiSelector and UiScrollable.

Once `new` is left out and literals are written Python's way, at the same places, the text is an
expression of Python, whose parser does the rest.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

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
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\w$]+|.', re.DOTALL | re.ASCII)
_PYTHON = {"new": "   ", "true": "True", "false": "False", "class": "Class"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
MOST_NESTED = 50  # selectors inside selectors


class SyntaxProblem(ValueError):  # noqa: N818 - it is the locator's author who is told
    """The text is no locator; says why, and where."""

    def __init__(self, text: str, why: str, position: int) -> None:
        super().__init__(
            f"Could not parse selector expression `{text}`: {why} at position {position}"
        )


Argument: TypeAlias = "str | int | float | bool | UiSelector"


@dataclass(frozen=True, slots=True)
class Call:
    """A method that is called, and where in the text."""

    name: str
    arguments: tuple[Argument, ...]
    position: int


@dataclass(frozen=True, slots=True)
class UiScrollable:
    """`new UiScrollable(…)` with the methods that are called on it."""

    container: UiSelector
    calls: tuple[Call, ...]
    text: str


Statement: TypeAlias = UiSelector | UiScrollable


def parse(text: str) -> list[Statement]:
    """Read the statements, which semicolons separate; SyntaxProblem if they are none."""
    if not text.strip():
        raise SyntaxProblem(text, "Tried to parse an empty string", 0)
    return _Reader(text).statements()


class _Reader:
    """One reading of a text; where a node of Python's tree is, the text has the same."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._strings: dict[int, str] = {}

    def statements(self) -> list[Statement]:
        python = _TOKEN.sub(self._in_python, self._text)
        start = len(python) - len(python.lstrip())
        try:
            module = ast.parse(python[start:])
        except SyntaxError as error:
            at = start + (error.offset or 1) - 1
            raise SyntaxProblem(self._text, error.msg, at) from error
        except (RecursionError, MemoryError) as error:
            raise SyntaxProblem(self._text, "Too deeply nested", 0) from error
        if not module.body:
            raise SyntaxProblem(self._text, "Nothing is built by `new`", len(self._text))
        for node in ast.walk(module):
            if isinstance(node, ast.expr | ast.stmt):
                node.col_offset += start
                node.end_col_offset = (node.end_col_offset or 0) + start
        return [self._statement(each) for each in module.body]

    def _in_python(self, token: re.Match[str]) -> str:
        found = token[0]
        if found[0] == '"' and len(found) > 1:
            self._strings[token.start()] = _unquoted(found)
            return f'"{" " * (len(found) - 2)}"'
        if found.isspace():
            return " "
        if not re.fullmatch(r"[\w$]+|[().,;-]", found, re.ASCII):
            raise SyntaxProblem(self._text, f"Unexpected `{found}`", token.start())
        return _PYTHON.get(found, found.replace("$", "_"))

    def _said(self, node: ast.expr | ast.stmt) -> str:
        return self._text[node.col_offset : node.end_col_offset]

    def _problem(self, why: str, node: ast.expr | ast.stmt) -> SyntaxProblem:
        return SyntaxProblem(self._text, why, node.col_offset)

    def _statement(self, node: ast.stmt) -> Statement:
        if isinstance(node, ast.Expr):
            name, arguments, calls = self._chain(node.value, 0)
            match name, arguments:
                case "UiSelector", _:
                    return self._selector(node.value, 0)
                case "UiScrollable", (UiSelector() as container,):
                    return UiScrollable(container, calls, self._text)
                case "UiScrollable", _:
                    raise self._problem("UiScrollable has no suitable constructor", node)
        why = f"Expected `UiSelector` or `UiScrollable` but saw `{self._said(node)}`"
        raise self._problem(why, node)

    def _chain(
        self, node: ast.expr, depth: int
    ) -> tuple[str, tuple[Argument, ...], tuple[Call, ...]]:
        """Take apart what is made, with what arguments, and the methods that are called on it."""
        calls: list[Call] = []
        while isinstance(node, ast.Call) and not node.keywords:
            arguments = tuple(self._argument(each, depth) for each in node.args)
            match node.func:
                case ast.Name(id=name):
                    return name, arguments, tuple(reversed(calls))
                case ast.Attribute(value=inner, attr=name, end_col_offset=int(end)):
                    calls.append(Call(name, arguments, end - len(name)))
                    node = inner
                case other:
                    node = other
        return "", (), ()

    def _selector(self, node: ast.expr, depth: int) -> UiSelector:
        if depth > MOST_NESTED:
            raise self._problem("Too deeply nested", node)
        name, arguments, calls = self._chain(node, depth)
        if name != "UiSelector":
            raise self._problem(f"`{self._said(node)}` is not supported", node)
        if arguments:
            raise self._problem("UiSelector has no suitable constructor", node)
        selector = UiSelector()
        for call in calls:
            selector = self._applied(selector, call)
        return selector

    def _argument(self, node: ast.expr, depth: int) -> Argument:
        match node:
            case ast.Constant(value=str()) if node.col_offset in self._strings:
                return self._strings[node.col_offset]
            case ast.Constant(value=bool() | int() | float() as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.Call():
                return self._selector(node, depth + 1)
            case ast.Name() | ast.Attribute():  # a class, as in className(android.widget.Button)
                return "".join(self._said(node).split()).removesuffix(".class")
        raise self._problem(f"Unexpected `{self._said(node)}`", node)

    def _applied(self, selector: UiSelector, call: Call) -> UiSelector:
        """Do what a method of UiSelector does."""
        name, arguments = call.name, call.arguments
        why = f"UiSelector has no `{name}` method"
        if name in (*TEXTS, *FLAGS, *NUMBERS, *CHILDREN):
            shown = ", ".join(map(str, arguments))
            why = f"UiSelector has no suitable `{name}` method with arguments [{shown}]"
        match arguments:
            case () if name in FLAGS:
                return selector.having(name, True)
            case (UiSelector() as inner,) if name in CHILDREN:
                return selector.then(CHILDREN[name], inner)
            case (bool() as flag,) if name in FLAGS:
                return selector.having(name, flag)
            case (str() as text,) if name in TEXTS:
                try:
                    if name.endswith("Matches"):
                        pattern(text)
                    return selector.having(name, text)
                except re.error as error:
                    why = f"{error} in `{text}`"
            case (int() as number,) if name in NUMBERS and not isinstance(number, bool):
                if number >= 0:
                    return selector.having(name, number)
                why = f"Cannot have a negative {name}"
        raise SyntaxProblem(self._text, why, call.position)


def _unquoted(literal: str) -> str:
    r"""Give the text of a Java literal; of \ and a letter that means nothing, both stay."""

    def char(match: re.Match[str]) -> str:
        found = match[1]
        if len(found) == 5:
            return chr(int(found[1:], 16))
        return found if found in "\"'\\" else _ESCAPES.get(found, match[0])

    return _ESCAPE.sub(char, literal[1:-1])
