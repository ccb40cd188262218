"""screencap and uiautomator: the screen as a picture, and as a hierarchy."""

from __future__ import annotations

import asyncio
import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.rootfs import SHARED
from pytest_mobileagent.virtual.shell.android.service import fill, help_text
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.system.window.display import DISPLAY

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent

RGBA_8888, SRGB = 1, 1
DEFAULT_DUMP = "/sdcard/window_dump.xml"


@command("screencap")
async def screencap(ctx: Context, args: list[str]) -> int:
    """Save or print a screenshot."""
    png, files, words = False, [], list(args)
    while words:
        word = words.pop(0)
        if word == "-p":
            png = True
        elif word == "-d":
            if (display := words.pop(0) if words else "") != DISPLAY:
                await ctx.err(f"Display Id '{display}' is not valid.\n")
                return 1
        elif word.startswith("-"):
            await ctx.err(help_text("screencap"))
            return 1
        else:
            files.append(word)
    if len(files) > 1:
        await ctx.err(help_text("screencap"))
        return 1
    as_png = png or (files and files[0].endswith(".png"))
    data = ctx.phone.screenshot() if as_png else _raw(ctx)
    if not files:
        await ctx.out(data)
        return 0
    try:
        await _save(ctx, files[0], data, mode=0o664)
    except OSError as error:
        await ctx.err(f"Error opening file: {files[0]} ({error.strerror})\n")
        return 1
    return 0


def _raw(ctx: Context) -> bytes:
    width, height, pixels = ctx.phone.raw_screenshot()
    return struct.pack("<4I", width, height, RGBA_8888, SRGB) + pixels


@command("uiautomator")
async def uiautomator(ctx: Context, args: list[str]) -> int:
    """Dump the hierarchy, or follow the accessibility events."""
    match args:
        case ["dump", *words]:
            return await _dump(ctx, words)
        case ["events", *_]:
            return await _events(ctx)
        case _:
            await ctx.err(help_text("uiautomator"))
            return 0


async def _dump(ctx: Context, words: list[str]) -> int:
    compressed = "--compressed" in words
    files = [word for word in words if not word.startswith("-")]
    if ctx.phone.ui_automation.owner:  # the one connection to accessibility is taken
        await ctx.err("Killed\n")
        return 137
    faults = ctx.phone.faults
    if fault := faults.strikes("no-idle"):
        await asyncio.sleep(fault.seconds)
        await ctx.err("ERROR: could not get idle state.\n")
        return 0
    if faults.strikes("null-root") or not ctx.phone.power.awake:
        await ctx.err("ERROR: null root node returned by UiTestAutomationBridge.\n")
        return 0
    path = ctx.path(files[0]) if files else DEFAULT_DUMP
    tree = faults.tree(ctx.phone.dump(compressed))
    if faults.strikes("empty-dump"):
        tree = ""
    try:
        await _save(ctx, path, tree.encode(), mode=0o600)
    except OSError as error:
        ctx.phone.log.write("E", "AccessibilityNodeInfoDumper", f"failed to dump window: {error}")
    await ctx.out(f"UI hierchary dumped to: {path}\n")
    return 0


async def _save(ctx: Context, name: str, data: bytes, mode: int) -> None:
    """Write a file; a new one has the mode, except in shared storage, which has its own."""
    path = ctx.path(name)
    if not path.startswith("/dev/") and not ctx.files.exists(name):
        ctx.files.write(name, b"")
        if not ctx.files.resolve(name).startswith(SHARED):
            ctx.files.chmod(name, mode)
    await ctx.save(name, data)


async def _events(ctx: Context) -> int:
    if ctx.phone.ui_automation.owner:
        await ctx.err("Killed\n")
        return 137
    with ctx.phone.ui_automation.connect("uiautomator", suppress=True):
        return await _print_events(ctx)


def printed(event: AccessibilityEvent) -> str:
    """Write an event as its `toString` does."""
    lists = {
        name: f"[{', '.join(getattr(event, name))}]"
        for name in ("text", "content_change_types", "window_change_types")
    }
    return fill("accessibility_event", event=event, **lists)


async def _print_events(ctx: Context) -> int:
    arrived: asyncio.Queue[str] = asyncio.Queue()
    unsubscribe = ctx.phone.events.subscribe(lambda event: arrived.put_nowait(printed(event)))
    try:
        while True:
            event = await arrived.get()
            now = ctx.phone.clock.now()
            await ctx.out(f"{_stamp(now)} {event}")
    finally:
        unsubscribe()


def _stamp(now: datetime) -> str:
    return f"{now:%m-%d %H:%M:%S}.{now.microsecond // 1000:03}"
