"""pm resolve-activity and query-activities: who would answer an intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.intent import short
from pytest_mobileagent.virtual.shell.android.intents import parse_intent
from pytest_mobileagent.virtual.shell.android.pm import package

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.android.service import Arguments
    from pytest_mobileagent.virtual.shell.commands import Context

MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"


@package.command("resolve-activity")
async def resolve_activity(ctx: Context, args: Arguments) -> int:
    """Tell which activity would answer an intent."""
    found, options = _resolve(ctx, args)
    if not found:
        await ctx.out("No activity found\n")
        return 0
    name = found[0] if len(found) == 1 else "android/com.android.internal.app.ResolverActivity"
    head = "" if "--components" in options else f"{MATCH}\n"
    await ctx.out(f"{head}{name}\n")
    return 0


@package.command("query-activities")
async def query_activities(ctx: Context, args: Arguments) -> int:
    """List the activities that would answer an intent."""
    found, options = _resolve(ctx, args)
    if not found:
        await ctx.out("No activities found\n")
    elif "--components" in options:
        await ctx.out("".join(f"{name}\n" for name in found))
    else:
        await ctx.out(f"{len(found)} activities found:\n")
        for at, name in enumerate(found):
            await ctx.out(f"  Activity #{at}:\n    {MATCH}\n    {name}\n")
    return 0


def _resolve(ctx: Context, args: Arguments) -> tuple[list[str], set[str]]:
    options: set[str] = set()

    def own(option: str, args: Arguments) -> bool:
        if option == "--user":
            args.required()
        elif option not in ("--brief", "--components", "--query-flags"):
            return False
        options.add(option)
        return True

    intent = parse_intent(args, own)
    found = ctx.phone.packages.resolve(intent)
    return [short(kind.component(app.package)) for app, kind in found], options
