"""Parses sed scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from pytest_mobileagent.virtual.shell.commands import Failure
from pytest_mobileagent.virtual.shell.regex import BadPatternError, compiled

_ADDRESS = re.compile(r"\s*(?:(\d+)(?:~(\d+))?|(\$)|(?:/|\\(.))|(\+\d+|~\d+))")


@dataclass(slots=True)
class Address:
    """Which lines a command is for: a number, the last one, or those with a pattern."""

    number: int = -1
    step: int = 0
    last: bool = False
    pattern: re.Pattern[str] | None = None
    offset: int = -1  # of an end: so many lines after the start


@dataclass(slots=True)
class Command:
    """One command of a script."""

    letter: str
    start: Address | None = None
    end: Address | None = None
    negated: bool = False
    text: str = ""
    pattern: re.Pattern[str] | None = None
    flags: str = ""
    goal: int = 0  # where a branch or the end of a block leads
    until: int = 0  # the line that ends the range; 0 outside of one


def parsed(script: str, *, extended: bool) -> list[Command]:
    """Parse a script."""
    return _Parser(script, extended=extended).parse()


class _Parser:
    """Parses a script."""

    def __init__(self, script: str, *, extended: bool) -> None:
        self._script = script
        self._at = 0
        self._extended = extended
        self._last_pattern: re.Pattern[str] | None = None

    def parse(self) -> list[Command]:
        commands: list[Command] = []
        blocks: list[Command] = []
        while True:
            self._skip(" \t\n;")
            if self._at >= len(self._script):
                break
            each = self._command()
            commands.append(each)
            if each.letter == "{":
                blocks.append(each)
            elif each.letter == "}":
                if not blocks:
                    self._fail()
                blocks.pop().goal = len(commands)
        if blocks:
            self._fail()
        labels = {each.text: at for at, each in enumerate(commands) if each.letter == ":"}
        for each in commands:
            if each.letter in "btT":
                if each.text and each.text not in labels:
                    msg = f"no label '{each.text}'"
                    raise Failure(msg)
                each.goal = labels.get(each.text, len(commands))
        return commands

    def _command(self) -> Command:
        start = self._address()
        end = None
        self._skip(" \t")
        if start and self._peek() == ",":
            self._at += 1
            end = self._address() or self._fail()
            self._skip(" \t")
        negated = False
        while self._peek() == "!":
            self._at += 1
            negated = True
            self._skip(" \t")
        each = Command(self._take(), start, end, negated)
        self._arguments(each)
        return each

    def _arguments(self, each: Command) -> None:
        """Parse what follows the letter of a command."""
        match each.letter:
            case "s":
                self._substitute(each)
            case "y":
                self._transliterate(each)
            case "a" | "i" | "c":
                each.text = self._text()
            case ":" | "b" | "t" | "T":
                each.text = self._word(" \t\n;}" if each.letter != ":" else "\n;")
            case "w":
                each.text = self._word("\n")
            case "q" | "Q":
                each.text = self._word(" \t\n;}")
            case "#":
                self._word("\n")
            case letter if letter not in "{}=dDgGhHnNpPx":
                self._fail()

    def _address(self) -> Address | None:
        match = _ADDRESS.match(self._script, self._at)
        if match is None:
            return None
        self._at = match.end()
        number, step, last, delimiter, relative = match.groups()
        if number:
            return Address(number=int(number), step=int(step or 0))
        if last:
            return Address(last=True)
        if relative:
            return Address(offset=int(relative[1:]))
        source = self._until(delimiter or "/")
        ignore = self._peek() == "I"
        self._at += ignore
        return Address(pattern=self._pattern(source, ignore_case=ignore))

    def _substitute(self, each: Command) -> None:
        delimiter = self._take()
        source = self._until(delimiter)
        each.text = self._until(delimiter, keep=True)
        match = re.compile(r"(?:[gpiIme]|\d+)*").match(self._script, self._at)
        each.flags = match[0] if match else ""
        self._at += len(each.flags)
        if self._peek() == "w":
            self._at += 1
            each.flags += "w" + self._word("\n")
        each.pattern = self._pattern(source, ignore_case="i" in each.flags.lower().split("w")[0])

    def _transliterate(self, each: Command) -> None:
        delimiter = self._take()
        first, second = self._until(delimiter), self._until(delimiter)
        if len(first) != len(second):
            self._fail()
        each.text = first + second

    def _pattern(self, source: str, *, ignore_case: bool) -> re.Pattern[str]:
        if not source and self._last_pattern:
            return self._last_pattern
        try:
            self._last_pattern = compiled(source, extended=self._extended, ignore_case=ignore_case)
        except BadPatternError as error:
            msg = f"bad regex '{source}': {error}"
            raise Failure(msg) from None
        return self._last_pattern

    def _until(self, delimiter: str, *, keep: bool = False) -> str:
        """Return what stands before the next `delimiter`; `keep` is for what is no pattern."""
        out: list[str] = []
        bracket = False
        while True:
            char = self._peek()
            if not char or (char == "\n" and not keep):
                self._fail()
            self._at += 1
            if char == "\\" and self._peek():
                following = self._take()
                out.append(following if following == delimiter != "&" else char + following)
            elif char == delimiter and not bracket:
                return "".join(out)
            else:
                if not keep:
                    opens = char == "[" and "]" in self._script[self._at + 1 :]
                    bracket = (bracket or opens) and not (
                        char == "]" and out[-1:] not in (["["], ["^"])
                    )
                out.append(char)

    def _text(self) -> str:
        """Return the text of a, i or c: the rest of the line, or the next one after a backslash."""
        self._skip(" \t")
        if self._script.startswith("\\\n", self._at):
            self._at += 2
        elif self._peek() == "\\":
            self._at += 1
        match = re.compile(r"(?:[^\\\n]|\\.)*", re.DOTALL).match(self._script, self._at)
        text = match[0] if match else ""
        self._at += len(text)
        return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) + "\n"

    def _word(self, ends: str) -> str:
        self._skip(" \t")
        start = self._at
        while self._peek() and self._peek() not in ends:
            self._at += 1
        return self._script[start : self._at].strip()

    def _peek(self) -> str:
        return self._script[self._at : self._at + 1]

    def _take(self) -> str:
        char = self._peek() or self._fail()
        self._at += 1
        return char

    def _skip(self, characters: str) -> None:
        while self._peek() and self._peek() in characters:
            self._at += 1

    def _fail(self) -> NoReturn:
        rest = self._script[self._at :]
        msg = f"bad pattern '{self._script}'@{self._at} ({rest[:1]})"
        raise Failure(msg)
