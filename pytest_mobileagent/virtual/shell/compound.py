"""Executes lists, conditions and loops, pipelines, and jobs in the background."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell import expand, patterns
from pytest_mobileagent.virtual.shell.condition import Condition, ConditionError, Operand
from pytest_mobileagent.virtual.shell.errors import LeaveLoop, ShellError
from pytest_mobileagent.virtual.shell.execution import Shell, executes
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.shell.streams import Bytes, Pipe
from pytest_mobileagent.virtual.shell.syntax import (
    AndOr,
    Background,
    Case,
    For,
    Function,
    If,
    Let,
    Loop,
    Pipeline,
    Redirected,
    Script,
    Simple,
    Subshell,
    Test,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.shell.processes import ShellProcess
    from pytest_mobileagent.virtual.shell.syntax import Node


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


@executes(Let)
async def let(shell: Shell, node: Let) -> int:
    """Reckon; zero is a failure."""
    return int(shell.evaluate(await expand.text(shell, node.expression)) == 0)


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
        return int(not Condition(words, shell, shell.surroundings()).holds())
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


@executes(Pipeline)
async def pipeline(shell: Shell, node: Pipeline) -> int:
    """Execute commands of which each reads what the one before it writes."""
    if len(node.commands) == 1:  # it is there to be negated
        return int(await shell.succeeds(node.commands[0]))
    async with asyncio.TaskGroup() as group:
        tasks = []
        source: Pipe | None = None
        for command in node.commands:
            goal = Pipe() if command is not node.commands[-1] else None
            twin = shell.twin(stdin=source, stdout=goal)
            tasks.append(group.create_task(_stage(twin, command, source, goal)))
            source = goal
    status = tasks[-1].result()
    return int(not status) if node.negated else status


async def _stage(shell: Shell, node: Node, source: Pipe | None, goal: Pipe | None) -> int:
    """Execute one command of a pipeline; its neighbours learn when it is over."""
    try:
        return await shell.contained(node)
    finally:
        if source:
            source.close_read()
        if goal:
            await goal.close_write()


@executes(Background)
async def background(shell: Shell, node: Background) -> int:
    """Start a job; without a terminal it must not take the input of the commands after it."""
    twin = shell.twin(stdin=None if shell.session.tty else Bytes(b""))
    process = processes_of(shell.phone).start([shell.name], shell.session.uid, shell.pid)
    command = node.command.command if isinstance(node.command, Redirected) else node.command
    twin.adoptable = process if isinstance(command, Simple) else None
    process.task = task = asyncio.create_task(_job(twin, node.command, process))
    shell.last_job = process.pid
    shell.jobs[process.pid] = task
    if not _writes_elsewhere(node.command):
        shell.attached.add(task)
    await asyncio.sleep(0)  # a task that has not begun could not tell a signal from a hang-up
    return 0


async def _job(shell: Shell, node: Node, process: ShellProcess) -> int:
    try:
        return await shell.contained(node)
    except asyncio.CancelledError:
        if not process.killed():
            raise
        return process.status
    finally:
        processes_of(shell.phone).end(process)


def _writes_elsewhere(node: Node) -> bool:
    """Whether a job keeps no output of its shell open, so that nobody waits for its end."""
    if not isinstance(node, Redirected):
        return False
    numbers = {each.fd for each in node.redirects}
    return {1, 2} <= numbers or any(each.operator == "&>" for each in node.redirects)
