"""The shade."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import DONE, Arguments, Context, Service

service = Service(
    "statusbar",
    "Status bar commands:\n  expand-notifications\n  expand-settings\n  collapse",
    interface="com.android.internal.statusbar.IStatusBarService",
)


@service.command("expand-notifications")
def expand(ctx: Context, _: Arguments) -> None:
    """Pull the shade down."""
    if not ctx.phone.shade.open:
        ctx.phone.shade.pull()


@service.command("expand-settings")
def expand_settings(ctx: Context, _: Arguments) -> None:
    """Pull the shade down with all of quick settings."""
    ctx.phone.shade.pull(full=True)


@service.command("collapse")
def collapse(ctx: Context, _: Arguments) -> None:
    """Push the shade up."""
    ctx.phone.shade.close()


@service.call("1")
def call_expand(ctx: Context, args: Arguments) -> str:
    """Pull the shade down, by a call."""
    expand(ctx, args)
    return DONE


@service.call("2")
def call_collapse(ctx: Context, args: Arguments) -> str:
    """Push it up, by a call."""
    collapse(ctx, args)
    return DONE
