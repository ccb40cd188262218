"""The lower layers of the shell's parser: words, operators, reserved words, redirections."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect
from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.virtual.shell.errors import IncompleteError, ShellSyntaxError
from pytest_mobileagent.virtual.shell.expand import (
    Arithmetic,
    HereDocument,
    Parameter,
    Part,
    Redirect,
    Substitution,
    Text,
    Word,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.execution import Node

BREAKS = " \t\n;&|<>()"

_PARAMETER = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]", re.ASCII)
_OPERATOR = re.compile(r":?[-=?+]|%%?|##?")
_PLAIN = re.compile(r"[^\\'\"$` \t\n;&|<>()}]+|.", re.DOTALL)
_PLAIN_IN_QUOTES = re.compile(r"[^\\\"$`()}/:]+|.", re.DOTALL)
_SINGLE = re.compile(r"'[^']*'")
_BACKQUOTED = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)
_LENGTH = re.compile(r"#(?=[\w@*?$!-])")


class WordParser(ABC):
    """A position in a script's text, with methods that parse a word there."""

    def __init__(self, text: str, first: int = 1) -> None:
        self.text = text
        self.at = 0
        self._first = first
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    @property
    def line(self) -> int:
        """The number of the current line."""
        return bisect(self._newlines, self.at - 1) + self._first

    @abstractmethod
    def script_until(self, end: str) -> Node:
        """Parse commands up to the closing token `end`."""

    @abstractmethod
    def script_of(self, text: str) -> Node:
        """Parse commands from another text."""

    def sees(self, text: str) -> bool:
        """Return whether `text` comes next."""
        return self.text.startswith(text, self.at)

    def match(self, pattern: re.Pattern[str]) -> str:
        """Consume and return the text that matches a pattern; "" if there is none."""
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def word(self, breaks: str = BREAKS) -> Word:
        """Parse a word, up to an unquoted character of `breaks`."""
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
        match self.text[self.at]:
            case "\\":
                return self._escaped(any_char=True, end="")
            case "'":
                if not (text := self.match(_SINGLE)):
                    raise IncompleteError("no closing quote", self.line)
                return [Text(text[1:-1], quoted=True)]
            case '"':
                self.at += 1
                parts = list(self.quoted('"')) or [Text("", quoted=True)]
                self.at += 1
                return parts
            case "$" | "`":
                return [self._expansion(quoted=False)]
        return [Text(self.match(_PLAIN))]

    def _part_in_quotes(self, end: str) -> list[Part]:
        char = self.text[self.at]
        if char == "\\":
            return self._escaped(any_char=False, end=end)
        if char in "$`":
            return [self._expansion(quoted=True)]
        if char == '"' and end == "}":  # "${x:-"word"}": the inner quotes are not literal
            self.at += 1
            return []
        return [Text(self.match(_PLAIN_IN_QUOTES), quoted=True)]

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

    def _expansion(self, *, quoted: bool) -> Part:
        if self.sees("`"):
            return Substitution(self._backquoted(quoted=quoted), quoted)
        if self.sees("$((") and (expression := self.arithmetic()) is not None:
            return Arithmetic(expression, quoted)
        if self.sees("$("):
            self.at += 2
            return Substitution(self.script_until(")"), quoted)
        if self.sees("${"):
            self.at += 2
            return self._braced(quoted=quoted)
        self.at += 1
        name = self.match(_PARAMETER)
        return Parameter(name, quoted=quoted) if name else Text("$", quoted)

    def _backquoted(self, *, quoted: bool) -> Node:
        text = self.match(_BACKQUOTED)
        if not text:
            raise IncompleteError("no closing quote", self.line)
        special = r'\\([$`\\"])' if quoted else r"\\([$`\\])"
        return self.script_of(re.sub(special, r"\1", text[1:-1]))

    def arithmetic(self, opening: str = "$((") -> Word | None:
        """Parse `$((...))`, or return None without moving: it may be a nested subshell."""
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
        word: Word = ()
        if self.match(_LENGTH):
            name, operator = self.match(_BRACED_NAME), "length"
        else:
            name, operator = self.match(_BRACED_NAME), self.match(_OPERATOR)
        if operator in {"%", "%%", "#", "##"} or (operator and not quoted):
            word = self.word("}")  # a pattern even between quotes
        elif operator and operator != "length":
            word = self.quoted("}")
        if not name or not self.sees("}"):
            ended = self.at >= len(self.text)
            raise (IncompleteError if ended else ShellSyntaxError)("bad substitution", self.line)
        self.at += 1
        return Parameter(name, operator, word, quoted)


