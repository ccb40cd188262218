"""Scripts in mksh's grammar, parsed and run line by line, as mksh does."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.compound import (
    AndOr,
    Background,
    Case,
    For,
    Function,
    If,
    Let,
    Loop,
    Not,
    Pipeline,
    Script,
    Subshell,
    Test,
)
from pytest_mobileagent.virtual.shell.errors import IncompleteError, ShellError, ShellSyntaxError
from pytest_mobileagent.virtual.shell.expand import Assignment, Redirect, Text, Word
from pytest_mobileagent.virtual.shell.lexer import TokenParser
from pytest_mobileagent.virtual.shell.limits import SCRIPT
from pytest_mobileagent.virtual.shell.session import read_line
from pytest_mobileagent.virtual.shell.simple import Redirected, Simple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.shell.execution import Node, Shell

INTERRUPT = "SIGINT"  # the message of a cancellation that ends the command, not the shell


async def run(shell: Shell, text: str) -> int:
    """Run a script as a shell's entire work, up to its end or `exit`."""
    return await shell.complete(source(shell, text))


async def source(shell: Shell, text: str) -> int:
    """Run a script as a part of a shell's work."""
    if len(text) > SCRIPT:
        raise ShellError("out of memory")
    status = 0
    for script in lines(text):
        status = await shell.execute(script)
    return status


async def converse(shell: Shell) -> int:
    """Run the commands on stdin, up to its end or `exit`."""
    shell.file = None if shell.session.tty else "<stdin>"
    return await shell.complete(_converse(shell))


async def _converse(shell: Shell) -> int:
    pending, first, read = "", 1, 0
    while True:
        if shell.session.tty:
            await shell.print_error("> " if pending else _prompt(shell))
        line = (await read_line(shell.session.stdin)).decode(errors="surrogateescape")
        if not line and not pending:
            return shell.status
        pending, read = pending + line, read + 1
        try:
            scripts = _parsed(pending, first, more=bool(line))
        except ShellSyntaxError as error:
            if not shell.session.tty:
                raise
            await shell.complain(error)
            scripts, shell.status = [], error.status
        if scripts is None:
            continue
        pending, first = "", read + 1
        for script in scripts:
            await _execute(shell, script)


_unfinished: set[str] = set()  # texts that are known to continue on the next line
_MOST_UNFINISHED, _LONGEST = 1000, 10_000  # texts, and characters of one


def _parsed(text: str, first: int, *, more: bool) -> list[Node] | None:
    """Return the commands in `text`, or None if they continue on the next line.

    Programs send the same commands again and again, so their beginnings are parsed only once.
    """
    if more and (text.endswith("\\\n") or text in _unfinished):
        return None
    try:
        return list(lines(text, first))
    except IncompleteError:
        if not more:
            raise
        if len(text) <= _LONGEST:
            if len(_unfinished) >= _MOST_UNFINISHED:
                _unfinished.clear()
            _unfinished.add(text)
        return None


async def _execute(shell: Shell, script: Node) -> None:
    """Execute commands; at a terminal, neither their errors nor Ctrl-C end the shell."""
    try:
        await shell.execute(script)
    except ShellError as error:
        if not shell.session.tty:
            raise
        await shell.complain(error)
        shell.status = error.status
    except asyncio.CancelledError as cancelled:
        task = asyncio.current_task()
        if cancelled.args != (INTERRUPT,) or task is None:
            raise
        task.uncancel()
        shell.status = 130


def _prompt(shell: Shell) -> str:
    """Return the prompt: the last failure, the device, the folder, and # for root."""
    status = f"{shell.status}|" if shell.status else ""
    device = shell.phone.props.get("ro.product.device", "android")
    return f"{status}{device}:{shell.cwd} {'#' if shell.session.uid == 0 else '$'} "


_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=", re.ASCII)
_FUNCTION = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*\([ \t]*\)")
_END_OF_TEST = re.compile(r"\]\](?=[\s;&|()]|$)")
_CLOSERS = {"then", "elif", "else", "fi", "do", "done", "esac", "}", ")", ";;"}


def lines(text: str, first: int = 1) -> Iterator[Script]:
    """Yield the commands of each line; a construct over several lines counts as one.

    Lines before a syntax error are yielded, and so can be run, before the error is raised. `first`
    is the number of the first line.
    """
    parser = Parser(text, first)
    while parser.skip_newlines():
        yield parser.line_of_commands()


