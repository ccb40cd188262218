"""am instrument: runs what an app has to test others with; here that is Appium's server."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.automation.appium.knock import PORT, TESTS
from pytest_mobileagent.virtual.shell.android.service import Arguments, illegal
from pytest_mobileagent.virtual.shell.android.services.activity import service
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

RUNNER: Final = "androidx.test.runner.AndroidJUnitRunner"
CRASHED = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
TEST = "io.appium.uiautomator2.server.test.AppiumUiAutomator2Server"


_running: set[asyncio.Task[_End]] = set()  # which the event loop alone would not keep


@dataclass(slots=True)
class Request:
    """What `am instrument` is asked for."""

    component: str = ""
    wait: bool = False
    raw: bool = False
    extras: dict[str, str] = field(default_factory=dict)


SWITCHES = (
    "-w", "-r", "-m", "--no-window-animation", "--no-hidden-api-checks", "--no-isolated-storage",
    "--no-test-api-access", "--no-restart",
)  # fmt: skip
SPARE_SERVICES = "DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES"  # which Android does otherwise


@service.command("instrument")
async def instrument(ctx: Context, args: Arguments) -> int:
    """Run an instrumentation; with -w until it ends."""
    request = _read(args)
    package, slash, runner = request.component.partition("/")
    if not slash:
        await ctx.err(f"Error: Bad component name: {request.component}\n")
        return 1
    target = _target(ctx.phone, package, runner)
    if target is None:
        return await _unknown(ctx, request.component)
    ctx.phone.activities.force_stop(target)
    if package != TESTS or target not in ctx.phone.packages:  # its code cannot run here
        await ctx.out(CRASHED if request.wait else "")
        return 0
    run = asyncio.create_task(_serve(ctx.phone, target, request))
    _running.add(run)
    run.add_done_callback(_running.discard)
    if request.wait:
        await _wait(ctx, request, run)
    return 0


async def _wait(ctx: Context, request: Request, run: asyncio.Task[_End]) -> None:
    """Tell how an instrumentation begins and ends; it runs on if the client hangs up meanwhile."""
    if request.raw:
        await ctx.out(_status(1))
    if await asyncio.shield(run) is _End.FINISHED:
        await ctx.out((_status(0) if request.raw else "") + _result(raw=request.raw))
    else:
        await ctx.out(CRASHED)


def _read(args: Arguments) -> Request:
    request = Request()
    while option := args.option():
        if option == "-e":
            name = args.required()
            request.extras[name] = args.required()
        elif option in ("--user", "--abi", "-p"):
            args.required()
        elif option not in SWITCHES:
            raise illegal(f"Unknown option: {option}")
        request.wait = request.wait or option == "-w"
        request.raw = request.raw or option == "-r"
    request.component = args.required()
    return request


def _target(phone: Phone, package: str, runner: str) -> str | None:
    """Give the package that an instrumentation is about, if there is such a one."""
    if package not in phone.packages:
        return None
    name = f"{package}{runner}" if runner.startswith(".") else runner
    for each in phone.packages.app(package).instrumentations:
        if each.name == name:
            return each.target
    return None


async def _unknown(ctx: Context, component: str) -> int:
    await ctx.out(
        "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for:"
        f" ComponentInfo{{{component}}}\n"
        "INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
    )
    await ctx.err(f"android.util.AndroidException: INSTRUMENTATION_FAILED: {component}\n")
    return 1


class _End(Enum):
    """How an instrumentation ended."""

    FINISHED = "finished"
    KILLED = "killed"
    REFUSED = "refused"  # something else has the connection to accessibility


async def _serve(phone: Phone, target: str, request: Request) -> _End:
    """Let Appium's server run until its session is deleted, or its process is killed."""
    from pytest_mobileagent.virtual.automation.appium.server import Server  # noqa: PLC0415 - heavy

    server = Server(phone)
    suppress = request.extras.get(SPARE_SERVICES) != "true"
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
    """Be a process of the phone, which lives on when a snapshot is loaded, until it is killed."""
    phone.proc.hold(package, phone.packages[package].uid, ended.set)
    try:
        yield
    finally:
        phone.proc.release(package)


def _status(code: int) -> str:
    lines = {
        "class": TEST,
        "current": "1",
        "id": "AndroidJUnitRunner",
        "numtests": "1",
        "stream": "." if code == 0 else f"\n{TEST}:",
        "test": "startServer",
    }
    shown = "".join(f"INSTRUMENTATION_STATUS: {name}={value}\n" for name, value in lines.items())
    return f"{shown}INSTRUMENTATION_STATUS_CODE: {code}\n"


def _result(*, raw: bool) -> str:
    summary = "\n\nTime: 0.1\n\nOK (1 test)\n\n"
    if raw:
        return f"INSTRUMENTATION_RESULT: stream={summary}\nINSTRUMENTATION_CODE: -1\n"
    return f"\n{TEST}:.{summary}\n"
