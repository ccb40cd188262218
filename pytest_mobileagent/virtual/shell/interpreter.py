"""Starts shells: `sh -c script`, and shells that read commands from stdin as they arrive."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from functools import cache

from pytest_mobileagent.virtual.shell import android, commands
from pytest_mobileagent.virtual.shell.android import services
from pytest_mobileagent.virtual.shell.commands import running
from pytest_mobileagent.virtual.shell.execution import Shell
from pytest_mobileagent.virtual.shell.launch import install, run_process
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.shell.script import INTERRUPT
from pytest_mobileagent.virtual.shell.session import Session

__all__ = ["Session", "interactive", "run"]

_ADBD = 392  # the process that starts all shells


async def run(session: Session, script: str) -> int:
    """Run `sh -c script` and return its exit status."""
    return await _start(session, ["-c", script])


async def interactive(session: Session) -> int:
    """Run the commands on stdin, each line as soon as it is complete."""
    return await _start(session, [])


async def _start(session: Session, args: list[str]) -> int:
    """Run a shell as adbd does, and wait for the jobs that it leaves."""
    load_commands()
    install(session.phone.files)
    adbd = Shell(session, _ADBD)
    process = processes_of(session.phone).start(["sh"], session.uid, _ADBD)
    try:
        status = await run_process(process, running.sh, args, adbd, session)
        await asyncio.gather(*adbd.attached, return_exceptions=True)
    except asyncio.CancelledError as cancelled:
        if cancelled.args != (INTERRUPT,):  # the client has disconnected
            for each in list(adbd.started):
                each.hang_up()
        raise
    finally:
        for job in adbd.attached:
            job.cancel()
    return status


@cache
def load_commands() -> None:
    """Import the modules that register commands."""
    for room in (commands, android, services):
        for module in pkgutil.iter_modules(room.__path__):
            importlib.import_module(f"{room.__name__}.{module.name}")
