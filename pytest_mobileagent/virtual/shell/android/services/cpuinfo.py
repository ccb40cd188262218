"""Who uses the processor."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("cpuinfo")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell who uses the processor: nobody, as this phone computes nothing by itself."""
    rows = "".join(
        f"  0% {each.pid}/{each.name}: 0% user + 0% kernel\n" for each in ctx.phone.processes()
    )
    now = ctx.phone.clock.now()
    return (
        "Load: 0.0 / 0.0 / 0.0\n"
        f"CPU usage from 0ms to 0ms ago ({now:%Y-%m-%d %H:%M:%S.000} to"
        f" {now:%Y-%m-%d %H:%M:%S.000}):\n{rows}0% TOTAL: 0% user + 0% kernel\n"
    )
