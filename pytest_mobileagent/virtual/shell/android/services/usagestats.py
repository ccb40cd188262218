"""Which apps were used."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("usagestats", interface="android.app.usage.IUsageStatsManager")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell which apps have a task, the latest first."""
    tasks = ctx.phone.activities.recent()
    rows = "".join(
        f'      package={task.package} totalTimeUsed="00:00" lastTimeUsed="{task.used}"\n'
        for task in tasks
    )
    return f"user=0 {{\n  In-memory daily stats\n    packages\n{rows}}}\n"
