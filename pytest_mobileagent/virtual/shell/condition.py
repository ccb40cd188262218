"""Evaluates the conditions of `[ ]` and `[[ ]]`: files, strings and numbers."""

from __future__ import annotations

import re
import stat as modes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from pytest_mobileagent.virtual.shell import patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.kernel.files import Node
    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.session import Session


class ConditionError(Exception):
    """A condition makes no sense."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A word of a condition; `literal` is what could be an operator."""

    text: str
    literal: bool = True
    pattern: str | None = None  # for the right of == in [[ ]]

    def is_one_of(self, *operators: str) -> bool:
        """Whether the word is one of these operators."""
        return self.literal and self.text in operators


def holds(words: list[Operand], shell: Shell, session: Session) -> bool:
    """Whether the condition is true; without words it is not."""
    if not words:
        return False
    condition = _Condition(words, shell, session)
    result = condition.either()
    if condition.rest:
        raise ConditionError(f"{condition.rest[0].text}: unexpected operator/operand")
    return result


class _Condition:
    def __init__(self, words: list[Operand], shell: Shell, session: Session) -> None:
        self.rest = list(words)
        self._shell = shell
        self._session = session

    def either(self) -> bool:
        result = self._both()
        while self.rest and self.rest[0].is_one_of("-o", "||"):
            self.rest.pop(0)
            result = self._both() or result
        return result

    def _both(self) -> bool:
        result = self._negated()
        while self.rest and self.rest[0].is_one_of("-a", "&&"):
            self.rest.pop(0)
            result = self._negated() and result
        return result

    def _negated(self) -> bool:
        if len(self.rest) > 1 and self.rest[0].is_one_of("!") and not self._binary_follows():
            self.rest.pop(0)
            return not self._negated()
        return self._primary()

    def _binary_follows(self) -> bool:
        return len(self.rest) > 2 and self.rest[1].is_one_of(*_STRINGS, *_NUMBERS, *_FILES, "=~")

    def _primary(self) -> bool:
        if self._binary_follows():
            left, operator, right, *self.rest = self.rest
            return self._binary(left, operator.text, right)
        word = self._next()
        if word.is_one_of("(") and self.rest:
            result = self.either()
            if not self._next().is_one_of(")"):
                raise ConditionError("missing ')'")
            return result
        if self.rest and word.literal and re.fullmatch("-[a-zA-Z]", word.text):
            return self._unary(word.text[1], self._next().text)
        return bool(word.text)

    def _next(self) -> Operand:
        if not self.rest:
            raise ConditionError("expression expected")
        return self.rest.pop(0)

    def _unary(self, operator: str, text: str) -> bool:
        if operator in "rwx":
            return self._may(text, cast('Literal["r", "w", "x"]', operator))
        if operator in _OF_TEXT:
            return _OF_TEXT[operator](text)
        if operator == "t":
            return self._session.tty and text in {"0", "1", "2"}
        if operator == "v":
            return self._shell.lookup(text) is not None
        node = self._node(text, follow=operator not in "hL")
        if operator not in _OF_NODES:
            raise ConditionError(f"-{operator}: unexpected operator/operand")
        return node is not None and _OF_NODES[operator](node)

    def _may(self, name: str, want: Literal["r", "w", "x"]) -> bool:
        return self._node(name) is not None and self._shell.files.may(name, want)

    def _binary(self, left: Operand, operator: str, right: Operand) -> bool:
        if operator in _NUMBERS:
            evaluate = self._shell.evaluate
            return _NUMBERS[operator](evaluate(left.text), evaluate(right.text))
        if operator in _FILES:
            return _FILES[operator](self._node(left.text), self._node(right.text))
        if operator == "=~":
            return re.search(right.text, left.text) is not None
        if operator in {"<", ">"}:
            return left.text < right.text if operator == "<" else left.text > right.text
        same = (
            left.text == right.text
            if right.pattern is None
            else patterns.matches(right.pattern, left.text)
        )
        return same == (operator != "!=")

    def _node(self, name: str, *, follow: bool = True) -> Node | None:
        return self._shell.files.find(name, follow=follow)


_STRINGS = ["=", "==", "!=", "<", ">"]
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_FILES: dict[str, Callable[[Node | None, Node | None], bool]] = {
    "-nt": lambda a, b: a is not None and (b is None or a.mtime > b.mtime),
    "-ot": lambda a, b: b is not None and (a is None or a.mtime < b.mtime),
    "-ef": lambda a, b: a is not None and a is b,
}
_OF_TEXT: dict[str, Callable[[str], bool]] = {"n": bool, "z": lambda text: not text}
_OF_NODES: dict[str, Callable[[Node], bool]] = {
    "a": lambda _: True,
    "e": lambda _: True,
    "f": lambda node: node.kind == "file" and not modes.S_ISCHR(node.mode),
    "d": lambda node: node.kind == "dir",
    "s": lambda node: len(node.data) > 0 or node.kind == "dir",
    "c": lambda node: modes.S_ISCHR(node.mode),
    "b": lambda _: False,
    "p": lambda _: False,
    "S": lambda _: False,
    "g": lambda node: bool(node.mode & modes.S_ISGID),
    "u": lambda node: bool(node.mode & modes.S_ISUID),
    "h": lambda node: node.kind == "link",
    "L": lambda node: node.kind == "link",
    "k": lambda node: bool(node.mode & modes.S_ISVTX),
}
