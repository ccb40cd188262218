"""Who administers the phone."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Service

service = Service("device_policy", "Device Policy commands:\n  list-owners")


@service.command("list-owners")
def list_owners(_ctx: Context, args: Arguments) -> str:
    """Tell who administers the phone: nobody."""
    args.rest()
    return "no owners\n"