class Parser(TokenParser):
    """A position in a script, with a method for every rule of the grammar."""

    # Lists

    def line_of_commands(self) -> Script:
        """Parse up to the end of the line."""
        commands = self._commands(stop_at_newline=True)
        if self.token() not in {"", "\n"} or self._closes():
            self.unexpected(self.token())
        return Script(commands)

    def script_until(self, end: str) -> Script:
        """Parse commands up to the closing `end`."""
        start = self.line
        script = self._script()
        self.expect(end, "(", start)
        return script

    def script_of(self, text: str) -> Script:
        """Parse commands from another text."""
        return Script([each for line in lines(text, self.line) for each in line.commands])

    def _script(self) -> Script:
        return Script(self._commands(stop_at_newline=False))

    def _commands(self, *, stop_at_newline: bool) -> list[Node]:
        commands: list[Node] = []
        while not (stop_at_newline and self.token() == "\n"):
            if not self.skip_newlines() or self._closes():
                break
            command = self._and_or()
            end = self.token()
            if end in {";", "&"}:
                self.at += 1
            commands.append(Background(command) if end == "&" else command)
            if end not in {";", "&", "\n"}:
                break
        if self.token() in {"", "\n"} and self._documents:
            self.newline()
        return commands

    def _closes(self) -> bool:
        return self.token() in _CLOSERS or self.keyword() in _CLOSERS

    def _and_or(self) -> Node:
        first = self._pipeline()
        rest: list[tuple[str, Node]] = []
        while (token := self.token()) in {"&&", "||"}:
            self.at += 2
            self.more_must_follow(token)
            rest.append((token, self._pipeline()))
        return AndOr(first, rest) if rest else first

    def _pipeline(self) -> Node:
        negated = False
        while self.keyword() == "!":
            self.take("!")
            negated = not negated
        commands = [self._command()]
        while self.token() == "|":
            self.at += 1
            self.more_must_follow("|")
            commands.append(self._command())
        pipeline = Pipeline(commands) if commands[1:] else commands[0]
        return Not(pipeline) if negated else pipeline

    # Commands

    def _command(self) -> Node:
        line = self.line
        command = self._compound()
        if command is None:
            return self._simple(line)
        redirects = list(iter(self.redirect, None))
        return Redirected(command, redirects, line) if redirects else command

    def _compound(self) -> Node | None:
        keyword = self.keyword()
        if keyword in _CLOSERS or keyword == "in":
            self.unexpected(keyword)
        rules: dict[str, Callable[[str, int], Node]] = {
            "if": self._if,
            "while": self._loop,
            "until": self._loop,
            "for": self._for,
            "case": self._case,
            "{": self._braces,
            "[[": self._test,
        }
        if keyword in rules:
            line = self.line
            self.take(keyword)
            return rules[keyword](keyword, line)
        if self.sees("((") and (expression := self.arithmetic("((")) is not None:
            return Let(expression)
        if self.sees("("):
            self.at += 1
            return Subshell(self.script_until(")"))
        if match := _FUNCTION.match(self.text, self.at):
            self.at = match.end()
            self.skip_newlines()
            return Function(match[1], self._command())
        return None

    def _braces(self, brace: str, line: int) -> Script:
        body = self._script()
        self.expect("}", brace, line)
        return body

    def _if(self, keyword: str, line: int) -> If:
        branches: list[tuple[Script, Script]] = []
        while keyword != "else":
            condition = self._script()
            self.expect("then", "if", line)
            branches.append((condition, self._script()))
            keyword = self.keyword()
            if keyword not in {"elif", "else"}:
                break
            self.take(keyword)
        otherwise = self._script() if keyword == "else" else None
        self.expect("fi", "if", line)
        return If(branches, otherwise)

    def _loop(self, keyword: str, line: int) -> Loop:
        condition = self._script()
        return Loop(condition, self._body_of_loop(keyword, line), keyword == "until")

    def _for(self, keyword: str, line: int) -> For:
        name = self.name()
        self.skip_newlines()
        words: list[Word] | None = None
        if self.keyword() == "in":
            self.take("in")
            words = []
            while not self.token() and self.at < len(self.text):
                words.append(self.word())
        if self.token() == ";":
            self.at += 1
        self.skip_newlines()
        return For(name, words, self._body_of_loop(keyword, line))

    def _body_of_loop(self, keyword: str, line: int) -> Script:
        self.expect("do", keyword, line)
        body = self._script()
        self.expect("done", keyword, line)
        return body

    def _case(self, keyword: str, line: int) -> Case:
        word = self.argument()
        self.expect("in", keyword, line)
        arms: list[tuple[list[Word], Script]] = []
        while self.skip_newlines() and self.keyword() != "esac":
            if self.token() == "(":
                self.at += 1
            patterns = [self.argument()]
            while self.token() == "|":
                self.at += 1
                patterns.append(self.argument())
            self.expect(")", keyword, line)
            arms.append((patterns, self._script()))
            if self.token() == ";;":
                self.at += 2
        self.expect("esac", keyword, line)
        return Case(word, arms)

    def _test(self, keyword: str, line: int) -> Test:
        words: list[Word] = []
        while self.skip_newlines() and not _END_OF_TEST.match(self.text, self.at):
            operator = self.token()
            if operator in {"&&", "||", "(", ")"}:
                self.take(operator)
                words.append((Text(operator),))
            else:
                words.append(self.argument())
        self.expect("]]", keyword, line)
        return Test(words)

    def _simple(self, line: int) -> Node:
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            token = self.token()
            redirect = self.redirect()
            if redirect is not None:
                redirects.append(redirect)
            elif token:
                break
            elif not words and (match := _ASSIGNMENT.match(self.text, self.at)):
                self.at = match.end()
                assignments.append(Assignment(match[1], self.word(), bool(match[2])))
            elif self.at < len(self.text):
                words.append(self.word())
            else:
                break
        if not (assignments or words or redirects) or self.token() == "(":
            self.unexpected(self.token())
        return Simple(assignments, words, redirects, line)
