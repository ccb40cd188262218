"""am instrument: runs an app's instrumentation, such as Appium's server."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.appium.knock import PORT, TESTS
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Refused,
    fill,
    unknown_option,
)
from pytest_mobileagent.virtual.shell.android.services.activity import service
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

CRASHED = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
_running: set[asyncio.Task[_End]] = set()  # references, as the event loop keeps none
SWITCHES = (
    "-w", "-r", "-m", "--no-window-animation", "--no-hidden-api-checks", "--no-isolated-storage",
    "--no-test-api-access", "--no-restart",
)  # fmt: skip
SPARE_SERVICES = "DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES"  # otherwise Android suppresses them


@service.command("instrument")
async def instrument(ctx: Context, args: Arguments) -> int:
    """Run an instrumentation; with -w, until it ends."""
    switches, extras = _options(args)
    component = args.required()
    package, slash, runner = component.partition("/")
    if not slash:
        raise Refused(f"Error: Bad component name: {component}", 1)
    target = _target(ctx.phone, package, runner)
    if target is None:
        await ctx.out(fill("instrument_unknown", component=component))
        words = f"android.util.AndroidException: INSTRUMENTATION_FAILED: {component}"
        raise Refused(words, 1)
    ctx.phone.activities.force_stop(target)
    if package != TESTS or target not in ctx.phone.packages:  # its code cannot run here
        await ctx.out(CRASHED if "-w" in switches else "")
        return 0
    suppress = extras.get(SPARE_SERVICES) != "true"
    run = asyncio.create_task(_serve(ctx.phone, target, suppress=suppress))
    _running.add(run)
    run.add_done_callback(_running.discard)
    if "-w" in switches:
        await _wait(ctx, run, raw="-r" in switches)
    return 0


async def _wait(ctx: Context, run: asyncio.Task[_End], *, raw: bool) -> None:
    """Print the start and end of an instrumentation, which continues if the client hangs up."""
    if raw:
        await ctx.out(fill("instrument_start"))
    if await asyncio.shield(run) is _End.FINISHED:
        await ctx.out(fill("instrument_end" if raw else "instrument_summary"))
    else:
        await ctx.out(CRASHED)


def _options(args: Arguments) -> tuple[set[str], dict[str, str]]:
    switches, extras = set[str](), dict[str, str]()
    while option := args.option():
        if option == "-e":
            name = args.required()
            extras[name] = args.required()
        elif option in SWITCHES:
            switches.add(option)
        elif option in ("--user", "--abi"):
            args.required()
        else:
            raise unknown_option(option)
    return switches, extras


def _target(phone: Phone, package: str, runner: str) -> str | None:
    """Return the package that an instrumentation targets, or None if it does not exist."""
    if package not in phone.packages:
        return None
    name = f"{package}{runner}" if runner.startswith(".") else runner
    for each in phone.packages.app(package).instrumentations:
        if each.name == name:
            return each.target
    return None


class _End(Enum):
    """How an instrumentation ended."""

    FINISHED = "finished"
    KILLED = "killed"
    REFUSED = "refused"  # something else is connected to accessibility


async def _serve(phone: Phone, target: str, *, suppress: bool) -> _End:
    """Run Appium's server until its session is deleted or its process is killed."""
    from pytest_mobileagent.virtual.automation.appium.server import Server  # heavy

    server = Server(phone)
    try:
        connection = phone.ui_automation.connect(target, suppress=suppress)
        with connection, _process(phone, target, server.stopped):
            phone.sockets[PORT] = server.http.serve
            try:
                await server.stopped.wait()
            finally:
                del phone.sockets[PORT]
                server.http.close()
            return _End.FINISHED if phone.proc.running(target) else _End.KILLED
    except AlreadyRegistered:
        return _End.REFUSED


@contextmanager
def _process(phone: Phone, package: str, ended: asyncio.Event) -> Iterator[None]:
    """Hold a process of the phone, which survives the loading of a snapshot, until it is killed."""
    phone.proc.hold(package, phone.packages[package].uid, ended.set)
    try:
        yield
    finally:
        phone.proc.release(package)
