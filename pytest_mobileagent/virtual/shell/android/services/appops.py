"""appops: the operations that apps may perform, in addition to permissions."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.packages.permissions import (
    MODES,
    OPS,
    PLAIN_OPS,
    default_mode,
)

service = Service("appops", script="appops", interface="com.android.internal.app.IAppOpsService")


@service.command("get")
def get(ctx: Context, args: Arguments) -> str:
    """Print the modes of an app's operations, or of a single operation."""
    name, wanted = _package(ctx, args), args.next()
    op, modes = _op(wanted) if wanted else "", ctx.phone.permissions.modes(name)
    if shown := "".join(f"{key}: {modes[key]}\n" for key in modes if op in ("", key)):
        return shown
    default = f"Default mode: {default_mode(op)}\n" if op else ""
    return f"No operations.\n{default}"


@service.command("set")
def set_(ctx: Context, args: Arguments) -> None:
    """Set the mode of an operation."""
    name, op, mode = _package(ctx, args), _op(args.next()), args.next() or ""
    if mode.lower() not in MODES:
        raise Refused(f"Error: Mode is not valid: {mode}" if mode else "Error: Mode not specified.")
    ctx.phone.permissions.set_mode(name, op, mode.lower())


def _package(ctx: Context, args: Arguments) -> str:
    args.options(("--attribution", "--user"), ("--uid",))
    name = args.next()
    if not name:
        raise Refused("Error: Package name not specified.")
    if name not in ctx.phone.packages:
        raise Refused(f"Error: No UID for {name} in user 0")
    return name


def _op(text: str | None) -> str:
    if not text:
        raise Refused("Error: Operation not specified.")
    name = text.removeprefix("android:").upper()
    if name not in (*OPS, *PLAIN_OPS):
        raise Refused(f"Error: Unknown operation string: {text}")
    return name
