"""Traffic: none is counted, as what apps show comes from the phone itself."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("netstats", interface="android.net.INetworkStatsService")
HOUR = 3600


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell the networks, and the bytes of this hour."""
    names = [*("wlan0",) * ctx.phone.radios.wifi, *("rmnet0",) * ctx.phone.radios.data]
    start = int(ctx.phone.clock.time()) // HOUR * HOUR
    bucket = f"      bucketDuration={HOUR}\n      st={start} rb=0 rp=0 tb=0 tp=0 op=0\n"
    interfaces = "".join(f"  iface={name} ident=[{{type={at}}}]\n" for at, name in enumerate(names))
    blocks = "".join(
        f"{kind} stats:\n  Pending bytes: 0\n  History since boot:\n"
        f"  ident=[{{type=1}}] uid=-1 set=ALL tag=0x0\n    NetworkStatsHistory:\n{bucket}"
        for kind in ("Dev", "Xt", "UID")
    )
    return f"Active interfaces:\n{interfaces}Active UID interfaces:\n{interfaces}{blocks}"
