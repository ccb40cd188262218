"""The content service: whether data is synchronised."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("content", interface="android.content.IContentService")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell that no account has anything to synchronise."""
    return (
        f"Data connected: {str(ctx.phone.radios.online).lower()}\nBattery saver: false\n"
        "Background network restriction: disabled\nAuto sync: u0=true\nMemory low: false\n"
        "Device idle: false\nReported active: false\nClock valid: true\n\nActive Syncs: 0\n\n"
        "Sync Status\n\nObserver tree:\n"
    )
