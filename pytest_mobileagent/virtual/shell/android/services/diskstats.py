"""How full the storage is."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("diskstats")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell how full the storage is."""
    files = ctx.phone.files
    used = sum(len(node.data) for node in files.snapshot().values())
    total, free = files.capacity // 1024, (files.capacity - used) // 1024
    percent = 100 * free // max(total, 1)
    return (
        "Latency: 0ms [512B Data Write]\nRecent Disk Write Speed (kB/s) = 0\n"
        f"Data-Free: {free}K / {total}K total = {percent}% free\n"
        f"Cache-Free: {free}K / {total}K total = {percent}% free\n"
        "System-Free: 0K / 896244K total = 0% free\nFile-based Encryption: true\n"
    )
