"""Evaluates `$((...))` as mksh does: C's operators on 32-bit integers."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.virtual.shell.errors import ShellError

if TYPE_CHECKING:
    from collections.abc import Callable

    Get = Callable[[str], str]
    Assign = Callable[[str, str], None]

_TOKEN = re.compile(r"\s*(\d\w*#?\w*|[A-Za-z_]\w*|\+\+|--|&&|\|\||[-+*/%<>=!]=|<<|>>|\S)", re.ASCII)
_LONGEST = 10_000
_PREFIXES: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "!": operator.not_,
    "~": operator.invert,
}
_OPERATIONS: dict[str, tuple[int, Callable[[int, int], int]]] = {  # with their precedence
    "||": (0, lambda a, b: bool(a or b)),
    "&&": (1, lambda a, b: bool(a and b)),
    "|": (2, operator.or_),
    "^": (3, operator.xor),
    "&": (4, operator.and_),
    "==": (5, operator.eq),
    "!=": (5, operator.ne),
    "<=": (6, operator.le),
    ">=": (6, operator.ge),
    "<": (6, operator.lt),
    ">": (6, operator.gt),
    "<<": (7, lambda a, b: a << (b & 31)),
    ">>": (7, lambda a, b: a >> (b & 31)),
    "+": (8, operator.add),
    "-": (8, operator.sub),
    "*": (9, operator.mul),
    "/": (9, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
    "%": (9, lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1)),
}


def evaluate(expression: str, get: Get, assign: Assign) -> int:
    """Return the value of `expression`, which may read and set variables; an empty one is 0.

    ShellError, with what mksh prints after its name, if it cannot be evaluated.
    """
    return _Evaluation(expression, get, assign).result()


class _Evaluation:
    def __init__(self, expression: str, get: Get, assign: Assign) -> None:
        self._expression = expression
        self._get = get
        self._set = assign
        if len(expression) > _LONGEST:
            raise ShellError("expression is too long")
        self._tokens = _TOKEN.findall(expression)

    def result(self) -> int:
        value = self._assignment() if self._tokens else 0
        if self._tokens:
            self._fail(f"unexpected '{self._tokens[0]}'")
        return value

    def _fail(self, words: str) -> NoReturn:
        raise ShellError(f"{self._expression}: {words}")

    def _take(self) -> str:
        return self._tokens.pop(0) if self._tokens else ""

    def _assignment(self) -> int:
        name, sign = [*self._tokens, "", ""][:2]
        if not name.isidentifier() or sign not in {"=", "+=", "-=", "*=", "/=", "%="}:
            return self._choice()
        del self._tokens[:2]
        value = self._assignment()
        if sign != "=":
            value = self._apply(sign[:-1], self._variable(name), value)
        self._set(name, str(value))
        return value

    def _choice(self) -> int:
        condition = self._binary(0)
        if self._tokens[:1] != ["?"]:
            return condition
        self._take()
        first = self._assignment()
        if self._take() != ":":
            self._fail("missing ':'")
        second = self._assignment()
        return first if condition else second

    def _binary(self, least: int) -> int:
        left = self._unary()
        while self._tokens and _OPERATIONS.get(self._tokens[0], (-1,))[0] >= least:
            sign = self._take()
            left = self._apply(sign, left, self._binary(_OPERATIONS[sign][0] + 1))
        return left

    def _unary(self) -> int:
        word = self._take()
        if word in _PREFIXES:
            return _wrapped(_PREFIXES[word](self._unary()))
        if word == "(":
            value = self._assignment()
            if self._take() != ")":
                self._fail("missing )")
            return value
        if word[:1].isdecimal():
            return self._number(word)
        if not word.isidentifier():
            self._fail(f"unexpected '{word}'" if word else "unexpected end of expression")
        value = self._variable(word)
        if self._tokens[:1] in (["++"], ["--"]):
            self._set(word, str(_wrapped(value + (1 if self._take() == "++" else -1))))
        return value

    def _number(self, text: str) -> int:
        base, digits = text.split("#", 1) if "#" in text else ("10", text)
        try:
            return _wrapped(int(digits, 16 if digits[:2].lower() == "0x" else int(base)))
        except ValueError:
            self._fail(f"bad number '{text}'")

    def _variable(self, name: str) -> int:
        text = self._get(name).strip()
        return self._number(text.lstrip("-")) * (-1 if text[:1] == "-" else 1) if text else 0

    def _apply(self, sign: str, left: int, right: int) -> int:
        if sign in {"/", "%"} and not right:
            self._fail("zero divisor")
        return _wrapped(int(_OPERATIONS[sign][1](left, right)))


def _wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31
