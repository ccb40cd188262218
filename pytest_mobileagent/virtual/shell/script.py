"""Runs scripts: a string, or the commands on stdin, each line as soon as it is complete."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.errors import IncompleteError, ShellError, ShellSyntaxError
from pytest_mobileagent.virtual.shell.limits import SCRIPT
from pytest_mobileagent.virtual.shell.parser import lines
from pytest_mobileagent.virtual.shell.streams import read_line

if TYPE_CHECKING:
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


def _parsed(text: str, first: int, *, more: bool) -> list[Node] | None:
    """Return the commands in `text`, or None if they continue on the next line."""
    if more and text.endswith("\\\n"):
        return None
    try:
        return list(lines(text, first))
    except IncompleteError:
        if not more:
            raise
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
