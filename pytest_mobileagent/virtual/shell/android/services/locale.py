"""cmd locale: the languages of individual apps."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.locales import normal

service = Service("locale")


@service.command("set-app-locales")
def set_app_locales(ctx: Context, args: Arguments) -> None:
    """Set an app's own languages."""
    package, options = _parse(ctx, args)
    try:
        tags = [normal(tag) for tag in options.get("--locales", "").split(",") if tag]
    except ValueError:
        tags = []  # with an invalid tag, no languages are set
    ctx.phone.locales.set_own(package, tags)


@service.command("get-app-locales")
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
