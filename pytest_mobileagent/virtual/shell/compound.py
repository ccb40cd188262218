"""Executes lists, conditions and loops."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell import expand, patterns
from pytest_mobileagent.virtual.shell.condition import ConditionError, Operand, holds
from pytest_mobileagent.virtual.shell.errors import LeaveLoop, ShellError
from pytest_mobileagent.virtual.shell.execution import Shell, executes
from pytest_mobileagent.virtual.shell.syntax import (
    AndOr,
    Case,
    For,
    Function,
    If,
    Let,
    Loop,
    Script,
    Subshell,
    Test,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@executes(Script)
async def script(shell: Shell, node: Script) -> int:
    """Execute commands one after the other."""
    status = 0
    for command in node.commands:
        status = await shell.execute(command)
    return status


@executes(AndOr)
async def and_or(shell: Shell, node: AndOr) -> int:
    """Execute a chain of && and ||; only the failure of its last command is one."""
    chain = [("", node.first), *node.rest]
    for at, (operator, command) in enumerate(chain):
        if operator and (shell.status == 0) != (operator == "&&"):
            continue
        if at < len(node.rest):
            await shell.succeeds(command)
        else:
            await shell.execute(command)
    return shell.status


@executes(Subshell)
async def subshell(shell: Shell, node: Subshell) -> int:
    """Execute commands in a copy of the shell."""
    return await shell.twin().contained(node.body)


@executes(Function)
async def function(shell: Shell, node: Function) -> int:
    """Define a function."""
    shell.functions[node.name] = node.body
    return 0


@executes(If)
async def if_(shell: Shell, node: If) -> int:
    """Execute the branch whose condition succeeds first."""
    for condition, body in node.branches:
        if await shell.succeeds(condition):
            return await shell.execute(body)
    return await shell.execute(node.otherwise) if node.otherwise else 0


@executes(Case)
async def case(shell: Shell, node: Case) -> int:
    """Execute the arm with the first pattern that matches."""
    word = await expand.text(shell, node.word)
    for alternatives, body in node.arms:
        for alternative in alternatives:
            if patterns.matches(await expand.pattern(shell, alternative), word):
                return await shell.execute(body)
    return 0


@executes(Let)
async def let(shell: Shell, node: Let) -> int:
    """Evaluate `((...))`."""
    return int(not shell.evaluate(await expand.text(shell, node.expression)))


@executes(Test)
async def test(shell: Shell, node: Test) -> int:
    """Evaluate `[[ ... ]]`."""
    words: list[Operand] = []
    for word in node.words:
        literal = len(word) == 1 and isinstance(word[0], Text) and not word[0].quoted
        compared = bool(words) and words[-1].is_one_of("=", "==", "!=")
        pattern = await expand.pattern(shell, word) if compared else None
        words.append(Operand(await expand.text(shell, word), literal, pattern))
    try:
        return int(not holds(words, shell, shell.surroundings()))
    except ConditionError as error:
        raise ShellError(f"[[: {error}", 2) from None


@executes(Loop)
async def loop(shell: Shell, node: Loop) -> int:
    """Execute a while- or until-loop."""
    status = 0
    with _looping(shell):
        while await shell.succeeds(node.condition) != node.until:
            status = await _turn(shell, node.body)
    return status


@executes(For)
async def for_(shell: Shell, node: For) -> int:
    """Execute a for-loop."""
    status = 0
    words = shell.arguments if node.words is None else await expand.fields(shell, node.words)
    with _looping(shell):
        for word in list(words):
            shell.assign(node.name, word)
            status = await _turn(shell, node.body)
    return status


@contextmanager
def _looping(shell: Shell) -> Iterator[None]:
    """Be in a loop, which break leaves: it alone, or also the one around it."""
    shell.loops += 1
    try:
        yield
    except LeaveLoop as leaving:
        if leaving.levels > 1:
            raise LeaveLoop(leaving.levels - 1, again=leaving.again) from None
    finally:
        shell.loops -= 1


async def _turn(shell: Shell, body: Script) -> int:
    """Execute a loop's body once, and let the rest of the phone live meanwhile."""
    await asyncio.sleep(0)
    try:
        return await shell.execute(body)
    except LeaveLoop as leaving:
        if not leaving.again or leaving.levels > 1:
            raise
        return 0
