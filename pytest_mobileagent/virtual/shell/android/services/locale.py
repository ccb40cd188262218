"""cmd locale: the languages of single apps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import FAILED, Answer, Arguments, Service
from pytest_mobileagent.virtual.system.locales import normal

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

HELP = """Locale manager (locale) shell commands:
  help
      Print this help text.
  set-app-locales <PACKAGE_NAME> [--user <USER_ID>] [--locales <LOCALE_INFO>]
      Set the locales for the specified app. None if no locales are given.
  get-app-locales <PACKAGE_NAME> [--user <USER_ID>]
      Get the locales for the specified app."""
service = Service("locale", HELP)


@service.command("set-app-locales")
async def set_app_locales(ctx: Context, args: Arguments) -> int:
    """Give an app languages of its own."""
    package, options = await _parse(ctx, args)
    if package is None:
        return FAILED
    try:
        tags = [normal(tag) for tag in options.get("--locales", "").split(",") if tag]
    except ValueError:
        tags = []  # what is no tag is no language
    if package in ctx.phone.packages:
        ctx.phone.locales.set_own(package, tags)
    else:
        await ctx.err(f"Unknown package {package} for userId 0\n")
    return 0


@service.command("get-app-locales")
async def get_app_locales(ctx: Context, args: Arguments) -> Answer:
    """Tell the languages of an app."""
    package, _ = await _parse(ctx, args)
    if package is None:
        return FAILED
    if package not in ctx.phone.packages:
        await ctx.err(f"Unknown package {package} for userId 0\n")
        return 0
    tags = ",".join(ctx.phone.locales.own(package))
    return f"Locales for {package} for user 0 are [{tags}]\n"


async def _parse(ctx: Context, args: Arguments) -> tuple[str | None, dict[str, str]]:
    package = args.next()
    if package is None:
        await ctx.err("Error: no package specified\n")
        return None, {}
    options: dict[str, str] = {}
    while option := args.option():
        if option not in ("--user", "--locales", "--delegate"):
            await ctx.err(f"Error: Unknown option: {option}\n")
            return None, {}
        options[option] = args.next() or ""
    return package, options
