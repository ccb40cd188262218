"""What a script is made of, once it has been parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Text(NamedTuple):
    """Characters that stand for themselves; quoted ones are neither split nor patterns."""

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

    script: Script
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
    """`2>file` and its kin."""

    fd: int
    operator: str
    target: Word | HereDocument


class Assignment(NamedTuple):
    """`NAME=value`, or `NAME+=value`."""

    name: str
    value: Word
    append: bool = False


class Simple(NamedTuple):
    """A command of words, with what is assigned for it."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    line: int


class Redirected(NamedTuple):
    """A command with its redirections."""

    command: Node
    redirects: tuple[Redirect, ...]
    line: int


class Pipeline(NamedTuple):
    """`a | b`, or `! a`."""

    commands: tuple[Node, ...]
    negated: bool = False


class AndOr(NamedTuple):
    """`a && b || c`: the first command, and each further one with what joins it."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Background(NamedTuple):
    """`a &`."""

    command: Node


class Script(NamedTuple):
    """Commands one after the other."""

    commands: tuple[Node, ...]


class Subshell(NamedTuple):
    """`( script )`."""

    body: Script


class Let(NamedTuple):
    """`((expression))`: succeeds if it is not zero."""

    expression: Word


class If(NamedTuple):
    """`if condition; then body; elif ...; else otherwise; fi`."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None


class Loop(NamedTuple):
    """`while condition; do body; done`; an until-loop goes on while the condition fails."""

    condition: Script
    body: Script
    until: bool


class For(NamedTuple):
    """`for name in words; do body; done`; without words it takes the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Script


class Case(NamedTuple):
    """`case word in pattern|pattern) body;; esac`."""

    word: Word
    arms: tuple[tuple[tuple[Word, ...], Script], ...]


class Function(NamedTuple):
    """`name() body`."""

    name: str
    body: Node


class Test(NamedTuple):
    """`[[ words ]]`: words are not split, and the right of `==` is a pattern."""

    words: tuple[Word, ...]


Node: TypeAlias = (
    Simple
    | Redirected
    | Pipeline
    | AndOr
    | Background
    | Script
    | Subshell
    | Let
    | If
    | Loop
    | For
    | Case
    | Function
    | Test
)
