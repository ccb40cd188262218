"""Reads the Java-like text of `-android uiautomator` locators: UiSelector and UiScrollable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_mobileagent.virtual.automation.selector import (
    FLAGS,
    NUMBERS,
    TEXTS,
    UiSelector,
    pattern,
)

CHILDREN: Final = ("childSelector", "fromParent")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:\\.|[^"\\])*")
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<sign>[().,;])
    )""",
    re.VERBOSE | re.DOTALL,
)
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
    return _Parser(text).statements()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


class _Parser:
    """One pass over the tokens."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[_Token] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                at += len(text[at:]) - len(text[at:].lstrip())
                raise SyntaxProblem(text, f"Unexpected `{text[at]}`", at)
            kind = str(match.lastgroup)
            self._tokens.append(_Token(kind, match[kind], match.start(kind)))
            at = match.end()
        self._tokens.append(_Token("end", "", len(text)))
        self._next = 0
        self._depth = 0

    def statements(self) -> list[Statement]:
        found: list[Statement] = []
        while self._peek.kind != "end":
            found.append(self._statement())
            if self._peek.kind != "end":
                self._take(";")
        return found

    @property
    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _pop(self) -> _Token:
        token = self._peek
        self._next += token.kind != "end"
        return token

    def _take(self, wanted: str) -> _Token:
        token = self._pop()
        if token.text != wanted:
            raise self._problem(f"Expected `{wanted}` but saw `{token.text}`", token)
        return token

    def _problem(self, why: str, token: _Token) -> SyntaxProblem:
        return SyntaxProblem(self._text, why, token.position)

    def _class(self) -> _Token:
        token = self._pop()
        return self._pop() if token.text == "new" else token

    def _statement(self) -> Statement:
        kind = self._class()
        if kind.text == "UiSelector":
            return self._selector()
        if kind.text == "UiScrollable":
            return self._scrollable()
        why = f"Expected `UiSelector` or `UiScrollable` but saw `{kind.text}`"
        raise self._problem(why, kind)

    def _selector(self) -> UiSelector:
        """Read what follows the name of the class."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise self._problem("Too deeply nested", self._peek)
        start = self._peek
        if self._arguments():
            raise self._problem("UiSelector has no suitable constructor", start)
        selector = UiSelector()
        while self._peek.text == ".":
            selector = self._applied(selector, self._call())
        self._depth -= 1
        return selector

    def _scrollable(self) -> UiScrollable:
        start = self._peek
        arguments = self._arguments()
        if len(arguments) != 1 or not isinstance(arguments[0], UiSelector):
            raise self._problem("UiScrollable has no suitable constructor", start)
        calls = []
        while self._peek.text == ".":
            calls.append(self._call())
        return UiScrollable(arguments[0], tuple(calls), self._text)

    def _call(self) -> Call:
        self._take(".")
        name = self._pop()
        if name.kind != "name":
            raise self._problem("Expected a method name", name)
        if self._peek.text != "(":
            raise self._problem("No opening parenthesis after method name", self._peek)
        return Call(name.text, self._arguments(), name.position)

    def _arguments(self) -> tuple[Argument, ...]:
        self._take("(")
        found: list[Argument] = []
        while self._peek.text != ")" or found:
            found.append(self._argument())
            if self._peek.text != ",":
                break
            self._pop()
        if self._peek.kind == "end":
            raise self._problem("Unclosed parenthesis", self._peek)
        self._take(")")
        return tuple(found)

    def _argument(self) -> Argument:
        token = self._peek
        match token.kind:
            case "string":
                return _unquoted(self._pop().text)
            case "number":
                text = self._pop().text
                return float(text) if "." in text else int(text)
        if token.text in ("true", "false"):
            return self._pop().text == "true"
        if token.text in {"new", "UiSelector"}:
            kind = self._class()
            if kind.text == "UiSelector":
                return self._selector()
            raise self._problem(f"`{kind.text}` is not supported", kind)
        if token.kind == "name":
            return self._class_literal()
        raise self._problem(f"Unexpected `{token.text}`", token)

    def _class_literal(self) -> str:
        """Read a class that is named without quotes, as in className(android.widget.Button)."""
        words = [self._pop().text]
        while self._peek.text == ".":
            self._pop()
            words.append(self._pop().text)
        return ".".join(words).removesuffix(".class")

    def _applied(self, selector: UiSelector, call: Call) -> UiSelector:
        """Do what a method of UiSelector does."""
        name, arguments = call.name, call.arguments
        if name not in (*TEXTS, *FLAGS, *NUMBERS, *CHILDREN):
            raise SyntaxProblem(self._text, f"UiSelector has no `{name}` method", call.position)
        match arguments:
            case ():
                if name in FLAGS:
                    return selector.having(name, True)
            case (UiSelector() as inner,) if name in CHILDREN:
                then = selector.then_child if name == "childSelector" else selector.then_sibling
                return then(inner)
            case (bool() as flag,) if name in FLAGS:
                return selector.having(name, flag)
            case (str() as text,) if name in TEXTS:
                self._check_pattern(call, text)
                return selector.having(name, text)
            case (int() as number,) if name in NUMBERS and not isinstance(number, bool):
                if number < 0:
                    why = f"Cannot have a negative {name}"
                    raise SyntaxProblem(self._text, why, call.position)
                return selector.having(name, number)
        shown = ", ".join(map(str, arguments))
        why = f"UiSelector has no suitable `{name}` method with arguments [{shown}]"
        raise SyntaxProblem(self._text, why, call.position)

    def _check_pattern(self, call: Call, text: str) -> None:
        if call.name.endswith("Matches"):
            try:
                pattern(text)
            except re.error as error:
                raise SyntaxProblem(self._text, f"{error} in `{text}`", call.position) from error


def _unquoted(literal: str) -> str:
    r"""Give the text of a Java literal; of \ and a letter that means nothing, both stay."""

    def char(match: re.Match[str]) -> str:
        found = match[1]
        if len(found) == 5:
            return chr(int(found[1:], 16))
        if found in "\"'\\":
            return found
        return _ESCAPES.get(found, match[0])

    return _ESCAPE.sub(char, literal[1:-1])
