"""Evaluates `$((...))` as mksh does: C's operators on integers of 32 bits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(\d\w*#?\w*)|([A-Za-z_]\w*)|"
    r"(<<=|>>=|\*\*|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^<>=!~?:(),]))",
    re.ASCII,
)
_LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<=", ">=", "<", ">"],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
_ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_DEEPEST = 64  # of variables whose values are expressions with variables


class ExpressionError(Exception):
    """An expression cannot be evaluated; the message is what mksh prints after its name."""


def evaluate(
    expression: str,
    get: Callable[[str], str],
    assign: Callable[[str, str], None],
    depth: int = 0,
) -> int:
    """Return the value of `expression`, whose variables are read and set; an empty one is 0."""
    return _Evaluation(expression, get, assign, depth).result()


class _Evaluation:
    def __init__(
        self,
        expression: str,
        get: Callable[[str], str],
        assign: Callable[[str, str], None],
        depth: int,
    ) -> None:
        self._expression = expression
        self._get = get
        self._set = assign
        self._depth = depth
        self._tokens = self._tokenize()
        self._at = 0
        self._idle = 0  # above 0 in the branch that is not taken: no assignments, no errors

    def result(self) -> int:
        if self._tokens == [""]:
            return 0
        value = self._comma()
        if self._peek():
            self._fail(f"unexpected '{self._peek()}'")
        return value

    def _tokenize(self) -> list[str]:
        tokens, at = [], 0
        text = self._expression.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self._fail(f"unexpected '{text[at:].strip()[:1]}'")
            tokens.append(match[0].strip())
            at = match.end()
        return [*tokens, ""]

    def _fail(self, words: str) -> NoReturn:
        raise ExpressionError(f"{self._expression}: {words}")

    def _peek(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        token = self._tokens[self._at]
        self._at += bool(token)
        return token

    def _comma(self) -> int:
        value = self._assignment()
        while self._peek() == ",":
            self._take()
            value = self._assignment()
        return value

    def _assignment(self) -> int:
        name, operator = self._peek(), self._tokens[self._at + 1 : self._at + 2]
        if not (name[:1].isalpha() or name[:1] == "_") or not set(operator) & _ASSIGNING:
            return self._choice()
        self._at += 2
        value = self._assignment()
        if operator != ["="]:
            value = self._apply(operator[0][:-1], self._variable(name), value)
        return self._assign(name, value)

    def _choice(self) -> int:
        condition = self._binary(0)
        if self._peek() != "?":
            return condition
        self._take()
        first = self._branch(self._assignment, taken=bool(condition))
        if self._take() != ":":
            self._fail("missing ':'")
        second = self._branch(self._assignment, taken=not condition)
        return first if condition else second

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._take()
            needed = left if operator == "&&" else not left if operator == "||" else True
            right = self._branch(lambda: self._binary(level + 1), taken=bool(needed))
            left = self._apply(operator, left, right)
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
        return self._number(word) if word[:1].isdecimal() else self._named(word)

    def _named(self, name: str) -> int:
        if not name:
            self._fail("unexpected end of expression")
        if not (name[0].isalpha() or name[0] == "_"):
            self._fail(f"unexpected '{name}'")
        value = self._variable(name)
        if self._peek() in _STEPS:
            self._assign(name, value + _STEPS[self._take()])
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

    def _apply(self, operator: str, left: int, right: int) -> int:
        if operator in {"/", "%"}:
            if right == 0 and not self._idle:
                self._fail("zero divisor")
            quotient = abs(left) // abs(right or 1) * (1 if (left < 0) == (right < 0) else -1)
            return _wrapped(quotient if operator == "/" else left - quotient * right)
        return _wrapped(_OPERATIONS[operator](left, right))


_STEPS = {"++": 1, "--": -1}
_PREFIXES: dict[str, Callable[[int], int]] = {
    "-": lambda a: -a,
    "+": lambda a: a,
    "!": lambda a: int(not a),
    "~": lambda a: ~a,
}
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a or b)),
    "&&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<<": lambda a, b: a << (b & 31),
    ">>": lambda a, b: a >> (b & 31),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def _wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31
