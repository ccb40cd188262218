"""Cuts awk programs into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_mobileagent.virtual.shell.commands import Failure

_TOKEN = re.compile(
    r"(?P<blank>(?:[ \t\r]|\\\n|#[^\n]*)+)"
    r"|(?P<newline>\n)"
    r"|(?P<number>0[xX][0-9A-Fa-f]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<call>[A-Za-z_]\w*(?=\())"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator>\*\*=|\*\*|\+\+|--|&&|\|\||[-+*/%^!<>=]=|!~|[-+*/%^!<>=~?:,;(){}\[\]$|])",
    re.ASCII | re.DOTALL,
)
_REGEX = re.compile(r"/((?:[^/\\\n\[]|\\.|\[\^?\]?(?:[^\]\n])*\])*)/")
_WORDS = {
    "BEGIN", "END", "function", "func", "if", "else", "while", "for", "do", "break", "continue",
    "next", "exit", "return", "delete", "in", "print", "printf", "getline",
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "/": "/", "a": "\a", "b": "\b"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind ("word", "name", "call", "number", "string", "regex" or an operator)."""

    kind: str
    text: str


def tokens(program: str) -> list[Token]:
    """Return the tokens of a program, the last of which is the end."""
    found: list[Token] = []
    at = 0
    while at < len(program):
        regex = (
            _REGEX.match(program, at) if program[at] == "/" and _operand_may_follow(found) else None
        )
        if regex:
            found.append(Token("regex", regex[1].replace("\\/", "/")))
            at = regex.end()
            continue
        match = _TOKEN.match(program, at)
        if match is None:
            msg = f"syntax error at source line {program.count(chr(10), 0, at) + 1}"
            raise Failure(msg, 2)
        at = match.end()
        kind = match.lastgroup or ""
        if kind != "blank":
            found.append(_token(kind, match[0]))
    return [*found, Token("end", "")]


def _token(kind: str, text: str) -> Token:
    if kind == "string":
        return Token("string", unescaped(text[1:-1]))
    if text in _WORDS:
        return Token("word", text)
    return Token(text if kind in {"operator", "newline"} else kind, text)


def unescaped(text: str) -> str:
    """Replace the backslash sequences of a string."""

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 8))
        return _ESCAPES.get(match[2], f"\\{match[2]}")

    return re.sub(r"\\(?:([0-7]{1,3})|(.))", character, text, flags=re.DOTALL)


def _operand_may_follow(found: list[Token]) -> bool:
    """Whether a slash here begins a regular expression: it does not behind an operand."""
    return not found or found[-1].kind not in {
        "name",
        "number",
        "string",
        ")",
        "]",
        "$",
        "++",
        "--",
    }
