"""Evaluates the conditions of `[ ]` and `[[ ]]`: files, strings and numbers."""

from __future__ import annotations

import re
import stat as modes
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_mobileagent.virtual.shell import patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.access import UserFiles
    from pytest_mobileagent.virtual.kernel.files import Node
    from pytest_mobileagent.virtual.shell.execution import Shell

_MOST = 10_000  # words


class ConditionError(Exception):
    """A condition is invalid."""


class Operand(NamedTuple):
    """A word of a condition; a `literal` word may be an operator."""

    text: str
    literal: bool = True
    pattern: str | None = None  # for the right side of == in [[ ]]

    def is_one_of(self, *operators: str) -> bool:
        """Return whether the word is one of these operators."""
        return self.literal and self.text in operators


class Condition:
    """A condition, as the words that remain to be parsed."""

    def __init__(self, words: list[Operand], shell: Shell, files: UserFiles) -> None:
        if len(words) > _MOST:
            raise ConditionError("too many arguments")
        self._rest = list(words)
        self._shell = shell
        self._files = files

    def holds(self) -> bool:
        """Return whether the condition is true; an empty condition is false."""
        result = bool(self._rest) and self._either()
        if self._rest:
            raise ConditionError(f"{self._rest[0].text}: unexpected operator/operand")
        return result

    def _either(self) -> bool:
        result = self._both()
        while self._rest and self._rest[0].is_one_of("-o", "||"):
            self._rest.pop(0)
            result = self._both() or result
        return result

    def _both(self) -> bool:
        result = self._primary()
        while self._rest and self._rest[0].is_one_of("-a", "&&"):
            self._rest.pop(0)
            result = self._primary() and result
        return result

    def _primary(self) -> bool:
        if len(self._rest) > 2 and self._rest[1].is_one_of(*_NUMBERS, "=", "==", "!="):
            left, operator, right, *self._rest = self._rest
            return self._binary(left, operator.text, right)
        word = self._next()
        if word.is_one_of("!") and self._rest:
            return not self._primary()
        if word.is_one_of("(") and self._rest:
            result = self._either()
            if not self._next().is_one_of(")"):
                raise ConditionError("missing ')'")
            return result
        if self._rest and word.literal and re.fullmatch("-[a-zA-Z]", word.text):
            return self._unary(word.text[1], self._next().text)
        return bool(word.text)

    def _next(self) -> Operand:
        if not self._rest:
            raise ConditionError("expression expected")
        return self._rest.pop(0)

    def _unary(self, operator: str, text: str) -> bool:
        if operator in "nz":
            return bool(text) == (operator == "n")
        if operator == "t":
            return self._shell.session.tty and text in {"0", "1", "2"}
        files = self._files
        node = files.find(text, follow=operator not in "hL")
        if operator in _RIGHTS:
            return node is not None and files.may(text, _RIGHTS[operator])
        if operator not in _OF_NODES:
            raise ConditionError(f"-{operator}: unexpected operator/operand")
        return node is not None and _OF_NODES[operator](node)

    def _binary(self, left: Operand, operator: str, right: Operand) -> bool:
        if operator in _NUMBERS:
            evaluate = self._shell.evaluate
            return _NUMBERS[operator](evaluate(left.text), evaluate(right.text))
        wanted = patterns.escape(right.text) if right.pattern is None else right.pattern
        return patterns.matches(wanted, left.text) == (operator != "!=")


_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    f"-{each.__name__}": each for each in (eq, ne, lt, le, gt, ge)
}
_RIGHTS: dict[str, Literal["r", "w", "x"]] = {"r": "r", "w": "w", "x": "x"}
_OF_NODES: dict[str, Callable[[Node], bool]] = {
    "e": lambda _: True,
    "f": lambda node: node.kind == "file" and not modes.S_ISCHR(node.mode),
    "d": lambda node: node.kind == "dir",
    "s": lambda node: len(node.data) > 0 or node.kind == "dir",
    "c": lambda node: modes.S_ISCHR(node.mode),
    "h": lambda node: node.kind == "link",
    "L": lambda node: node.kind == "link",
}
