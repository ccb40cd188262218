"""Executes what runs at the same time: the commands of a pipeline, and jobs in the background."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.execution import Shell, executes
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.shell.streams import Bytes, Pipe
from pytest_mobileagent.virtual.shell.syntax import Background, Pipeline, Redirected, Simple

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.processes import ShellProcess
    from pytest_mobileagent.virtual.shell.syntax import Node


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
    if "pipefail" in shell.options:
        status = next((task.result() for task in reversed(tasks) if task.result()), 0)
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
    numbers = [(1, 2) if "&>" in each.operator else (each.fd,) for each in node.redirects]
    return {1, 2} <= {number for pair in numbers for number in pair}
