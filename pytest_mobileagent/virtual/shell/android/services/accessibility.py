"""Accessibility: which services are enabled, and run."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("accessibility", interface="android.view.accessibility.IAccessibilityManager")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell the enabled services, and those that are bound."""
    services, settings = ctx.phone.accessibility_services, ctx.phone.settings
    bound = ", ".join(f"Service[label={each.partition('/')[2]}]" for each in services.bound)
    enabled = ", ".join(f"{{{each}}}" for each in services.enabled())
    touch = str(settings.on("secure", "touch_exploration_enabled")).lower()
    zoom = str(settings.on("secure", "accessibility_display_magnification_enabled")).lower()
    return (
        "ACCESSIBILITY MANAGER (dumpsys accessibility)\n\ncurrentUserId=0\nUser state[\n"
        f"     attributes:{{id=0, touchExplorationEnabled={touch},"
        f" serviceHandlesDoubleTap=false, displayMagnificationEnabled={zoom},"
        f" autoclickEnabled=false, installedServiceCount={len(services.enabled())}}}\n"
        f"     Bound services:{{{bound}}}\n     Enabled services:{{{enabled}}}\n"
        "     Binding services:{}\n     Crashed services:{}]\n"
    )
