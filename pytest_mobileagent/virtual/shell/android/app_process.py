"""app_process: runs a Java program; this phone knows uiautomator2's server and yadb."""

from __future__ import annotations

import asyncio
import io
import zipfile
from functools import lru_cache
from itertools import dropwhile
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Refused, command
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.automation.jsonrpc.server import Server

    Main = Callable[[Context, list[str]], Awaitable[int]]

ABORTED = 134
PICTURE = "/data/local/tmp/yadb_screenshot.png"
UIAUTOMATOR2 = "com.wetest.uia2.Main"
CLASS_PATH = "-Djava.class.path="
DEFAULT_PORT = 9008
USAGE = """Error: no class name or --zygote supplied.
Usage: app_process [java-options] cmd-dir start-class-name [options]"""


@command("app_process", "app_process64")
async def app_process(ctx: Context, args: list[str]) -> int:
    """Run the main class, whose name follows the options and a folder."""
    words = [*dropwhile(lambda word: word.startswith("-"), args)]
    if len(words) < 2:
        raise Refused(USAGE, ABORTED)
    name = words[1]
    main = MAINS.get(name)
    if main is None or not any(_has(ctx, jar, name) for jar in _class_path(ctx, args)):
        ctx.phone.log.write("E", "AndroidRuntime", f"Class not found: {name}", pid=ctx.pid)
        raise Refused("Aborted ", ABORTED)
    return await main(ctx, words[2:])


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


async def uiautomator2(ctx: Context, args: list[str]) -> int:
    """Run uiautomator2's server until the client that started it hangs up."""
    from pytest_mobileagent.virtual.automation.jsonrpc.server import (  # seldom used
        Server,
    )

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
        words = f"java.net.BindException: bind failed: EADDRINUSE ({error})"
        raise Refused(words, 1) from error
    return 0


async def _serve(ctx: Context, server: Server, port: int) -> None:
    server.start()
    try:
        await ctx.out(f"[server] INFO: http server listening on *:{port}\n")
        await ctx.read_all()
        await ctx.out(b"\n")  # fails once the client has hung up
        await asyncio.Event().wait()
    finally:
        server.stop()


async def yadb(ctx: Context, args: list[str]) -> int:
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
    return 0


MAINS: dict[str, Main] = {UIAUTOMATOR2: uiautomator2, "com.ysbing.yadb.Main": yadb}
