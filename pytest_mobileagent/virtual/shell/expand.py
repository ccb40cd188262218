"""The words of a script, and their expansion: parameters, `$(...)`, arithmetic, fields, globs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pytest_mobileagent.virtual.shell import patterns
from pytest_mobileagent.virtual.shell.errors import ShellError
from pytest_mobileagent.virtual.shell.limits import VALUE, WORDS, breathe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.virtual.shell.execution import Node, Shell


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


_BLANK = set(" \t\n")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a word after expansion.

    Text is "quoted" (literal), "plain" (may be a pattern) or "loose" (may be a pattern, and is
    split into fields); a "break" ends a field, as between the parameters in "$@".
    """

    text: str
    kind: Literal["quoted", "plain", "loose", "break"]


async def fields(shell: Shell, words: Iterable[Word]) -> list[str]:
    """Expand `words` to the arguments of a command."""
    arguments: list[str] = []
    for word in words:
        for field in await _split(await _expand(shell, word), shell.get("IFS", " \t\n")):
            await breathe()
            arguments += _globbed(shell, field)
        if len(arguments) > WORDS:
            raise ShellError("out of memory")
    return arguments


async def text(shell: Shell, word: Word) -> str:
    """Expand a word that is neither split nor a pattern, such as the value of an assignment."""
    pieces = await _expand(shell, word)
    return "".join(" " if piece.kind == "break" else piece.text for piece in pieces)


async def pattern(shell: Shell, word: Word) -> str:
    """Expand a word to a pattern, in which quoted text is literal."""
    return _pattern(await _expand(shell, word))


def _pattern(pieces: Iterable[_Piece]) -> str:
    return "".join(patterns.escape(p.text) if p.kind == "quoted" else p.text for p in pieces)


@lru_cache(maxsize=64)
def separator(characters: str) -> re.Pattern[str]:
    """Return the pattern of a field's end: blanks in IFS, or another separator amid blanks."""
    blank, other = (
        f"[{re.escape(''.join(chars))}]" if chars else "(?!)"
        for chars in (set(characters) & _BLANK, set(characters) - _BLANK)
    )
    return re.compile(f"{blank}*{other}{blank}*|{blank}+")


async def _split(pieces: list[_Piece], separators: str) -> list[list[_Piece]]:
    """Split the loose pieces at `separators` (IFS); a field is a list of pieces."""
    done: list[list[_Piece]] = []
    field: list[_Piece] | None = None
    for piece in pieces:
        await breathe()
        if piece.kind == "break":
            if field is not None:
                done.append(field)
            field = None
        elif piece.kind != "loose" or not separators:
            if piece.text or piece.kind == "quoted":
                field = [*(field or []), piece]
        else:
            field = await _split_loose(piece.text, separator(separators), field, done)
    if field is not None:
        done.append(field)
    return done


async def _split_loose(
    content: str, separator: re.Pattern[str], field: list[_Piece] | None, done: list[list[_Piece]]
) -> list[_Piece] | None:
    """Add the complete fields in a loose piece to `done`; return the incomplete last one."""
    at = 0
    for match in chain(separator.finditer(content), [None]):
        await breathe()
        if len(done) > WORDS:
            raise ShellError("out of memory")
        part = content[at : match.start() if match else None]
        if part:
            field = [*(field or []), _Piece(part, "plain")]
        if match and (field is not None or set(match[0]) - _BLANK):
            done.append(field or [])
            field = None
        at = match.end() if match else at
    return field


def _globbed(shell: Shell, field: list[_Piece]) -> list[str]:
    plain = "".join(piece.text for piece in field)
    magic = any(set(p.text) & set("*?[") for p in field if p.kind == "plain")
    if not magic or "f" in shell.options:
        return [plain]
    return patterns.glob(_pattern(field), shell.files) or [plain]


