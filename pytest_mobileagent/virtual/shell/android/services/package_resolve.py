"""pm resolve-activity and query-activities: who would answer an intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.choosing import RESOLVER
from pytest_mobileagent.virtual.content.intent import short
from pytest_mobileagent.virtual.shell.android.intents import parse_intent
from pytest_mobileagent.virtual.shell.android.services.package import service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.android.service import Arguments, Context

MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"


@service.command("resolve-activity")
def resolve_activity(ctx: Context, args: Arguments) -> str:
    """Tell which activity would answer an intent."""
    intent, options = parse_intent(args, ("--user",), ("--brief", "--components", "--query-flags"))
    found = ctx.phone.packages.resolve(intent)
    if not found:
        return "No activity found\n"
    chosen = ctx.phone.defaults.choose(intent, found)
    name = short(chosen[1].component(chosen[0].package)) if chosen else RESOLVER
    head = "" if "--components" in options else f"{MATCH}\n"
    return f"{head}{name}\n"


@service.command("query-activities")
async def query_activities(ctx: Context, args: Arguments) -> None:
    """List the activities that would answer an intent."""
    intent, options = parse_intent(args, ("--user",), ("--brief", "--components", "--query-flags"))
    answers = ctx.phone.packages.resolve(intent)
    found = [short(kind.component(app.package)) for app, kind in answers]
    if not found:
        await ctx.out("No activities found\n")
    elif "--components" in options:
        await ctx.out("".join(f"{name}\n" for name in found))
    else:
        await ctx.out(f"{len(found)} activities found:\n")
        for at, name in enumerate(found):
            await ctx.out(f"  Activity #{at}:\n    {MATCH}\n    {name}\n")
