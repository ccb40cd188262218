"""The mobile network."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

service = Service(
    "phone",
    "Telephony Commands:\n  data enable|disable",
    interface="com.android.internal.telephony.ITelephony",
)


@service.command("data")
def data(ctx: Context, args: Arguments) -> None:
    """Switch mobile data."""
    wanted = args.required()
    if wanted not in ("enable", "disable"):
        raise Refused("Data Commands:\n  enable\n  disable", out=True)
    ctx.phone.radios.set_data(wanted == "enable")
