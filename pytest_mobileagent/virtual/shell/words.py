"""Parses words: quotes, `$` expansions and plain text; the lower half of the shell's parser."""

from __future__ import annotations

import re
from bisect import bisect
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.errors import IncompleteError, ShellSyntaxError
from pytest_mobileagent.virtual.shell.syntax import (
    Arithmetic,
    Parameter,
    Part,
    Substitution,
    Text,
    Word,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.execution import Node

BREAKS = " \t\n;&|<>()"

_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]", re.ASCII)
_OPERATOR = re.compile(r":?[-=?+]|%%?|##?")
_PLAIN = re.compile(r"[^\\'\"$` \t\n;&|<>()}]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\\\"$`()}/:]+")


class WordParser:
    """A position in a script's text, and the parsing of the word there."""

    def __init__(self, text: str, first: int = 1) -> None:
        self.text = text
        self.at = 0
        self._first = first
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    @property
    def line(self) -> int:
        """The number of the current line."""
        return bisect(self._newlines, self.at - 1) + self._first

    def script_until(self, end: str) -> Node:
        """Parse commands up to the closing token `end`; the upper half knows how."""
        raise NotImplementedError

    def script_of(self, text: str) -> Node:
        """Parse commands from another text."""
        raise NotImplementedError

    def sees(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self.text.startswith(text, self.at)

    def word(self, breaks: str = BREAKS) -> Word:
        """Parse one word, up to an unquoted character of `breaks`."""
        parts: list[Part] = []
        while self.at < len(self.text) and self.text[self.at] not in breaks:
            parts += self._part()
        return tuple(parts)

    def quoted(self, end: str) -> Word:
        """Parse as between double quotes, up to `end` ("" is the end of the text)."""
        parts: list[Part] = []
        start = self.line
        depth = 0
        while not (end and self.sees(end) and depth == 0):
            if self.at >= len(self.text):
                if not end:
                    break
                raise IncompleteError("no closing quote", start)
            if end == ")":
                depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            parts += self._part_in_quotes(end)
        return tuple(parts)

    def _part(self) -> list[Part]:
        parts: list[Part] = []
        match self.text[self.at]:
            case "\\":
                parts = self._escaped(any_char=True, end="")
            case "'":
                self.at += 1
                parts = [Text(self._single(), quoted=True)]
            case '"':
                self.at += 1
                parts = list(self.quoted('"')) or [Text("", quoted=True)]
                self.at += 1
            case "$" | "`":
                parts = [self._expansion(quoted=False)]
            case _:
                parts = [self._plain()]
        return parts

    def _plain(self) -> Text:
        match = _PLAIN.match(self.text, self.at)
        text = match[0] if match else self.text[self.at]
        self.at += len(text)
        return Text(text)

    def _part_in_quotes(self, end: str) -> list[Part]:
        char = self.text[self.at]
        if char == "\\":
            return self._escaped(any_char=False, end=end)
        if char in "$`":
            return [self._expansion(quoted=True)]
        if char == '"' and end == "}":  # "${x:-"word"}": the inner quotes are no characters
            self.at += 1
            return []
        match = _PLAIN_IN_QUOTES.match(self.text, self.at)
        text = match[0] if match else char
        self.at += len(text)
        return [Text(text, quoted=True)]

    def _escaped(self, *, any_char: bool, end: str) -> list[Part]:
        following = self.text[self.at + 1 : self.at + 2]
        if not following:
            self.at += 1
            if any_char:
                raise IncompleteError("unexpected end after a backslash", self.line)
            return [Text("\\", quoted=True)]
        self.at += 2
        if following == "\n":
            return []
        special = any_char or following in "$`\\" or (end and following in {end, '"'})
        return [Text(following if special else f"\\{following}", quoted=True)]

    def _single(self) -> str:
        end = self.text.find("'", self.at)
        if end < 0:
            raise IncompleteError("no closing quote", self.line)
        start, self.at = self.at, end + 1
        return self.text[start:end]

    def _expansion(self, *, quoted: bool) -> Part:
        if self.sees("`"):
            return Substitution(self._backquoted(quoted=quoted), quoted)
        if self.sees("$(("):
            expression = self.arithmetic()
            if expression is not None:
                return Arithmetic(expression, quoted)
        if self.sees("$("):
            self.at += 2
            return Substitution(self.script_until(")"), quoted)
        if self.sees("${"):
            self.at += 2
            return self._braced(quoted=quoted)
        self.at += 1
        match = _NAME.match(self.text, self.at)
        if match is None:
            return Text("$", quoted)
        self.at = match.end()
        return Parameter(match[0], quoted=quoted)

    def _backquoted(self, *, quoted: bool) -> Node:
        match = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL).match(self.text, self.at)
        if match is None:
            raise IncompleteError("no closing quote", self.line)
        self.at = match.end()
        return self.script_of(re.sub(r"\\([$`\\\"])" if quoted else r"\\([$`\\])", r"\1", match[1]))

    def arithmetic(self, opening: str = "$((") -> Word | None:
        """Parse `$((...))`, or return None, unmoved: it may be a subshell in another."""
        start = self.at
        self.at += len(opening)
        try:
            expression = self.quoted(")")
        except IncompleteError:
            if self.text.find("))", start) < 0:
                raise
            expression = ()
        if self.sees("))"):
            self.at += 2
            return expression
        self.at = start
        return None

    def _braced(self, *, quoted: bool) -> Part:
        if re.compile(r"#[\w@*?$!-]").match(self.text, self.at):
            self.at += 1
            name, operator = self._braced_name(), "length"
            word: Word = ()
        else:
            name, operator = self._braced_name(), self._match(_OPERATOR)
            # a pattern is one even between quotes
            in_quotes = quoted and operator[:1] not in {"", "%", "#"}
            word = () if not operator else self.quoted("}") if in_quotes else self.word("}")
        if not self.sees("}"):
            ended = self.at >= len(self.text)
            raise (IncompleteError if ended else ShellSyntaxError)("bad substitution", self.line)
        self.at += 1
        return Parameter(name, operator, word, quoted)

    def _braced_name(self) -> str:
        name = self._match(_BRACED_NAME)
        if not name:
            raise ShellSyntaxError("bad substitution", self.line)
        return name

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]
