"""Starts shells: `sh -c script`, and one that reads its commands from stdin as they arrive."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell import (  # noqa: F401 - some register what they execute
    android,
    commands,
    compound,
    simple,
)
from pytest_mobileagent.virtual.shell.android import services
from pytest_mobileagent.virtual.shell.conversation import converse
from pytest_mobileagent.virtual.shell.execution import Shell
from pytest_mobileagent.virtual.shell.launch import install
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.shell.session import Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["Session", "interactive", "run"]

_ADBD = 392  # the process that starts all shells
_NOBODY_LISTENS = 141


async def run(session: Session, script: str) -> int:
    """Run `sh -c script` and return its exit status."""
    return await _as_process(session, lambda shell: shell.run(script))


async def interactive(session: Session) -> int:
    """Run what arrives on stdin, each line as soon as it makes complete commands."""
    return await _as_process(session, converse)


async def _as_process(session: Session, work: Callable[[Shell], Awaitable[int]]) -> int:
    """Do what a shell is for, as a process of the phone, and wait for the jobs that it leaves."""
    load_commands()
    install(session.phone.files)
    processes = processes_of(session.phone)
    process = processes.start(["sh"], session.uid, _ADBD)
    shell = Shell(session, pid=process.pid)
    try:
        status = await work(shell)
        await asyncio.gather(*shell.attached, return_exceptions=True)
    except BrokenPipeError:
        return _NOBODY_LISTENS
    except asyncio.CancelledError:
        if not process.killed():
            raise
        return process.status
    else:
        return status
    finally:
        for job in shell.attached:
            job.cancel()
        processes.end(process)


@cache
def load_commands() -> None:
    """Import the modules that register commands."""
    for room in (commands, android, services):
        for module in pkgutil.iter_modules(room.__path__):
            importlib.import_module(f"{room.__name__}.{module.name}")
