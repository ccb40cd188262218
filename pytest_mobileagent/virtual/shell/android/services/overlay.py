"""Overlays of resources: the image has one, for the navigation bar that it draws."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

HELP = """Overlay manager (overlay) commands:
  help
    Print this help text.
  list [--user USER_ID] [PACKAGE[:NAME]]
    Print information about target and overlay packages.
  enable [--user USER_ID] PACKAGE[:NAME]
    Enable overlay within or owned by PACKAGE with optional unique NAME.
  disable [--user USER_ID] PACKAGE[:NAME]
    Disable overlay within or owned by PACKAGE with optional unique NAME.
  enable-exclusive [--user USER_ID] [--category] PACKAGE[:NAME]
    Enable overlay within or owned by PACKAGE and disable all other overlays for its target."""
NAVIGATION = "com.android.internal.systemui.navbar.threebutton"
service = Service("overlay", HELP, interface="android.content.om.IOverlayManager")


@service.command("list")
def list_(_ctx: Context, args: Arguments) -> str:
    """List overlays by what they are put over."""
    wanted = _name(args)
    if wanted in ("", "android", NAVIGATION):
        return f"android\n[x] {NAVIGATION}\n\n"
    return ""


@service.command("enable", "enable-exclusive")
def enable(_ctx: Context, args: Arguments) -> None:
    """Put an overlay over its target; that of the bar is there already."""
    if _name(args) != NAVIGATION:
        raise Refused("Error: Failed to enable overlay", 1)


@service.command("disable")
def disable(_ctx: Context, args: Arguments) -> None:
    """Take an overlay away, which the bar's is not: it has no other look."""
    args.rest()
    raise Refused("Error: Failed to disable overlay", 1)


def _name(args: Arguments) -> str:
    while option := args.option():
        if option == "--user":
            args.required()
    return args.next() or ""
