"""am: the activity manager, and the instrumentations that it runs, such as Appium's server."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.appium import PORT, TESTS
from pytest_mobileagent.virtual.content.intent import NEW_TASK, RECEIVER_FROM_SHELL, Intent, short
from pytest_mobileagent.virtual.shell.android.intents import integer, parse_intent
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    JavaError,
    Refused,
    Service,
    fill,
    unknown_option,
)
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered
from pytest_mobileagent.virtual.system.activities import Result, Started
from pytest_mobileagent.virtual.system.configuration import qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone

PROTECTED = (
    "AIRPLANE_MODE", "BATTERY_CHANGED", "BOOT_COMPLETED", "PACKAGE_ADDED", "PACKAGE_REMOVED",
    "SCREEN_OFF", "SCREEN_ON", "TIMEZONE_CHANGED", "TIME_SET",
)  # fmt: skip
START_VALUES = (
    "--user", "--display", "--windowingMode", "--activityType", "--task", "-P", "-R",
)  # fmt: skip
START_SWITCHES = ("-D", "-N", "-W", "-S", "--track-allocation")
WARNINGS = {
    Result.TO_TOP: "Warning: Activity not started, intent has been delivered to currently running"
    " top-most instance.",
    Result.TO_FRONT: "Warning: Activity not started, its current task has been brought to the"
    " front",
}
service = Service("activity", script="am", interface="android.app.IActivityManager")


@service.command("start", "start-activity")
async def start(ctx: Context, args: Arguments) -> str:
    """Start an activity."""
    intent, switches = parse_intent(args, START_VALUES, START_SWITCHES)
    if "-S" in switches:
        await _stop_first(ctx, intent)
    await ctx.out(f"Starting: Intent {{ {intent} }}\n")
    intent = replace(intent, flags=intent.flags | NEW_TASK)
    try:
        started = ctx.phone.activities.start(intent, uid=ctx.uid)
    except PermissionError as error:
        raise JavaError("SecurityException", str(error)) from error
    waits = "-W" in switches
    if problem := _problem(started):
        raise Refused(problem, 1, out=waits)
    if warning := WARNINGS.get(started.result):
        await (ctx.out if waits else ctx.err)(f"{warning}\n")
    if not waits:
        return ""
    component, waited = short(started.intent.component), started.milliseconds + 2
    return fill("activity_waited", started=started, component=component, waited=waited)


async def _stop_first(ctx: Context, intent: Intent) -> None:
    """Stop the app that an intent will start."""
    found = ctx.phone.packages.resolve(intent)
    package = intent.component.partition("/")[0] or (found[0][0].package if found else "")
    if not package:
        raise Refused(f"Error: Intent does not match any activities: Intent {{ {intent} }}", 1)
    await ctx.out(f"Stopping: {package}\n")
    ctx.phone.activities.force_stop(package)


def _problem(started: Started) -> str:
    intent = started.intent
    if started.result is Result.UNRESOLVED:
        return f"Error: Activity not started, unable to resolve Intent {{ {intent} }}"
    if started.result is Result.NO_CLASS:
        name = short(intent.component)
        return f"Error type 3\nError: Activity class {{{name}}} does not exist."
    return ""


@service.command("force-stop", "kill")
def stop(ctx: Context, args: Arguments) -> None:
    """Stop an app, or kill its process if it is in the background; unknown apps are ignored."""
    verb, activities = args.last, ctx.phone.activities
    args.options(unknown=lambda option: Refused(f"Error: Unknown option: {option}"))
    package = args.required()
    if verb == "force-stop":
        activities.force_stop(package)
    elif activities.top.package != package:
        activities.kill(package, "kill background")


@service.command("broadcast")
async def broadcast(ctx: Context, args: Arguments) -> str:
    """Send a broadcast."""
    switches = ("--async", "--allow-background-activity-starts")
    intent, given = parse_intent(args, ("--user", "--receiver-permission"), switches)
    intent = replace(intent, flags=intent.flags | RECEIVER_FROM_SHELL)
    await ctx.out(f"Broadcasting: Intent {{ {intent} }}\n")
    if intent.action.removeprefix("android.intent.action.") in PROTECTED and ctx.uid != 0:
        message = f"not allowed to send broadcast {intent.action} from pid=4711, uid={ctx.uid}"
        raise JavaError("SecurityException", f"Permission Denial: {message}")
    reply = ctx.phone.broadcasts.send(intent)
    if "--async" in given:
        return ""
    told = "" if reply.data is None else f', data="{reply.data}"'
    return f"Broadcast completed: result={reply.code}{told}\n"


@service.command("start-service", "startservice", "start-foreground-service")
async def start_service(ctx: Context, args: Arguments) -> None:
    """Start a service; it must be declared by an app."""
    intent, _ = parse_intent(args)
    await ctx.out(f"Starting service: Intent {{ {intent} }}\n")
    package, _, name = intent.component.partition("/")
    app = ctx.phone.packages.app(package) if package in ctx.phone.packages else None
    if app is None or name not in app.services:
        raise Refused("Error: Not found; no service started.")
    ctx.phone.proc.start(package, app.uid)


@service.command("stop-service", "stopservice")
async def stop_service(ctx: Context, args: Arguments) -> None:
    """Stop a service; Android returns -1 even on success."""
    intent, _ = parse_intent(args)
    await ctx.out(f"Stopping service: Intent {{ {intent} }}\n")
    raise Refused("Service not stopped: was not running.")


@service.command("get-current-user")
def get_current_user(_ctx: Context, _: Arguments) -> str:
    """Print the current user."""
    return "0\n"


@service.command("get-config")
def get_config(ctx: Context, _: Arguments) -> str:
    """Print the configuration as resource qualifiers."""
    phone, props = ctx.phone, ctx.phone.props
    config = qualifiers(phone.display, phone.locales, props["ro.build.version.sdk"])
    return f"config: {config}\nabi: {props['ro.product.cpu.abilist']}\n"


@service.command("stack")
def stack(ctx: Context, args: Arguments) -> str:
    """List the tasks, or remove one; the number of a missing task is ignored."""
    activities, metrics = ctx.phone.activities, ctx.phone.display.metrics
    if (what := args.required()) == "remove":
        activities.remove_task(integer(args.required()))
        return ""
    if what != "list":
        raise Refused(f"Error: unknown command '{what}'")
    return "".join(
        fill("activity_stack", task=task, visible=task is activities.task, metrics=metrics)
        for task in reversed(activities.tasks)
    )


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
        raise Refused(f"android.util.AndroidException: INSTRUMENTATION_FAILED: {component}", 1)
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
    name = f"{package}{runner}" if runner.startswith(".") else runner
    found = phone.packages.app(package).instrumentations if package in phone.packages else ()
    return next((each.target for each in found if each.name == name), None)


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
