"""What apps do for the system: their roles, jobs, web views and accessibility services."""

from __future__ import annotations

from pytest_mobileagent.virtual.content.intent import MAIN, Intent
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    JavaError,
    Refused,
    Service,
    fill,
)

ROLES = {  # by what the apps that qualify answer
    "android.app.role.BROWSER": Intent("android.intent.action.VIEW", "http://role.invalid/"),
    "android.app.role.DIALER": Intent("android.intent.action.DIAL", "tel:"),
    "android.app.role.HOME": Intent(MAIN, categories=("android.intent.category.HOME",)),
    "android.app.role.SMS": Intent("android.intent.action.SENDTO", "smsto:"),
}
NO_PACKAGE, NO_JOB = 24, 23  # -1000 and -1001, as a shell sees them
LOW = 15  # percent of the battery
WEB_VIEW = "com.google.android.webview"
role = Service("role", interface="android.app.role.IRoleManager")
jobs = Service("jobscheduler", interface="android.app.job.IJobScheduler")
web_view = Service("webviewupdate", interface="android.webkit.IWebViewUpdateService")
Service("clipboard", interface="android.content.IClipboard")  # of which Android tells nothing
Service("content", interface="android.content.IContentService")
Service("permission", interface="android.os.IPermissionController")


@role.dump
def dump_roles(ctx: Context, _: list[str]) -> str:
    """Tell who holds which role."""
    rows = [fill("role_one", role=role, holders=_holders(ctx, role)) for role in ROLES]
    return fill("role", roles="".join(rows))


@role.command("get-role-holders")
def get_holders(ctx: Context, args: Arguments) -> str:
    """Tell who holds a role."""
    return f"{_holders(ctx, _role(args))}\n"


@role.command("add-role-holder")
def add_holder(ctx: Context, args: Arguments) -> None:
    """Let an app that qualifies hold a role, instead of the one that does."""
    role, package = _role(args), args.required()
    intent = ROLES.get(role)
    for app, kind in ctx.phone.packages.resolve(intent) if intent else ():
        if app.package == package and intent:
            ctx.phone.defaults.remember(intent, kind.component(package))
            return
    raise JavaError("java.util.concurrent.ExecutionException", "java.lang.RuntimeException: Failed")


@role.command("remove-role-holder", "clear-role-holders")
def clear_holders(ctx: Context, args: Arguments) -> None:
    """Let the app hold no role that somebody has given it."""
    if package := _holders(ctx, _role(args)):
        ctx.phone.defaults.forget(package)


def _role(args: Arguments) -> str:
    args.options()
    return args.required()


def _holders(ctx: Context, role: str) -> str:
    """Give the app that answers without a question, if one does."""
    intent = ROLES.get(role)
    found = ctx.phone.packages.resolve(intent) if intent else []
    chosen = ctx.phone.defaults.choose(intent, found) if intent and found else None
    return chosen[0].package if chosen else ""


@jobs.command("run", "get-job-state", "timeout", "stop", "cancel")
def find_job(ctx: Context, args: Arguments) -> None:
    """Look for a job, of which there are none: apps of this phone cannot schedule any."""
    args.options(("-u", "--user", "-n", "--namespace"), None)
    name, job = args.required(), args.required()
    if name not in ctx.phone.packages:
        raise Refused(f"Package not found: {name} / user 0", NO_PACKAGE)
    raise Refused(f"Could not find job {job} in package {name} / user 0", NO_JOB)


@jobs.command("get-battery-charging", "get-battery-not-low", "get-storage-not-low")
def condition(ctx: Context, args: Arguments) -> str:
    """Tell whether a condition holds that jobs may wait for."""
    power, files = ctx.phone.power, ctx.phone.files
    holds = {
        "get-battery-charging": power.charging,
        "get-battery-not-low": power.level > LOW,
        "get-storage-not-low": files.used < files.capacity * 0.95,
    }
    return f"{str(holds[args.last]).lower()}\n"


@web_view.command("set-webview-implementation")
def choose_web_view(_ctx: Context, args: Arguments) -> str:
    """Choose the package that shows web pages inside of apps; there is one."""
    wanted = args.required()
    if wanted != WEB_VIEW:
        words = f"Failed to switch to {wanted}, the WebView implementation is now provided by"
        raise Refused(f"{words} {WEB_VIEW}.", 1, out=True)
    return "Success\n"


@Service("accessibility", interface="android.view.accessibility.IAccessibilityManager").dump
def accessibility(ctx: Context, _: list[str]) -> str:
    """Tell the enabled services, and those that are bound."""
    services, settings = ctx.phone.accessibility_services, ctx.phone.settings
    return fill(
        "accessibility",
        bound=", ".join(f"Service[label={each.partition('/')[2]}]" for each in services.bound),
        enabled=", ".join(f"{{{each}}}" for each in services.enabled()),
        touch=settings.on("secure", "touch_exploration_enabled"),
        zoom=settings.on("secure", "accessibility_display_magnification_enabled"),
        count=len(services.enabled()),
    )
