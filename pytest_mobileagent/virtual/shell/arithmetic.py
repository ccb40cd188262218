"""Evaluates `$((...))` as mksh does: C's operators on integers of 32 bits."""

from __future__ import annotations

import operator
import re
from functools import partial
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    Get = Callable[[str], str]
    Assign = Callable[[str, str], None]

_TOKEN = re.compile(
    r"\s*(\d\w*#?\w*|[A-Za-z_]\w*|<<=|>>=|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>"
    r"|[-+*/%&|^<>=!~?:(),])",
    re.ASCII,
)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_STEPS = {"++": 1, "--": -1}
_PREFIXES: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "!": operator.not_,
    "~": operator.invert,
}
_OPERATIONS: dict[str, tuple[int, Callable[[int, int], int]]] = {  # how strongly each one binds
    "||": (0, lambda a, b: a or b),
    "&&": (1, lambda a, b: a and b),
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
_DEEPEST = 64  # of variables whose values are expressions with variables


class ExpressionError(Exception):
    """An expression cannot be evaluated; the message is what mksh prints after its name."""


def evaluate(expression: str, get: Get, assign: Assign, depth: int = 0) -> int:
    """Return the value of `expression`, whose variables are read and set; an empty one is 0."""
    return _Evaluation(expression, get, assign, depth).result()


class _Evaluation:
    def __init__(self, expression: str, get: Get, assign: Assign, depth: int) -> None:
        self._expression = expression
        self._get = get
        self._set = assign
        self._depth = depth
        self._tokens = _TOKEN.findall(expression)
        self._idle = 0  # above 0 in the branch that is not taken: no assignments, no errors

    def result(self) -> int:
        strange = _TOKEN.sub("", self._expression).strip()
        if strange:
            self._fail(f"unexpected '{strange[0]}'")
        value = self._comma() if self._tokens else 0
        if self._tokens:
            self._fail(f"unexpected '{self._tokens[0]}'")
        return value

    def _fail(self, words: str) -> NoReturn:
        raise ExpressionError(f"{self._expression}: {words}")

    def _sees(self, *tokens: str) -> bool:
        return bool(self._tokens) and self._tokens[0] in tokens

    def _take(self) -> str:
        return self._tokens.pop(0) if self._tokens else ""

    def _comma(self) -> int:
        value = self._assignment()
        while self._sees(","):
            self._take()
            value = self._assignment()
        return value

    def _assignment(self) -> int:
        name, *rest = self._tokens[:2] or [""]
        if not _NAME.fullmatch(name) or not set(rest) & _ASSIGNING:
            return self._choice()
        del self._tokens[:2]
        value = self._assignment()
        if rest != ["="]:
            value = self._apply(rest[0][:-1], self._variable(name), value)
        return self._assign(name, value)

    def _choice(self) -> int:
        condition = self._binary(0)
        if not self._sees("?"):
            return condition
        self._take()
        first = self._branch(self._assignment, taken=bool(condition))
        if self._take() != ":":
            self._fail("missing ':'")
        second = self._branch(self._assignment, taken=not condition)
        return first if condition else second

    def _binary(self, least: int) -> int:
        left = self._unary()
        while self._tokens and _OPERATIONS.get(self._tokens[0], (-1,))[0] >= least:
            sign = self._take()
            needed = {"&&": bool(left), "||": not left}.get(sign, True)
            rule = partial(self._binary, _OPERATIONS[sign][0] + 1)
            right = self._branch(rule, taken=needed)
            left = self._apply(sign, left, right)
        return left

    def _branch(self, rule: Callable[[], int], *, taken: bool) -> int:
        self._idle += not taken
        value = rule()
        self._idle -= not taken
        return value

    def _unary(self) -> int:
        word = self._take()
        if word in _PREFIXES:
            return _wrapped(_PREFIXES[word](self._unary()))
        if word in _STEPS:
            name = self._take()
            return self._assign(name, self._variable(name) + _STEPS[word])
        if word == "(":
            value = self._comma()
            if self._take() != ")":
                self._fail("missing )")
            return value
        if word[:1].isdecimal():
            return self._number(word)
        if not _NAME.fullmatch(word):
            self._fail(f"unexpected '{word}'" if word else "unexpected end of expression")
        value = self._variable(word)
        if self._sees(*_STEPS):
            self._assign(word, value + _STEPS[self._take()])
        return value

    def _number(self, text: str) -> int:
        base, digits = text.split("#", 1) if "#" in text else ("10", text)
        try:
            return _wrapped(int(digits, 16 if digits[:2].lower() == "0x" else int(base)))
        except ValueError:
            self._fail(f"bad number '{text}'")

    def _variable(self, name: str) -> int:
        if self._depth > _DEEPEST:
            self._fail("expression recurses on parameter")
        return evaluate(self._get(name), self._get, self._set, self._depth + 1)

    def _assign(self, name: str, value: int) -> int:
        value = _wrapped(value)
        if not self._idle:
            self._set(name, str(value))
        return value

    def _apply(self, sign: str, left: int, right: int) -> int:
        if sign in {"||", "&&"}:
            left, right = bool(left), bool(right)
        if sign in {"/", "%"} and not right:
            if not self._idle:
                self._fail("zero divisor")
            right = 1
        return _wrapped(int(_OPERATIONS[sign][1](left, right)))


def _wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31