async def _expand(shell: Shell, word: Word) -> list[_Piece]:
    pieces: list[_Piece] = []
    for part in word:
        match part:
            case Text():
                pieces.append(_Piece(part.text, "quoted" if part.quoted else "plain"))
            case Parameter():
                pieces += await _parameter(shell, part)
            case Substitution():
                output = await shell.capture(part.script)
                pieces.append(_Piece(output, "quoted" if part.quoted else "loose"))
            case Arithmetic():
                value = shell.evaluate(await text(shell, part.expression))
                pieces.append(_Piece(str(value), "quoted" if part.quoted else "loose"))
    if sum(len(piece.text) for piece in pieces) > 2 * VALUE:
        raise ShellError("out of memory")
    if pieces and pieces[0].kind == "plain" and re.match(r"~(/|$)", pieces[0].text):
        home = _Piece(shell.get("HOME", "/"), "quoted")
        pieces[:1] = [home, _Piece(pieces[0].text[1:], "plain")]
    return pieces


async def _parameter(shell: Shell, part: Parameter) -> list[_Piece]:
    kind: Literal["quoted", "loose"] = "quoted" if part.quoted else "loose"
    if part.name in {"@", "*"} and part.operator == "":
        return _all_parameters(shell, part.name, kind)
    value = shell.lookup(part.name)
    match part.operator:
        case "length":
            count = len(shell.arguments) if part.name in {"@", "*"} else len(value or "")
            return [_Piece(str(count), kind)]
        case ":-" | "-" | ":=" | "=" | ":?" | "?" | ":+" | "+":
            return await _conditional(shell, part, value, kind)
    if value is None:
        if "u" in shell.options:
            raise ShellError(f"{part.name}: parameter not set")
        value = ""
    return [_Piece(await _edited(shell, part, value), kind)]


def _all_parameters(shell: Shell, name: str, kind: Literal["quoted", "loose"]) -> list[_Piece]:
    if name == "*" and kind == "quoted":
        return [_Piece(shell.get("IFS", " ")[:1].join(shell.arguments), kind)]
    pieces: list[_Piece] = []
    for argument in shell.arguments:
        pieces += [_Piece("", "break"), _Piece(argument, kind)]
    return pieces[1:]


async def _conditional(
    shell: Shell, part: Parameter, value: str | None, kind: Literal["quoted", "loose"]
) -> list[_Piece]:
    """Expand `${name:-word}` and similar; with a colon, an empty value counts as unset."""
    missing = value is None or (part.operator[0] == ":" and not value)
    action = part.operator[-1]
    if missing and action == "+":
        return [_Piece("", kind)]
    if not missing and action != "+":
        if part.name in {"@", "*"}:
            return _all_parameters(shell, part.name, kind)
        return [_Piece(value or "", kind)]
    if action == "?":
        words = await text(shell, part.word)
        raise ShellError(f"{part.name}: {words or 'parameter null or not set'}")
    if action == "=":
        default = await text(shell, part.word)
        shell.assign(part.name, default)
        return [_Piece(default, kind)]
    pieces = await _expand(shell, part.word)
    loosened = [_Piece(p.text, "loose") if p.kind == "plain" else p for p in pieces]
    return loosened or [_Piece("", kind)]


async def _edited(shell: Shell, part: Parameter, value: str) -> str:
    """Return a value after applying the operators that cut and replace."""
    operator = part.operator
    if not operator:
        return value
    wanted = await pattern(shell, part.word)
    if not patterns.has_magic(wanted):
        plain = patterns.literal(wanted)
        return value.removeprefix(plain) if operator[0] == "#" else value.removesuffix(plain)
    if operator[0] == "#":
        whole = patterns.compiled(wanted, greedy=len(operator) == 2, before=r"\A")
        found = await patterns.search(whole, value)
        return value[found.end() :] if found else value
    # To cut the longest end, the text before it has to match as little as possible, and vice versa.
    kept = r"\A(.*?)" if len(operator) == 2 else r"\A(.*)"
    found = await patterns.search(patterns.compiled(wanted, before=kept, behind=r"\Z"), value)
    return found[1] or "" if found else value
