"""Executes simple commands: assignments, words, redirections, and calls of functions."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell import expand
from pytest_mobileagent.virtual.shell.errors import LeaveFunction, RedirectError
from pytest_mobileagent.virtual.shell.execution import Shell, executes
from pytest_mobileagent.virtual.shell.launch import call
from pytest_mobileagent.virtual.shell.redirect import redirect
from pytest_mobileagent.virtual.shell.syntax import Redirected, Simple, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    if "x" in shell.options:
        shown = [*(f"{name}={value}" for name, value in overrides.items()), *words]
        await shell.print_error(f"+ {' '.join(shown)}\n")
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
