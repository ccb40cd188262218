"""Java programs: app_process, which knows uiautomator2's server and yadb, and monkey."""

from __future__ import annotations

import asyncio
import io
import random
import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import dropwhile
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, Intent, launch
from pytest_mobileagent.virtual.shell.android.service import Arguments, help_text
from pytest_mobileagent.virtual.shell.commands import Context, Refused, command
from pytest_mobileagent.virtual.shell.limits import breathe
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.automation.jsonrpc.server import Server

    Main = Callable[[Context, list[str]], Awaitable[None]]

ABORTED = 134
PICTURE = "/data/local/tmp/yadb_screenshot.png"
UIAUTOMATOR2 = "com.wetest.uia2.Main"
CLASS_PATH = "-Djava.class.path="
DEFAULT_PORT = 9008
USAGE = """Error: no class name or --zygote supplied.
Usage: app_process [java-options] cmd-dir start-class-name [options]"""


@command("app_process", "app_process64")
async def app_process(ctx: Context, args: list[str]) -> None:
    """Run the main class, whose name follows the options and a folder."""
    words = [*dropwhile(lambda word: word.startswith("-"), args)]
    if len(words) < 2:
        raise Refused(USAGE, ABORTED)
    name = words[1]
    main = MAINS.get(name)
    if main is None or not any(_has(ctx, jar, name) for jar in _class_path(ctx, args)):
        ctx.phone.log.write("E", "AndroidRuntime", f"Class not found: {name}", pid=ctx.pid)
        raise Refused("Aborted ", ABORTED)
    await main(ctx, words[2:])


def _class_path(ctx: Context, args: list[str]) -> list[str]:
    given = [word.removeprefix(CLASS_PATH) for word in args if word.startswith(CLASS_PATH)]
    path = given[-1] if given else ctx.env.get("CLASSPATH", "")
    return [each for each in path.split(":") if each]


def _has(ctx: Context, jar: str, name: str) -> bool:
    """Return whether the code in an archive contains a class."""
    try:
        return _mentions(ctx.files.read(jar), f"L{name.replace('.', '/')};".encode())
    except (OSError, zipfile.BadZipFile):
        return False


@lru_cache(2)
def _mentions(data: bytes, name: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        codes = (each for each in archive.namelist() if each.endswith(".dex"))
        return any(name in archive.read(each) for each in codes)


async def uiautomator2(ctx: Context, args: list[str]) -> None:
    """Run uiautomator2's server until the client that started it hangs up."""
    from pytest_mobileagent.virtual.automation.jsonrpc.server import Server  # seldom used

    given = args[args.index("-p") + 1] if "-p" in args[:-1] else str(DEFAULT_PORT)
    if not given.isdecimal() or not 0 < int(given) < 1 << 16:
        raise Refused(f"[server] ERROR: Invalid port: {given}. Must be between 1 and 65535.", 1)
    await ctx.out("[server] INFO: [UiAutomator2Server] Starting Server\n")
    try:
        with ctx.phone.ui_automation.connect(UIAUTOMATOR2):
            await _serve(ctx, Server(ctx.phone, int(given)), int(given))
    except AlreadyRegistered as error:
        service = "UiAutomationService android.accessibilityservice.IAccessibilityServiceClient"
        owner = f"{service}$Stub$Proxy@{id(error):x}"
        raise Refused(f"java.lang.IllegalStateException: {owner}already registered!", 1) from error
    except OSError as error:
        why = f"bind failed: EADDRINUSE ({error})"
        raise Refused(f"java.net.BindException: {why}", 1) from error


async def _serve(ctx: Context, server: Server, port: int) -> None:
    server.start()
    try:
        await ctx.out(f"[server] INFO: http server listening on *:{port}\n")
        await ctx.read_all()
        await ctx.out(b"\n")  # fails once the client has hung up
        await asyncio.Event().wait()
    finally:
        server.stop()


async def yadb(ctx: Context, args: list[str]) -> None:
    """Run the requested action of yadb, which agents push to a phone to type any text."""
    match args:
        case ["-keyboard", text, *_]:
            ctx.phone.clipboard.text = text.replace("\\n", "\n")
            await ctx.run(["input", "keycombination", "CTRL_LEFT", "V"])
            await ctx.out("Copy text:true\n")
        case ["-keyboardClear", *_]:
            await ctx.run(["input", "keycombination", "CTRL_LEFT", "A"])
            await ctx.run(["input", "keyevent", "DEL"])
        case ["-touch", x, y, duration]:
            await ctx.run(["input", "swipe", x, y, x, y, duration])
        case ["-touch", x, y]:
            await ctx.run(["input", "tap", x, y])
        case ["-pinch", x, y, start, end, _]:
            try:
                ctx.phone.pinch(float(x), float(y), float(end) / float(start))
            except (ValueError, ZeroDivisionError) as error:
                await ctx.out(f"MainException: java.lang.NumberFormatException: {error}\n")
        case ["-screenshot", *rest]:
            picture = rest[0] if rest else PICTURE
            await ctx.run(["screencap", "-p", picture])
            await ctx.out(f"screenshot success:{picture}\n")
        case _:
            await ctx.out("Invalid argument\n")


MAINS: dict[str, Main] = {UIAUTOMATOR2: uiautomator2, "com.ysbing.yadb.Main": yadb}


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
async def monkey(ctx: Context, words: list[str]) -> str:
    """Start one of the packages, and send the requested number of events."""
    echo = "".join(f"  bash arg: {word}\n" for word in words)
    echo += f"args: [{', '.join(words)}]\n" + "".join(f' arg: "{word}"\n' for word in words)
    await ctx.out(echo)
    plan = _parse(Arguments([part for word in words for part in _split(word)]))
    intents = [
        Intent(MAIN, package=package, categories=(category,))
        for package in plan.packages or [""]
        for category in plan.categories or [LAUNCHER]
    ]
    found = [each for intent in intents for each in ctx.phone.packages.resolve(intent)]
    if not found:
        raise Refused("** No activities found to run, monkey aborted.", NO_ACTIVITIES)
    if plan.verbose:
        await ctx.out(f":Monkey: seed={plan.seed} count={plan.count}\n")
    try:
        await _run(ctx, plan, [kind.component(app.package) for app, kind in found])
    finally:  # as Android's monkey does, it ends with a rotation that does not persist
        ctx.phone.display.lock_rotation(0)
        ctx.phone.display.free_rotation()
    return (
        f"Events injected: {plan.count}\n"
        "## Network stats: elapsed time=4ms (0ms mobile, 0ms wifi, 4ms not connected)\n"
    )


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
