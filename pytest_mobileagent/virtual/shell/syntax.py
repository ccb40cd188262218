"""What a script is made of, once it has been parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand for themselves; quoted ones are neither split nor patterns."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` or `${name<operator>word<operator2>word2}`; the operator `#` alone is the length."""

    name: str
    operator: str = ""
    word: Word = ()
    replacement: Word | None = None
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(script)`."""

    script: Script
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
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


@dataclass(frozen=True, slots=True)
class Redirect:
    """`2>file` and its kin."""

    fd: int
    operator: str
    target: Word | HereDocument


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value`, or `NAME+=value`."""

    name: str
    value: Word
    append: bool = False


@dataclass(frozen=True, slots=True)
class Simple:
    """A command of words, with what is assigned for it."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Redirected:
    """A command with its redirections."""

    command: Node
    redirects: tuple[Redirect, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """`a | b`, or `! a`."""

    commands: tuple[Node, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    """`a && b || c`: the first command, and each further one with what joins it."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Background:
    """`a &`."""

    command: Node


@dataclass(frozen=True, slots=True)
class Script:
    """Commands one after the other."""

    commands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Subshell:
    """`( script )`."""

    body: Script


@dataclass(frozen=True, slots=True)
class If:
    """`if condition; then body; elif ...; else otherwise; fi`."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None


@dataclass(frozen=True, slots=True)
class Loop:
    """`while condition; do body; done`; an until-loop goes on while the condition fails."""

    condition: Script
    body: Script
    until: bool


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words; do body; done`; without words it takes the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Script


@dataclass(frozen=True, slots=True)
class Case:
    """`case word in pattern|pattern) body;; esac`."""

    word: Word
    arms: tuple[tuple[tuple[Word, ...], Script], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`name() body`."""

    name: str
    body: Node


@dataclass(frozen=True, slots=True)
class Let:
    """`((expression))`."""

    expression: Word


@dataclass(frozen=True, slots=True)
class Test:
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
    | If
    | Loop
    | For
    | Case
    | Function
    | Let
    | Test
)
