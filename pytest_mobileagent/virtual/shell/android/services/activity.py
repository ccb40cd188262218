"""am: the activity manager."""

from __future__ import annotations

from dataclasses import replace

from pytest_mobileagent.virtual.content.intent import (
    NEW_TASK,
    RECEIVER_FROM_SHELL,
    Intent,
    short,
)
from pytest_mobileagent.virtual.shell.android.intents import integer, parse_intent
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    JavaError,
    Refused,
    Service,
    fill,
)
from pytest_mobileagent.virtual.system.activities.activities import Result, Started
from pytest_mobileagent.virtual.system.window.display import qualifiers

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
    return _waited(started) if waits else ""


async def _stop_first(ctx: Context, intent: Intent) -> None:
    """Stop the app that an intent will start."""
    found = ctx.phone.packages.resolve(intent)
    package = intent.component.partition("/")[0] or (found[0][0].package if found else "")
    if not package:
        raise Refused(f"Error: Intent does not match any activities: Intent {{ {intent} }}", 1)
    await ctx.out(f"Stopping: {package}\n")
    ctx.phone.activities.force_stop(package)


def _problem(started: Started) -> str:
    if started.result is Result.UNRESOLVED:
        intent = f"Intent {{ {started.intent} }}"
        return f"Error: Activity not started, unable to resolve {intent}"
    if started.result is Result.NO_CLASS:
        name = short(started.intent.component)
        return f"Error type 3\nError: Activity class {{{name}}} does not exist."
    return ""


def _waited(started: Started) -> str:
    return fill(
        "activity_waited",
        started=started,
        component=short(started.intent.component),
        waited=started.milliseconds + 2,
    )


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
    phone = ctx.phone
    abis = phone.props["ro.product.cpu.abilist"]
    config = qualifiers(phone.display, phone.locales, phone.props["ro.build.version.sdk"])
    return f"config: {config}\nabi: {abis}\n"


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
