"""Roles, operations, languages and jobs of apps, web views and accessibility services."""

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
from pytest_mobileagent.virtual.system.configuration import normal
from pytest_mobileagent.virtual.system.packages.permissions import (
    MODES,
    OPS,
    PLAIN_OPS,
    SMS_APP,
    default_mode,
)

SMS_NAME = "android.app.role.SMS"
ROLES = {  # with an intent that an app must handle to qualify
    "android.app.role.BROWSER": Intent("android.intent.action.VIEW", "http://role.invalid/"),
    "android.app.role.DIALER": Intent("android.intent.action.DIAL", "tel:"),
    "android.app.role.HOME": Intent(MAIN, categories=("android.intent.category.HOME",)),
    SMS_NAME: Intent("android.intent.action.SENDTO", "smsto:"),
}
NO_PACKAGE, NO_JOB = 24, 23  # -1000 and -1001, as a shell sees them
LOW = 15  # percent of the battery
WEB_VIEW = "com.google.android.webview"
role = Service("role", interface="android.app.role.IRoleManager")
jobs = Service("jobscheduler", interface="android.app.job.IJobScheduler")
web_view = Service("webviewupdate", interface="android.webkit.IWebViewUpdateService")
Service("clipboard", interface="android.content.IClipboard")  # Android dumps nothing about it
Service("content", interface="android.content.IContentService")
Service("permission", interface="android.os.IPermissionController")


@role.dump
def dump_roles(ctx: Context, _: list[str]) -> str:
    """List the roles and their holders."""
    rows = [fill("role_one", role=role, holders=_holders(ctx, role)) for role in ROLES]
    return fill("role", roles="".join(rows))


@role.command("get-role-holders")
def get_holders(ctx: Context, args: Arguments) -> str:
    """Print the holder of a role."""
    return f"{_holders(ctx, _role(args))}\n"


@role.command("add-role-holder")
def add_holder(ctx: Context, args: Arguments) -> None:
    """Assign a role to a qualifying app, replacing its holder."""
    role, package = _role(args), args.required()
    intent = ROLES.get(role)
    for app, kind in ctx.phone.packages.resolve(intent) if intent else ():
        if app.package == package and intent:
            ctx.phone.defaults.remember(intent, kind.component(package))
            if role == SMS_NAME:
                ctx.phone.settings.put("secure", SMS_APP, package)
            return
    raise JavaError("java.util.concurrent.ExecutionException", "java.lang.RuntimeException: Failed")


@role.command("remove-role-holder", "clear-role-holders")
def clear_holders(ctx: Context, args: Arguments) -> None:
    """Remove an app from all roles that were assigned to it."""
    if package := _holders(ctx, _role(args)):
        ctx.phone.defaults.forget(package)
        if ctx.phone.settings.text("secure", SMS_APP) == package:
            ctx.phone.settings.delete("secure", SMS_APP)


def _role(args: Arguments) -> str:
    args.options()
    return args.required()


def _holders(ctx: Context, role: str) -> str:
    """Return the app that handles the role's intent by default, or ""."""
    intent = ROLES.get(role)
    found = ctx.phone.packages.resolve(intent) if intent else []
    chosen = ctx.phone.defaults.choose(intent, found) if intent and found else None
    return chosen[0].package if chosen else ""


@jobs.command("run", "get-job-state", "timeout", "stop", "cancel")
def find_job(ctx: Context, args: Arguments) -> None:
    """Look up a job, which always fails: apps on this phone cannot schedule jobs."""
    args.options(("-u", "--user", "-n", "--namespace"), None)
    name, job = args.required(), args.required()
    if name not in ctx.phone.packages:
        raise Refused(f"Package not found: {name} / user 0", NO_PACKAGE)
    raise Refused(f"Could not find job {job} in package {name} / user 0", NO_JOB)


@jobs.command("get-battery-charging", "get-battery-not-low", "get-storage-not-low")
def condition(ctx: Context, args: Arguments) -> str:
    """Print whether a condition for jobs is met."""
    power, files = ctx.phone.power, ctx.phone.files
    holds = {
        "get-battery-charging": power.charging,
        "get-battery-not-low": power.level > LOW,
        "get-storage-not-low": files.used < files.capacity * 0.95,
    }
    return f"{str(holds[args.last]).lower()}\n"


