"""appops, and what pm can do about permissions besides granting and revoking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
)
from pytest_mobileagent.virtual.shell.android.services.package import service as package
from pytest_mobileagent.virtual.system.packages.permissions import (
    MODES,
    OPS,
    PLAIN_OPS,
    default_mode,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

service = Service("appops", script="appops", interface="com.android.internal.app.IAppOpsService")


@service.command("get")
def get(ctx: Context, args: Arguments) -> str:
    """Tell the modes of an app's operations, or of one."""
    name, wanted = _package(ctx.phone, _words(args)), args.next()
    op, modes = _op(wanted) if wanted else "", ctx.phone.permissions.modes(name)
    if shown := "".join(f"{key}: {modes[key]}\n" for key in modes if op in ("", key)):
        return shown
    default = f"Default mode: {default_mode(op)}\n" if op else ""
    return f"No operations.\n{default}"


@service.command("set")
def set_(ctx: Context, args: Arguments) -> None:
    """Set the mode of an operation."""
    name, op, mode = _package(ctx.phone, _words(args)), _op(args.next()), args.next() or ""
    if mode.lower() not in MODES:
        raise Refused(f"Error: Mode is not valid: {mode}" if mode else "Error: Mode not specified.")
    ctx.phone.permissions.set_mode(name, op, mode.lower())


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
        raise Refused("Error: Package name not specified.")
    if name.isdecimal():
        name = next((app.package for app in phone.packages.apps() if app.uid == int(name)), name)
    if name not in phone.packages:
        raise Refused(f"Error: No UID for {name} in user 0")
    return name


def _op(text: str | None) -> str:
    if not text:
        raise Refused("Error: Operation not specified.")
    name = text.removeprefix("android:").upper()
    if name not in (*OPS, *PLAIN_OPS):
        raise Refused(f"Error: Unknown operation string: {text}")
    return name


@package.command("reset-permissions")
def reset_permissions(ctx: Context, _: Arguments) -> None:
    """Forget what was granted and refused, for every app."""
    for app in ctx.phone.packages.apps():
        ctx.phone.permissions.reset(app.package)
