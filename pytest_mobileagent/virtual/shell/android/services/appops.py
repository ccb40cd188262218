"""appops, and what pm can do about permissions besides granting and revoking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Answer,
    Arguments,
    Service,
    illegal,
)
from pytest_mobileagent.virtual.shell.android.services.package import service as package
from pytest_mobileagent.virtual.system.packages.permissions import (
    ASK_FIRST,
    FLAGS,
    MODES,
    OPS,
    PLAIN_OPS,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

HELP = """AppOps service (appops) commands:
  help
    Print this help text.
  get [--user <USER_ID>] [--attribution <ATTRIBUTION_TAG>] <PACKAGE> | <UID> [<OP>]
    Return the mode for a particular application and optional operation.
  set [--user <USER_ID>] [--uid] <PACKAGE> | <UID> <OP> <MODE>
    Set the mode for a particular application and operation.
  query-op [--user <USER_ID>] <OP> [<MODE>]
    Print all packages that currently have the given op in the given mode.
  reset [--user <USER_ID>] [<PACKAGE>]
    Reset the given application or all applications to default modes."""
service = Service(
    "appops", HELP, script="appops", interface="com.android.internal.app.IAppOpsService"
)
SETTABLE = {flag.lower().replace("_", "-"): flag for flag in FLAGS}


class _BadCall(Exception):  # noqa: N818 - not a failure of ours
    """What is wrong with the words of a call."""


@service.command("get")
async def get(ctx: Context, args: Arguments) -> Answer:
    """Tell the modes of an app's operations, or of one."""
    try:
        name = _package(ctx.phone, _words(args))
        wanted = args.next()
        op = _op(wanted) if wanted else ""
    except _BadCall as problem:
        return await _refuse(ctx, str(problem))
    modes = ctx.phone.permissions.modes(name)
    shown = {key: mode for key, mode in modes.items() if op in ("", key)}
    if not shown:
        default = f"Default mode: {'default' if op in ASK_FIRST else 'allow'}\n" if op else ""
        await ctx.out(f"No operations.\n{default}")
    return "".join(f"{key}: {mode}\n" for key, mode in shown.items())


@service.command("set")
async def set_(ctx: Context, args: Arguments) -> int:
    """Set the mode of an operation."""
    try:
        name = _package(ctx.phone, _words(args))
        op = _op(args.next() or "")
        mode = _mode(args.next() or "")
    except _BadCall as problem:
        return await _refuse(ctx, str(problem))
    ctx.phone.permissions.set_mode(name, op, mode)
    return 0


@service.command("query-op")
async def query_op(ctx: Context, args: Arguments) -> int:
    """List the apps that have an operation in a mode."""
    try:
        op = _op(_words(args) or "")
    except _BadCall as problem:
        return await _refuse(ctx, str(problem))
    mode = args.next() or "allow"
    for name in ctx.phone.packages.names():
        if ctx.phone.permissions.modes(name).get(op) == mode:
            await ctx.out(f"{name}\n")
    return 0


@service.command("reset")
def reset(ctx: Context, args: Arguments) -> str:
    """Forget the modes of one app, or all."""
    wanted = _words(args)
    names = [wanted] if wanted else ctx.phone.packages.names()
    for name in names:
        for op in ctx.phone.permissions.modes(name):
            ctx.phone.permissions.set_mode(name, op, "default")
    return "Reset all modes to default\n"


def _words(args: Arguments) -> str | None:
    """Skip the options, and give what comes first after them."""
    while option := args.option():
        if option in ("--user", "--attribution"):
            args.required()
    return args.next()


def _package(phone: Phone, name: str | None) -> str:
    if not name:
        raise _BadCall("Package name not specified.")
    if name.isdecimal():
        name = next((app.package for app in phone.packages.apps() if app.uid == int(name)), name)
    if name not in phone.packages:
        raise _BadCall(f"No UID for {name} in user 0")
    return name


def _op(text: str) -> str:
    if not text:
        raise _BadCall("Operation not specified.")
    name = text.removeprefix("android:").upper()
    if name not in (*OPS, *PLAIN_OPS):
        raise _BadCall(f"Unknown operation string: {text}")
    return name


def _mode(text: str) -> str:
    if text.lower() not in MODES:
        raise _BadCall(f"Mode is not valid: {text}" if text else "Mode not specified.")
    return text.lower()


async def _refuse(ctx: Context, problem: str) -> int:
    await ctx.err(f"Error: {problem}\n")
    return FAILED


@package.command("reset-permissions")
def reset_permissions(ctx: Context, args: Arguments) -> None:
    """Forget what was granted and refused, for every app."""
    args.rest()
    for app in ctx.phone.packages.apps():
        ctx.phone.permissions.reset(app.package)


async def _change_flags(ctx: Context, args: Arguments, *, on: bool) -> int:
    name, permission = _words(args) or "", args.required()
    if name not in ctx.phone.packages:
        raise illegal(f"Unknown package: {name}")
    for word in [args.required(), *args.rest()]:
        if word not in SETTABLE:
            await ctx.out(f"Unknown permission flag '{word}'\n")
            return FAILED
        ctx.phone.permissions.flag(name, permission, SETTABLE[word], on=on)
    return 0


@package.command("set-permission-flags")
async def set_flags(ctx: Context, args: Arguments) -> int:
    """Set flags of a permission."""
    return await _change_flags(ctx, args, on=True)


@package.command("clear-permission-flags")
async def clear_flags(ctx: Context, args: Arguments) -> int:
    """Clear flags of a permission."""
    return await _change_flags(ctx, args, on=False)
