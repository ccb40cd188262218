"""The dark theme."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

service = Service(
    "uimode",
    "UiModeManager service (uimode) commands:\n  night [yes|no|auto|custom]",
    interface="android.app.IUiModeManager",
)


@service.command("night")
def night(ctx: Context, args: Arguments) -> str:
    """Show or switch the dark theme."""
    display, wanted = ctx.phone.display, args.next()
    if wanted in ("yes", "no"):
        display.dark = wanted == "yes"
    elif wanted is not None:
        raise Refused("Error: mode must be 'yes', 'no', or 'auto' or 'custom_schedule'")
    return f"Night mode: {'yes' if display.dark else 'no'}\n"
