"""Which package shows web pages inside of apps."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

PACKAGE, VERSION = "com.google.android.webview", "113.0.5672.136"
service = Service(
    "webviewupdate",
    "WebView updater commands:\n  help\n    Prints this help text.\n\n"
    "  set-webview-implementation PACKAGE\n    Set the WebView implementation.\n"
    "  enable-multiprocess\n  disable-multiprocess",
    interface="android.webkit.IWebViewUpdateService",
)


@service.dump
def dump(_ctx: Context, _: list[str]) -> str:
    """Tell the package and its version."""
    return (
        "Current WebView Update Service state\n  Multiprocess enabled: true\n"
        f"  Current WebView package (name, version): ({PACKAGE}, {VERSION})\n"
        "  Minimum targetSdkVersion: 33\n"
    )


@service.command("set-webview-implementation")
def choose(_ctx: Context, args: Arguments) -> str:
    """Choose a package; there is one."""
    wanted = args.required()
    if wanted != PACKAGE:
        words = f"Failed to switch to {wanted}, the WebView implementation is now provided by"
        raise Refused(f"{words} {PACKAGE}.", 1, out=True)
    return "Success\n"


@service.command("enable-multiprocess", "disable-multiprocess")
def multiprocess(_ctx: Context, _: Arguments) -> str:
    """Let pages have processes of their own, which they have none of here."""
    return "Success\n"