_BLANK = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_OPERATORS = re.compile(r"&&|\|\||;;|&>|[;&|()<>\n]")
_KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|while|until|for|in|do|done|case|esac|\{|\}|!|\[\[|\]\])"
    r"(?=[\s;&|()<>]|$)"
)
_REDIRECT = re.compile(r"(\d*)(<<<|<<-|<<|<&|<|>>|>&|>\||>|&>)")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class TokenParser(WordParser):
    """A position in a script's text, with methods for the tokens there."""

    def __init__(self, text: str, first: int = 1) -> None:
        super().__init__(text, first)
        self._documents: list[HereDocument] = []

    def skip_newlines(self) -> bool:
        """Skip to the next command, reading here-documents on the way; return False at the end."""
        while self.token() == "\n":
            self.newline()
        return self.at < len(self.text)

    # Redirections

    def redirect(self) -> Redirect | None:
        """Parse a redirection, if there is one."""
        self.skip_blank()
        match = _REDIRECT.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        operator = match[2]
        fd = int(match[1]) if match[1] else int(not operator.startswith("<"))
        self.skip_blank()
        if operator not in {"<<", "<<-"}:
            return Redirect(fd, operator, self.argument())
        start = self.at
        end = self.argument()
        document = HereDocument(
            end="".join(part.text for part in end if isinstance(part, Text)),
            literal=bool(set(self.text[start : self.at]) & set("'\"\\")),
            strip_tabs=operator == "<<-",
        )
        self._documents.append(document)
        return Redirect(fd, "<<", document)

    def newline(self) -> None:
        """Skip the end of a line, and the here-documents that start there."""
        self.at += 1
        documents, self._documents = self._documents, []
        for document in documents:
            body = self._body(document)
            parts = (Text(body, quoted=True),) if document.literal else type(self)(body).quoted("")
            document.body = parts

    def _body(self, document: HereDocument) -> str:
        body: list[str] = []
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            line = self.text[self.at : end if end >= 0 else None]
            newline = "\n" if end >= 0 else ""
            self.at += len(line) + len(newline)
            if document.strip_tabs:
                line = line.lstrip("\t")
            if line == document.end:
                return "".join(body)
            body.append(line + newline)
        raise IncompleteError(f"here document '{document.end}' unclosed", self.line)

    # Tokens

    def skip_blank(self) -> None:
        """Skip blanks and a comment."""
        self.match(_BLANK)

    def token(self) -> str:
        """Return the next operator without consuming it; "" if there is none."""
        self.skip_blank()
        match = _OPERATORS.match(self.text, self.at)
        return match[0] if match else ""

    def keyword(self) -> str:
        """Return the next reserved word without consuming it; "" if there is none."""
        self.skip_blank()
        match = _KEYWORD.match(self.text, self.at)
        return match[0] if match else ""

    def take(self, text: str) -> None:
        """Skip a token."""
        self.skip_blank()
        self.at += len(text)

    def argument(self) -> Word:
        """Parse a word, which is required."""
        self.skip_blank()
        return self.word() or self.unexpected(self.token())

    def name(self) -> str:
        """Parse the name of a variable."""
        self.skip_blank()
        return self.match(_NAME) or self.unexpected(self.token())

    def expect(self, token: str, opener: str, line: int) -> None:
        """Skip a required token, which closes what `opener` opened in `line`."""
        self.skip_newlines()
        if token in {self.keyword(), self.token()}:
            self.take(token)
        elif self.at >= len(self.text):
            raise IncompleteError(f"syntax error: unmatched '{opener}'", line)
        else:
            self.unexpected(self.token())

    def more_must_follow(self, operator: str) -> None:
        """Skip to the next command, which is required."""
        if not self.skip_newlines():
            raise IncompleteError(f"syntax error: unexpected '{operator}'", self.line)

    def unexpected(self, token: str) -> NoReturn:
        """Fail because of what comes next: a token, a word, or the end."""
        if not token and self.at >= len(self.text):
            raise IncompleteError("syntax error: unexpected 'EOF'", self.line)
        if not token:
            token = re.split(f"[{re.escape(BREAKS)}]", self.text[self.at :], maxsplit=1)[0]
        msg = f"syntax error: unexpected '{'newline' if token == chr(10) else token}'"
        raise ShellSyntaxError(msg, self.line)