@web_view.command("set-webview-implementation")
def choose_web_view(_ctx: Context, args: Arguments) -> str:
    """Choose the package that provides web views; there is only one."""
    wanted = args.required()
    if wanted != WEB_VIEW:
        words = f"Failed to switch to {wanted}, the WebView implementation is now provided by"
        raise Refused(f"{words} {WEB_VIEW}.", 1, out=True)
    return "Success\n"


@Service("accessibility", interface="android.view.accessibility.IAccessibilityManager").dump
def accessibility(ctx: Context, _: list[str]) -> str:
    """Print the enabled and the bound accessibility services."""
    services, settings = ctx.phone.accessibility_services, ctx.phone.settings
    return fill(
        "accessibility",
        bound=", ".join(f"Service[label={each.partition('/')[2]}]" for each in services.bound),
        enabled=", ".join(f"{{{each}}}" for each in services.enabled()),
        touch=settings.on("secure", "touch_exploration_enabled"),
        zoom=settings.on("secure", "accessibility_display_magnification_enabled"),
        count=len(services.enabled()),
    )


appops = Service("appops", script="appops", interface="com.android.internal.app.IAppOpsService")


@appops.command("get")
def get(ctx: Context, args: Arguments) -> str:
    """Print the modes of an app's operations, or of a single operation."""
    name, wanted = _package(ctx, args), args.next()
    op, modes = _op(wanted) if wanted else "", ctx.phone.permissions.modes(name)
    if shown := "".join(f"{key}: {modes[key]}\n" for key in modes if op in ("", key)):
        return shown
    default = f"Default mode: {default_mode(op)}\n" if op else ""
    return f"No operations.\n{default}"


@appops.command("set")
def set_(ctx: Context, args: Arguments) -> None:
    """Set the mode of an operation."""
    name, op, mode = _package(ctx, args), _op(args.next()), args.next() or ""
    if mode.lower() not in MODES:
        raise Refused(f"Error: Mode is not valid: {mode}" if mode else "Error: Mode not specified.")
    ctx.phone.permissions.set_mode(name, op, mode.lower())


@appops.command("query-op")
def query(ctx: Context, args: Arguments) -> str:
    """Print the apps for which an operation is in a mode, if that has been set."""
    args.options(("--user",))
    op, mode, kept = _op(args.next()), args.next() or "allow", ctx.phone.permissions
    found = [each for each in ctx.phone.packages.names() if kept.modes(each).get(op) == mode]
    return "".join(f"{each}\n" for each in found) or "No operations.\n"


def _package(ctx: Context, args: Arguments) -> str:
    args.options(("--attribution", "--user"), ("--uid",))
    name = args.next()
    if not name:
        raise Refused("Error: Package name not specified.")
    if name not in ctx.phone.packages:
        raise Refused(f"Error: No UID for {name} in user 0")
    return name


def _op(text: str | None) -> str:
    if not text:
        raise Refused("Error: Operation not specified.")
    name = text.removeprefix("android:").upper()
    if name not in (*OPS, *PLAIN_OPS):
        raise Refused(f"Error: Unknown operation string: {text}")
    return name


locales = Service("locale")


@locales.command("set-app-locales")
def set_app_locales(ctx: Context, args: Arguments) -> None:
    """Set an app's own languages."""
    package, options = _parse(ctx, args)
    try:
        tags = [normal(tag) for tag in options.get("--locales", "").split(",") if tag]
    except ValueError:
        tags = []  # with an invalid tag, no languages are set
    ctx.phone.locales.set_own(package, tags)


@locales.command("get-app-locales")
def get_app_locales(ctx: Context, args: Arguments) -> str:
    """Print the languages set for an app."""
    package, _ = _parse(ctx, args)
    tags = ",".join(ctx.phone.locales.own(package))
    return f"Locales for {package} for user 0 are [{tags}]\n"


def _parse(ctx: Context, args: Arguments) -> tuple[str, dict[str, str]]:
    package = args.next()
    if package is None:
        raise Refused("Error: no package specified")
    options: dict[str, str] = {}
    while option := args.option():
        if option not in ("--user", "--locales", "--delegate"):
            raise Refused(f"Error: Unknown option: {option}")
        options[option] = args.next() or ""
    if package not in ctx.phone.packages:
        raise Refused(f"Unknown package {package} for userId 0", 0)
    return package, options
