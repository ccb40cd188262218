"""How fast apps draw."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("gfxinfo")


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell about drawing, by app; frames are drawn when they are looked at, so none is late."""
    phone, names = ctx.phone, [word for word in args if not word.startswith("-")]
    uptime = int(phone.clock.uptime() * 1000)
    text = f"Applications Graphics Acceleration Info:\nUptime: {uptime} Realtime: {uptime}\n"
    running = [app.package for app in phone.packages.apps() if phone.proc.running(app.package)]
    if names and names[0] not in running:
        return f"No process found for: {names[0]}\n"
    for name in names or running:
        text += (
            f"\n** Graphics info for pid {phone.proc.pid(name)} [{name}] **\n\n"
            "Stats since: 0ns\nTotal frames rendered: 0\nJanky frames: 0 (0.00%)\n"
            "50th percentile: 0ms\n90th percentile: 0ms\n95th percentile: 0ms\n"
            "99th percentile: 0ms\nNumber Missed Vsync: 0\nNumber High input latency: 0\n"
            "Number Slow UI thread: 0\nNumber Frame deadline missed: 0\n"
        )
    return text
