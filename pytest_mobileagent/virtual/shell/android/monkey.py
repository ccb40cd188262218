"""monkey: starts an app, its most frequent use, and sends random touches."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, Intent, launch
from pytest_mobileagent.virtual.shell.android.service import Arguments, help_text
from pytest_mobileagent.virtual.shell.commands import Context, Refused, command
from pytest_mobileagent.virtual.shell.limits import breathe

NO_ACTIVITIES = 252
SWIPES = 0.3  # share of swipes among the events; the rest are taps


@dataclass(slots=True)
class Plan:
    """The parsed arguments of a call."""

    packages: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    seed: int = 0
    verbose: bool = False
    count: int = 0


@command("monkey")
async def monkey(ctx: Context, words: list[str]) -> int:
    """Start one of the packages, and send the requested number of events."""
    echo = "".join(f"  bash arg: {word}\n" for word in words)
    echo += f"args: [{', '.join(words)}]\n" + "".join(f' arg: "{word}"\n' for word in words)
    await ctx.out(echo)
    plan = _parse(Arguments([part for word in words for part in _split(word)]))
    components = _entries(ctx, plan)
    if not components:
        raise Refused("** No activities found to run, monkey aborted.", NO_ACTIVITIES)
    if plan.verbose:
        await ctx.out(f":Monkey: seed={plan.seed} count={plan.count}\n")
    try:
        await _run(ctx, plan, components)
    finally:  # as Android's monkey does, it ends with a rotation that does not persist
        ctx.phone.display.lock_rotation(0)
        ctx.phone.display.free_rotation()
    await ctx.out(
        f"Events injected: {plan.count}\n"
        "## Network stats: elapsed time=4ms (0ms mobile, 0ms wifi, 4ms not connected)\n"
    )
    return 0


def _split(word: str) -> list[str]:
    """Separate an option from a value attached to its letter, as in -pPACKAGE."""
    return [word[:2], word[2:]] if word[:2] in ("-p", "-c", "-s") and word[2:] else [word]


def _parse(args: Arguments) -> Plan:
    plan = Plan()
    while option := args.option():
        if option == "-v":
            plan.verbose = True
        elif option == "-p":
            plan.packages.append(args.next() or "")
        elif option == "-c":
            plan.categories.append(args.next() or "")
        elif option == "-s":
            plan.seed = _number("Seed", args.next())
        elif option == "--throttle" or option.startswith("--pct-"):
            args.next()  # throttling and other events are not supported
        elif not option.startswith("--ignore-"):
            raise _wrong(f"Unknown option: {option}")
    plan.count = _number("Count", args.next())
    return plan


def _number(name: str, word: str | None) -> int:
    if word is None or not word.isdecimal():
        raise _wrong(f"{name} {'not specified' if word is None else 'is not a number'}")
    return int(word)


def _wrong(problem: str) -> Refused:
    return Refused(f"** Error: {problem}\n{help_text('monkey')}")


def _entries(ctx: Context, plan: Plan) -> list[str]:
    """Return the activities that can be started with the packages and categories."""
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
    """Start an app and send random events, but only to apps that are allowed."""
    phone, chance = ctx.phone, random.Random(plan.seed)
    phone.activities.start(launch(chance.choice(components)), uid=ctx.uid)
    for _ in range(plan.count - 1):
        await breathe()
        if plan.packages and phone.activities.top.package not in plan.packages:
            continue
        _, _, width, height = phone.display.metrics.screen
        points = [chance.randrange(limit) for limit in (width, height, width, height)]
        if chance.random() < SWIPES:
            phone.swipe(*points)
        else:
            phone.tap(*points[:2])
