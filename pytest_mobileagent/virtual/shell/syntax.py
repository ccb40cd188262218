"""The words and redirections of a parsed script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.execution import Node


class Text(NamedTuple):
    """Literal characters; quoted ones are neither split nor patterns."""

    text: str
    quoted: bool = False


class Parameter(NamedTuple):
    """`$name` or `${name<operator>word}`; the operator "length" is for `${#name}`."""

    name: str
    operator: str = ""
    word: Word = ()
    quoted: bool = False


class Substitution(NamedTuple):
    """`$(script)`."""

    script: Node
    quoted: bool = False


class Arithmetic(NamedTuple):
    """`$((expression))`."""

    expression: Word
    quoted: bool = False


Part: TypeAlias = Text | Parameter | Substitution | Arithmetic
Word: TypeAlias = tuple[Part, ...]


@dataclass(slots=True)
class HereDocument:
    """The lines after a `<<`; they are read after the rest of its line has been parsed."""

    end: str
    literal: bool
    strip_tabs: bool
    body: Word = ()


class Redirect(NamedTuple):
    """`2>file` and similar."""

    fd: int
    operator: str
    target: Word | HereDocument


class Assignment(NamedTuple):
    """`NAME=value`, or `NAME+=value`."""

    name: str
    value: Word
    append: bool = False
