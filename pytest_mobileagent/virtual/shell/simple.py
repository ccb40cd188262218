"""Simple commands: assignments, words, redirections, and calls of functions."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from pytest_mobileagent.virtual.shell import expand
from pytest_mobileagent.virtual.shell.errors import LeaveFunction, RedirectError
from pytest_mobileagent.virtual.shell.execution import Node
from pytest_mobileagent.virtual.shell.expand import HereDocument, Text
from pytest_mobileagent.virtual.shell.launch import call
from pytest_mobileagent.virtual.shell.session import Bytes, encode, flush

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.expand import Assignment, Redirect, Word
    from pytest_mobileagent.virtual.shell.session import Reader, Writer

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
T = TypeVar("T")
_DECLARING = {"export", "local", "typeset"}  # assignments in their arguments are not split


@dataclass(frozen=True, slots=True)
class Simple(Node):
    """A command of words, with its assignments and redirections."""

    assignments: Sequence[Assignment]
    words: Sequence[Word]
    redirects: Sequence[Redirect]
    line: int
    fatal: ClassVar[bool] = True

    async def execute(self, shell: Shell) -> int:
        """Run the command; its words are expanded before its files are opened."""
        shell.line = self.line
        shell.substituted = 0
        words = await _words(shell, self.words)
        streams = shell.readers, shell.writers
        try:
            await _redirect(shell, self.redirects)
            if words:
                return await _run(shell, words, self.assignments)
            for each in self.assignments:
                shell.assign(each.name, await _value(shell, each))
        except RedirectError as error:
            await shell.complain(error)
            return 1
        else:
            return shell.substituted
        finally:
            if words != ["exec"]:  # redirects the shell itself
                _put_back(shell, streams)


@dataclass(frozen=True, slots=True)
class Redirected(Node):
    """A compound command with redirections."""

    command: Node
    redirects: Sequence[Redirect]
    line: int
    fatal: ClassVar[bool] = True

    async def execute(self, shell: Shell) -> int:
        """Execute the command with redirected streams."""
        streams = shell.readers, shell.writers
        try:
            await _redirect(shell, self.redirects)
            return await shell.execute(self.command)
        except RedirectError as error:
            await shell.complain(error, self.line)
            return 1
        finally:
            _put_back(shell, streams)


def _put_back(shell: Shell, streams: tuple[dict[int, Reader], dict[int, Writer]]) -> None:
    """Close the files of a command, and restore the shell's streams."""
    opened = [each for each in shell.writers.values() if each not in streams[1].values()]
    shell.readers, shell.writers = streams
    flush(opened)


async def _words(shell: Shell, words: Sequence[Word]) -> list[str]:
    """Expand the words of a command; assignments by export and similar commands are not split."""
    arguments = await expand.fields(shell, words[:1])
    declares = arguments and arguments[0] in _DECLARING
    for word in words[1:]:
        if declares and isinstance(word[0], Text) and _ASSIGNMENT.match(word[0].text):
            arguments.append(await expand.text(shell, word))
        else:
            arguments += await expand.fields(shell, [word])
    return arguments


async def _value(shell: Shell, assignment: Assignment) -> str:
    value = await expand.text(shell, assignment.value)
    return shell.get(assignment.name) + value if assignment.append else value


async def _run(shell: Shell, words: list[str], assignments: Sequence[Assignment]) -> int:
    """Run a command, with variables that are set only for it."""
    overrides = {each.name: await _value(shell, each) for each in assignments}
    with _overriding(shell, overrides):
        if words[0] in shell.functions:
            return await _call(shell, words)
        return await call(shell, words)


@contextmanager
def _overriding(shell: Shell, overrides: dict[str, str]) -> Iterator[None]:
    before = {name: shell.variables.kept(name) for name in overrides}
    for name, value in overrides.items():
        shell.assign(name, value)
        shell.variables.exported.add(name)
    try:
        yield
    finally:
        for name, kept in before.items():
            shell.variables.put_back(name, kept)


async def _call(shell: Shell, words: list[str]) -> int:
    arguments, loops = shell.arguments, shell.loops
    shell.arguments, shell.loops = words[1:], 0
    shell.locals.append({})
    try:
        return await shell.execute(shell.functions[words[0]])
    except LeaveFunction as leaving:
        return leaving.status
    finally:
        shell.arguments, shell.loops = arguments, loops
        for name, kept in shell.locals.pop().items():
            shell.variables.put_back(name, kept)


async def _redirect(shell: Shell, redirects: Sequence[Redirect]) -> None:
    """Redirect the streams of `shell`; the caller restores them."""
    for each in redirects:
        if isinstance(each.target, HereDocument):
            content = await expand.text(shell, each.target.body)
            shell.readers = {**shell.readers, each.fd: Bytes(encode(content))}
            continue
        name = await expand.text(shell, each.target)
        match each.operator:
            case "<<<":
                shell.readers = {**shell.readers, each.fd: Bytes(encode(f"{name}\n"))}
            case ">&" | "<&":
                _duplicate(shell, each.fd, name)
            case "&>":
                _open(shell, 1, ">", name)
                _duplicate(shell, 2, "1")
            case operator:
                _open(shell, each.fd, operator, name)


def _open(shell: Shell, fd: int, operator: str, name: str) -> None:
    """Open a file or device as `fd`."""
    surroundings, verb = shell.surroundings(), "open" if operator == "<" else "create"
    try:
        if operator == "<":
            shell.readers = {**shell.readers, fd: surroundings.reader(name)}
        else:
            writer = surroundings.writer(name, append=operator == ">>")
            shell.writers = {**shell.writers, fd: writer}
    except OSError as error:
        raise RedirectError(f"can't {verb} {name}: {error.strerror}") from None


def _duplicate(shell: Shell, fd: int, source: str) -> None:
    """Make `fd` a duplicate of `source`, or close it if `source` is `-`."""
    number = int(source) if source.isdecimal() else -1
    if source != "-" and number not in {*shell.readers, *shell.writers}:
        raise RedirectError(f"{source}: bad file descriptor")
    shell.readers = _duplicated(shell.readers, fd, number)
    shell.writers = _duplicated(shell.writers, fd, number)


def _duplicated(streams: dict[int, T], fd: int, source: int) -> dict[int, T]:
    others = {number: stream for number, stream in streams.items() if number != fd}
    return {**others, fd: streams[source]} if source in streams else others
