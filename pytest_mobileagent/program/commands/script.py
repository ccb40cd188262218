"""Parses shell scripts into the simple commands that they run.

Nothing is run. Values that depend on the phone are marked as unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pytest_mobileagent.episode.store import shortened
from pytest_mobileagent.jsonable import to_line

# Words that decide whether, or how often, other commands run.
_CONTROL = {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done"}
_CONTROL |= {"case", "in", "esac", "select", "function"}
_GROUPING = {"{", "}", "!"}
_HEADS = {"for", "case", "select", "function"}  # what follows is not a command
_OPERATOR = re.compile(r"&&|\|\||;;|\|&|[;&|\n()]")
_REDIRECTION = re.compile(r"(\d*)(&>>?|>>|>&|>\||<&|<>|<<-?|>|<)")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\}|[@*#?$!-])")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_LITERAL = re.compile(r"[^\s'\"\\$`;&|()<>]+")  # characters without a special meaning in a word
_LITERAL_QUOTED = re.compile(r'[^"\\$`]+')  # the same within double quotes
_DEEPEST = 20
UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # stands for a value that only the phone knows


class UnreadableScriptError(ValueError):
    """A script cannot be parsed, for example because it has a here-document."""


class UnfinishedError(UnreadableScriptError):
    """A script is incomplete: a quote or a parenthesis is still open."""


@dataclass(frozen=True, slots=True)
class Simple:
    """A command of a script.

    - `words`: its name and arguments, without quotes; `text`: the command as written.
    - `known`: whether every word is known without the phone.
    - `operator`: the operator before it, such as "&&" or "|"; empty for the first command.
    - `files`: the files that its output is redirected to.
    - `assigned`: the names of the variables that are set for it alone.
    - `redirections`: as written. `span`: where it is in the script; None if in a substitution.
    """

    words: tuple[str, ...]
    text: str
    known: bool = True
    operator: str = ""
    files: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    redirections: tuple[str, ...] = ()
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """The commands of a script; `straight` if each runs once, unless an earlier one fails.

    `reads` are the files that it redirects input from, and `assigned` the variables that it sets.
    """

    commands: tuple[Simple, ...]
    straight: bool = True
    reads: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()


def parse(script: str, depth: int = 0) -> Script:
    """Return the commands of a script; those of a substitution precede the command that uses it.

    Raises:
        UnreadableScriptError: if the script cannot be parsed.
    """
    if depth > _DEEPEST:
        raise UnreadableScriptError("it is nested too deeply")
    return _Reader(script, depth).read()


@dataclass(slots=True)
class _Command:
    """A command that is being read."""

    start: int
    operator: str
    words: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    redirections: list[str] = field(default_factory=list)
    known: bool = True
    assigned: dict[str, str] = field(default_factory=dict)


class _Reader:
    def __init__(self, script: str, depth: int) -> None:
        self._script, self._depth = script, depth
        self._at = 0
        self._found: list[Simple] = []
        self._straight = True
        self._variables: dict[str, str] = {}
        self._word_known = True
        self._reads: list[str] = []
        self._assigned: list[str] = []
        self._command = _Command(0, "")

    def read(self) -> Script:
        while self._at < len(self._script):
            rest = self._script[self._at]
            if rest in " \t\r" or self._script.startswith("\\\n", self._at):
                self._at += 1 + (rest == "\\")
            elif rest == "#":
                end = self._script.find("\n", self._at)
                self._at = len(self._script) if end < 0 else end
            elif match := _REDIRECTION.match(self._script, self._at):
                self._redirect(match)
            elif match := _OPERATOR.match(self._script, self._at):
                self._end(match[0])
            else:
                self._add()
        self._end("")
        reads, assigned = tuple(self._reads), tuple(self._assigned)
        return Script(tuple(self._found), self._straight, reads, assigned)

    def _redirect(self, match: re.Match[str]) -> None:
        if match[2].startswith("<<"):
            raise UnreadableScriptError("it has a here-document")
        start, self._at = self._at, match.end()
        while self._script[self._at : self._at + 1] in {" ", "\t"}:
            self._at += 1
        name, _ = self._word()
        self._command.redirections.append(self._script[start : self._at])
        if ">" in match[2] and not match[2].endswith("&"):
            self._command.files.append(name)
        if "<" in match[2] and not match[2].endswith("&"):
            self._reads.append(name)

    def _end(self, operator: str) -> None:
        """End the current command, if there is one, at an operator."""
        command, end = self._command, self._at
        self._at += len(operator)
        if operator == "(" and command.words:  # a function's name
            self._straight = False
            command.words.clear()
        if command.words:
            text = self._script[command.start : end].strip()
            words, files = tuple(command.words), tuple(command.files)
            simple = Simple(
                *(words, text, command.known, command.operator, files),
                tuple(command.assigned),
                tuple(command.redirections),
                None if self._depth else (command.start, command.start + len(text)),
            )
            self._found.append(simple)
        elif command.assigned:
            self._variables |= command.assigned
        before = operator if command.words or command.assigned else command.operator or operator
        self._command = _Command(self._at, before)

    def _add(self) -> None:
        """Read a word and add it to the command."""
        if not self._command.words and not self._command.assigned:
            self._command.start = self._at
        quoted_from = self._at
        word, known = self._word()
        unquoted = self._script[quoted_from : self._at] == word
        command = self._command
        if not command.words and unquoted and word in _CONTROL:
            self._straight = False
            if word in _HEADS:
                self._skip_head()
            return
        if not command.words and unquoted and word in _GROUPING:
            return
        if not command.words and (match := _ASSIGNMENT.fullmatch(word)):
            self._assigned.append(match[1])
            if known:
                command.assigned[match[1]] = match[2]
            else:
                self._variables.pop(match[1], None)
                command.assigned.pop(match[1], None)
            return
        command.words.append(word)
        command.known &= known

    def _skip_head(self) -> None:
        """Skip the words of `for` and `case`, but not the commands substituted there."""
        while self._at < len(self._script):
            if self._script[self._at] in " \t":
                self._at += 1
            elif _OPERATOR.match(self._script, self._at):
                break
            else:
                self._word()

    def _word(self) -> tuple[str, bool]:
        """Return the word that begins here, without quotes, and whether it is known."""
        start, parts = self._at, []
        self._word_known = True
        while self._at < len(self._script):
            if match := _LITERAL.match(self._script, self._at):
                self._at = match.end()
                parts.append(match[0])
                continue
            char = self._script[self._at]
            if char in " \t\r<>" or _OPERATOR.match(self._script, self._at):
                break
            parts.append(self._piece(char))
        if self._at == start:
            self._at += 1  # no word begins here: skip the character to make progress
        return "".join(parts), self._word_known

    def _piece(self, char: str) -> str:
        if char == "'":
            return self._quoted("'")
        if char == '"':
            return self._double_quoted()
        if self._script.startswith("$'", self._at):
            self._at += 1
            return escapes(self._quoted("'", escapes=True))
        if char == "\\":
            self._at += 2
            following = self._script[self._at - 1 : self._at]
            return "" if following == "\n" else following
        return self._unquoted(char)

    def _unquoted(self, char: str) -> str:
        if char in "$`":
            return self._dollar(char)
        self._at += 1
        return char

    def _quoted(self, quote: str, *, escapes: bool = False) -> str:
        end = self._at + 1
        while end < len(self._script) and self._script[end] != quote:
            end += 2 if escapes and self._script[end] == "\\" else 1
        if end >= len(self._script):
            raise UnfinishedError("a quote has no end")
        text = self._script[self._at + 1 : end]
        self._at = end + 1
        return text

    def _double_quoted(self) -> str:
        parts: list[str] = []
        self._at += 1
        while self._at < len(self._script):
            if match := _LITERAL_QUOTED.match(self._script, self._at):
                self._at = match.end()
                parts.append(match[0])
                continue
            char = self._script[self._at]
            if char == '"':
                self._at += 1
                return "".join(parts)
            following = self._script[self._at + 1 : self._at + 2]
            if char == "\\" and following and following in '$`"\\\n':
                self._at += 2
                parts.append("" if following == "\n" else following)
            else:
                parts.append(self._unquoted(char))
        raise UnfinishedError("a quote has no end")

    def _dollar(self, char: str) -> str:
        """Read an expansion, and return its value, or UNKNOWN."""
        if char == "`":
            self._substituted(self._quoted("`", escapes=True))
            return UNKNOWN
        if self._script.startswith("$(", self._at):
            end = _closing(self._script, self._at + 1)
            inner = self._script[self._at + 2 : end]
            self._at = end + 1
            self._substituted("" if inner.startswith("(") else inner)
            return UNKNOWN
        match = _VARIABLE.match(self._script, self._at)
        if match is None:
            self._at += 1
            if self._script.startswith("{", self._at):  # an expansion of an unknown kind
                self._word_known = False
            return "$"
        self._at = match.end()
        name = match[1] or match[2]
        if name in self._variables:
            return self._variables[name]
        self._word_known = False
        return UNKNOWN

    def _substituted(self, script: str) -> None:
        self._word_known = False
        inner = parse(script, self._depth + 1)
        self._straight &= inner.straight
        self._found += inner.commands
        self._reads += inner.reads
        self._assigned += inner.assigned


def _closing(script: str, opening: int) -> int:
    """Return the index of the parenthesis that closes the one at `opening`."""
    depth, at, quote = 0, opening, ""
    while at < len(script):
        char = script[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
            if not depth:
                return at
        at += 1
    raise UnfinishedError("a parenthesis has no end")


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b"}


def escapes(text: str) -> str:
    """Resolve the escapes of the text inside $'…'."""

    def spelled(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xuU" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number <= 0x10FFFF else match[0]
        return _ESCAPES.get(code, code)

    pattern = r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|.)"
    return re.sub(pattern, spelled, text, flags=re.DOTALL)


_LONGEST = 1000  # characters of a command in an act


def cut(text: str) -> str:
    """Return the text of a command, shortened for an act."""
    return shortened(text.strip(), _LONGEST)


def call_text(name: str, value: Any) -> str:
    """Return a call as text: its name, followed by its arguments if it has any."""
    if value is None or value in ({}, []):
        return name
    try:
        return cut(f"{name} {to_line(value)}")
    except RecursionError:  # nested far too deeply
        return name
