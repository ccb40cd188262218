"""The middle layer of the shell's parser: operators, reserved words, redirections, here-docs."""

from __future__ import annotations

import re
from typing import NoReturn

from pytest_mobileagent.virtual.shell.errors import IncompleteError, ShellSyntaxError
from pytest_mobileagent.virtual.shell.syntax import HereDocument, Redirect, Text, Word
from pytest_mobileagent.virtual.shell.words import BREAKS, WordParser

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
            rest = self.text[self.at :]
            token = re.split(f"[{re.escape(BREAKS)}]", rest, maxsplit=1)[0]
        msg = f"syntax error: unexpected '{'newline' if token == chr(10) else token}'"
        raise ShellSyntaxError(msg, self.line)
