"""Executes simple commands: assignments, words, redirections, and calls of functions."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell import expand
from pytest_mobileagent.virtual.shell.errors import LeaveFunction, RedirectError
from pytest_mobileagent.virtual.shell.execution import Shell, executes
from pytest_mobileagent.virtual.shell.launch import call
from pytest_mobileagent.virtual.shell.opening import open_reader, open_writer
from pytest_mobileagent.virtual.shell.streams import Bytes, encode
from pytest_mobileagent.virtual.shell.syntax import HereDocument, Redirected, Simple, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.syntax import Assignment, Redirect, Word

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_DECLARING = {"export", "local", "typeset"}  # their assignments are not split


@executes(Simple)
async def simple(shell: Shell, node: Simple, redirects: tuple[Redirect, ...] = ()) -> int:
    """Execute a simple command, whose words are expanded before its files are opened."""
    shell.line = node.line
    shell.substituted = 0
    words = await _words(shell, node.words)
    streams = shell.readers, shell.writers
    try:
        await redirect(shell, redirects)
        if words:
            return await _run(shell, words, node.assignments)
        for each in node.assignments:
            shell.assign(each.name, await _value(shell, each))
    except RedirectError as error:
        await shell.complain(error)
        return 1
    else:
        return shell.substituted
    finally:
        if words != ["exec"]:  # which is there to redirect the shell itself
            shell.readers, shell.writers = streams


@executes(Redirected)
async def redirected(shell: Shell, node: Redirected) -> int:
    """Execute a command with other streams."""
    if isinstance(node.command, Simple):
        return await simple(shell, node.command, node.redirects)
    streams = shell.readers, shell.writers
    try:
        await redirect(shell, node.redirects)
        return await shell.execute(node.command)
    except RedirectError as error:
        await shell.complain(error, node.line)
        return 1
    finally:
        shell.readers, shell.writers = streams


async def _words(shell: Shell, words: Sequence[Word]) -> list[str]:
    """Expand the words of a command; what export and its kin assign is not split."""
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
    """Run a command, for which alone some variables are set."""
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
        shell.variables.export(name)
    try:
        yield
    finally:
        for name, kept in before.items():
            shell.variables.put_back(name, kept)


async def _call(shell: Shell, words: list[str]) -> int:
    """Call a function."""
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


async def redirect(shell: Shell, redirects: tuple[Redirect, ...]) -> None:
    """Change the streams of `shell`, whose caller remembers what they were."""
    for each in redirects:
        if isinstance(each.target, HereDocument):
            content = await expand.text(shell, each.target.body)
            shell.readers = {**shell.readers, each.fd: Bytes(encode(content))}
            continue
        name = await expand.text(shell, each.target)
        match each.operator:
            case "<":
                _read_from(shell, each.fd, name)
            case "<<<":
                shell.readers = {**shell.readers, each.fd: Bytes(encode(f"{name}\n"))}
            case ">&" | "<&":
                _duplicate(shell, each.fd, name)
            case "&>":
                _write_to(shell, 1, name, append=False)
                _duplicate(shell, 2, "1")
            case operator:
                _write_to(shell, each.fd, name, append=operator == ">>")


def _read_from(shell: Shell, fd: int, name: str) -> None:
    try:
        shell.readers = {**shell.readers, fd: open_reader(name, shell.surroundings())}
    except OSError as error:
        raise RedirectError(f"can't open {name}: {error.strerror}") from None


def _write_to(shell: Shell, fd: int, name: str, *, append: bool) -> None:
    try:
        writer = open_writer(name, shell.surroundings(), append=append)
    except OSError as error:
        raise RedirectError(f"can't create {name}: {error.strerror}") from None
    shell.writers = {**shell.writers, fd: writer}


def _duplicate(shell: Shell, fd: int, source: str) -> None:
    """Let `fd` be the same stream as `source`, or none if that is `-`."""
    readers = {number: stream for number, stream in shell.readers.items() if number != fd}
    writers = {number: stream for number, stream in shell.writers.items() if number != fd}
    if source != "-":
        number = int(source) if source.isdecimal() else -1
        if number not in shell.readers and number not in shell.writers:
            raise RedirectError(f"{source}: bad file descriptor")
        if number in shell.readers:
            readers[fd] = shell.readers[number]
        if number in shell.writers:
            writers[fd] = shell.writers[number]
    shell.readers, shell.writers = readers, writers
