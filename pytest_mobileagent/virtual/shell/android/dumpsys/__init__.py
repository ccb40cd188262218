"""dumpsys: what the services tell about themselves, in the lines that tools look for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pytest_mobileagent.virtual.shell.android.dumpsys import (
    activity,
    battery,
    deviceidle,
    display,
    input_method,
    location,
    machine,
    network,
    notification,
    package,
    services,
    window,
)
from pytest_mobileagent.virtual.shell.android.service import services as commanded
from pytest_mobileagent.virtual.shell.commands import Context, command

Dump: TypeAlias = Callable[[Context, list[str]], Awaitable[str]]

DUMPS: dict[str, Dump] = {
    "SurfaceFlinger": machine.surfaceflinger,
    "account": services.account,
    "activity": activity.dump,
    "alarm": services.alarm,
    "audio": services.audio,
    "battery": battery.dump,
    "bluetooth_manager": network.bluetooth,
    "connectivity": network.connectivity,
    "cpuinfo": machine.cpuinfo,
    "deviceidle": deviceidle.dump,
    "diskstats": machine.diskstats,
    "display": display.dump,
    "gfxinfo": machine.gfxinfo,
    "input": services.input_,
    "input_method": input_method.dump,
    "jobscheduler": services.jobscheduler,
    "location": location.dump,
    "media_session": services.media_session,
    "meminfo": machine.meminfo,
    "notification": notification.dump,
    "package": package.dump,
    "power": display.dump_power,
    "telephony.registry": network.telephony_registry,
    "usagestats": services.usagestats,
    "user": services.user,
    "wifi": network.wifi,
    "window": window.dump,
}


def running() -> list[str]:
    """Give the names of all services, those that dump nothing too."""
    return sorted({*DUMPS, *commanded})


@command("dumpsys")
async def dumpsys(ctx: Context, args: list[str]) -> int:
    """Print the state of one service, or list them."""
    words = list(args)
    while words and words[0] in ("-t", "-T", "--pid", "--thread", "--priority"):
        words = words[2:] if words[0] in ("-t", "-T", "--priority") else words[1:]
    if words and words[0] == "-l":
        names = "".join(f"  {name}\n" for name in running())
        await ctx.out(f"Currently running services:\n{names}")
        return 0
    if not words:
        for name in sorted(DUMPS):
            bar = "-" * 79
            text = await DUMPS[name](ctx, [])
            await ctx.out(f"{bar}\nDUMP OF SERVICE {name}:\n{text}")
        return 0
    if words[0] in commanded and words[0] not in DUMPS:
        return 0
    if words[0] not in DUMPS:
        await ctx.err(f"Can't find service: {words[0]}\n")
        return 0
    await ctx.out(await DUMPS[words[0]](ctx, words[1:]))
    return 0
