"""monkey: as most people use it, to start an app; and random touches."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, Intent, launch
from pytest_mobileagent.virtual.shell.android.service import FAILED, help_text
from pytest_mobileagent.virtual.shell.commands import Context, command

WITH_VALUE = ("--throttle", "--kill-process-after-error", "--setup", "--port", "-f")
NO_ACTIVITIES = 252
SWIPES = 0.3  # share of events that are swipes; the others are taps


@dataclass(slots=True)
class Plan:
    """What the words of a call ask for."""

    packages: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    seed: int = 0
    verbose: int = 0
    count: str = ""


@command("monkey")
async def monkey(ctx: Context, args: list[str]) -> int:
    """Start one of the packages, and send as many events as asked for."""
    echo = "".join(f"  bash arg: {word}\n" for word in args)
    echo += f"args: [{', '.join(args)}]\n" + "".join(f' arg: "{word}"\n' for word in args)
    await ctx.out(echo)
    plan = Plan()
    if unknown := _parse(args, plan):
        await ctx.err(f"** Error: Unknown option: {unknown}\n{help_text('monkey')}")
        return FAILED
    if not plan.count.isdecimal():
        what = "is not a number" if plan.count else "not specified"
        await ctx.err(f"** Error: Count {what}\n{help_text('monkey')}")
        return FAILED
    components = _entries(ctx, plan)
    if not components:
        await ctx.err("** No activities found to run, monkey aborted.\n")
        return NO_ACTIVITIES
    await _run(ctx, plan, components)
    return 0


def _parse(args: list[str], plan: Plan) -> str:
    """Read the words into the plan; give the option that is unknown, if one is."""
    words = list(args)
    while words:
        word = words.pop(0)
        value = words.pop(0) if words and word in ("-p", "-c", "-s", *WITH_VALUE) else ""
        if word == "-p":
            plan.packages.append(value)
        elif word == "-c":
            plan.categories.append(value)
        elif word == "-s":
            plan.seed = int(value) if value.lstrip("-").isdecimal() else 0
        elif word == "-v":
            plan.verbose += 1
        elif word.startswith("--pct-"):
            words = words[1:]
        elif not word.startswith("-"):
            plan.count = word
        elif word not in WITH_VALUE and not word.startswith(("--ignore-", "--hprof", "--dbg")):
            return word
    return ""


def _entries(ctx: Context, plan: Plan) -> list[str]:
    """Give the activities that the packages and categories allow as a start."""
    intents = [
        Intent(MAIN, package=package, categories=(category,))
        for package in plan.packages or [""]
        for category in plan.categories or [LAUNCHER]
    ]
    return [
        kind.component(app.package)
        for intent in intents
        for app, kind in ctx.phone.packages.resolve(intent)
    ]


async def _run(ctx: Context, plan: Plan, components: list[str]) -> None:
    count, chance = int(plan.count), random.Random(plan.seed)
    if plan.verbose:
        await ctx.out(f":Monkey: seed={plan.seed} count={count}\n")
        await ctx.out("".join(f":AllowPackage: {name}\n" for name in plan.packages))
        await ctx.out("".join(f":IncludeCategory: {name}\n" for name in plan.categories))
    intent = launch(chance.choice(components))
    if plan.verbose:
        await ctx.out(
            f":Switch: #Intent;action={intent.action};category={LAUNCHER};"
            f"launchFlags={intent.flags:#x};component={intent.component};end\n"
        )
    ctx.phone.activities.start(intent, uid=ctx.uid)
    for _ in range(count - 1):
        _touch(ctx, chance, plan.packages)
    await ctx.out(
        f"Events injected: {count}\n"
        "## Network stats: elapsed time=4ms (0ms mobile, 0ms wifi, 4ms not connected)\n"
    )
    if plan.verbose:
        await ctx.out("// Monkey finished\n")


def _touch(ctx: Context, chance: random.Random, packages: list[str]) -> None:
    """Send one random event, unless it would go to an app that is not allowed."""
    if packages and ctx.phone.activities.top.package not in packages:
        return
    _, _, width, height = ctx.phone.display.metrics.screen
    points = [chance.randrange(limit) for limit in (width, height, width, height)]
    if chance.random() < SWIPES:
        ctx.phone.swipe(*points)
    else:
        ctx.phone.tap(*points[:2])
