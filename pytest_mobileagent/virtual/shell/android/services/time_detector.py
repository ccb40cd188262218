"""Whether the clock is set by itself."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Service

HELP = """Time Detector (time_detector) commands:
  help
    Print this help text.
  is_auto_detection_enabled
    Prints true/false according to the automatic time detection setting.
  set_auto_detection_enabled true|false
    Sets the automatic time detection setting."""
service = Service("time_detector", HELP, interface="android.app.timedetector.ITimeDetectorService")


@service.command("is_auto_detection_enabled")
def is_automatic(ctx: Context, _: Arguments) -> str:
    """Tell it."""
    return f"{str(ctx.phone.settings.on('global', 'auto_time')).lower()}\n"


@service.command("set_auto_detection_enabled")
def set_automatic(ctx: Context, args: Arguments) -> None:
    """Let the clock be set by itself, or not."""
    on = args.required().lower() == "true"
    ctx.phone.settings.put("global", "auto_time", str(int(on)))
