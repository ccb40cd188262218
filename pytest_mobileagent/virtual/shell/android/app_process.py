"""app_process: runs a Java program; those whose work this phone can do are known by their class."""

from __future__ import annotations

import asyncio
import io
import zipfile
from functools import lru_cache
from itertools import dropwhile
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.yadb import yadb
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.automation.jsonrpc.server import Server

    Main = Callable[[Context, list[str]], Awaitable[int]]

ABORTED = 134
UIAUTOMATOR2 = "com.wetest.uia2.Main"
CLASS_PATH = "-Djava.class.path="
DEFAULT_PORT = 9008


@command("app_process", "app_process64")
async def app_process(ctx: Context, args: list[str]) -> int:
    """Run the main class that is named after the options and a folder."""
    words = [*dropwhile(lambda word: word.startswith("-"), args)]
    if len(words) < 2:
        await ctx.err("Error: no class name or --zygote supplied.\nUsage: app_process ")
        await ctx.err("[java-options] cmd-dir start-class-name [options]\n")
        return ABORTED
    name = words[1]
    main = MAINS.get(name)
    if main is None or not any(_has(ctx, jar, name) for jar in _class_path(ctx, args)):
        await ctx.err("Aborted \n")
        line = f"Class not found: {name}"
        ctx.phone.log.write("E", "AndroidRuntime", line, pid=ctx.pid)
        return ABORTED
    return await main(ctx, words[2:])


def _class_path(ctx: Context, args: list[str]) -> list[str]:
    given = [word.removeprefix(CLASS_PATH) for word in args if word.startswith(CLASS_PATH)]
    path = given[-1] if given else ctx.env.get("CLASSPATH", "")
    return [each for each in path.split(":") if each]


def _has(ctx: Context, jar: str, name: str) -> bool:
    """Tell whether the code in an archive has a class."""
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
    """Serve the uiautomator2 package until whoever has started it hangs up."""
    from pytest_mobileagent.virtual.automation.jsonrpc.server import (  # noqa: PLC0415 - seldom used
        Server,
    )

    given = args[args.index("-p") + 1] if "-p" in args[:-1] else str(DEFAULT_PORT)
    if not given.isdecimal() or not 0 < int(given) < 1 << 16:
        await ctx.err(f"[server] ERROR: Invalid port: {given}. Must be between 1 and 65535.\n")
        return 1
    await ctx.out("[server] INFO: [UiAutomator2Server] Starting Server\n")
    try:
        with ctx.phone.ui_automation.connect(UIAUTOMATOR2):
            await _serve(ctx, Server(ctx.phone, int(given)), int(given))
    except AlreadyRegistered as error:
        service = "UiAutomationService android.accessibilityservice.IAccessibilityServiceClient"
        await ctx.err(f"java.lang.IllegalStateException: {service}$Stub$Proxy@{id(error):x}")
        await ctx.err("already registered!\n")
        return 1
    except OSError as error:
        await ctx.err(f"java.net.BindException: bind failed: EADDRINUSE ({error})\n")
        return 1
    return 0


async def _serve(ctx: Context, server: Server, port: int) -> None:
    server.start()
    try:
        await ctx.out(f"[server] INFO: http server listening on *:{port}\n")
        await ctx.stdin.read_all()
        await ctx.out(b"\n")  # whoever has hung up does not take it
        await asyncio.Event().wait()
    finally:
        server.stop()


MAINS: dict[str, Main] = {UIAUTOMATOR2: uiautomator2, "com.ysbing.yadb.Main": yadb}
