"""screencap and uiautomator: the screen as a picture, and as a hierarchy."""

from __future__ import annotations

import asyncio
import struct
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.files import SHARED
from pytest_mobileagent.virtual.shell.android.service import fill, help_text
from pytest_mobileagent.virtual.shell.commands import Context, Refused, UsageError, command, parse
from pytest_mobileagent.virtual.system.configuration import DISPLAY

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent

RGBA_8888, SRGB = 1, 1
KILLED = 137
DEFAULT_DUMP = "/sdcard/window_dump.xml"


@command("screencap")
async def screencap(ctx: Context, args: list[str]) -> int:
    """Save or print a screenshot."""
    try:
        options = parse(args, "pd:", most=1)
    except UsageError as error:
        raise Refused(help_text("screencap"), 1) from error
    if (display := options.get("d", DISPLAY)) != DISPLAY:
        raise Refused(f"Display Id '{display}' is not valid.", 1)
    if ctx.phone.faults.strikes("no-screenshot"):
        raise Refused("Failed to take screenshot. Status: -1\nCapturing failed.", 1)
    name = options.rest[0] if options.rest else ""
    data = ctx.phone.screenshot() if "p" in options or name.endswith(".png") else _raw(ctx)
    if not name:
        await ctx.out(data)
        return 0
    try:
        await _save(ctx, name, data, mode=0o664)
    except OSError as error:
        raise Refused(f"Error opening file: {name} ({error.strerror})", 1) from error
    return 0


def _raw(ctx: Context) -> bytes:
    width, height, pixels = ctx.phone.raw_screenshot()
    return struct.pack("<4I", width, height, RGBA_8888, SRGB) + pixels


@command("uiautomator")
async def uiautomator(ctx: Context, args: list[str]) -> int:
    """Dump the hierarchy, or print accessibility events."""
    match args:
        case ["dump", *words]:
            return await _dump(ctx, words)
        case ["events", *_]:
            return await _events(ctx)
        case _:
            raise Refused(help_text("uiautomator"), 0)


async def _dump(ctx: Context, words: list[str]) -> int:
    compressed = "--compressed" in words
    files = [word for word in words if not word.startswith("-")]
    if ctx.phone.ui_automation.owner:  # the only connection to accessibility is in use
        raise Refused("Killed", KILLED)
    faults = ctx.phone.faults
    if fault := faults.strikes("no-idle"):
        await asyncio.sleep(fault.seconds)
        raise Refused("ERROR: could not get idle state.", 0)
    if faults.strikes("null-root") or not ctx.phone.power.awake:
        raise Refused("ERROR: null root node returned by UiTestAutomationBridge.", 0)
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
    """Write a file; a new file gets the mode, except in shared storage, which has its own."""
    path = ctx.path(name)
    if not path.startswith("/dev/") and not ctx.files.exists(name):
        ctx.files.write(name, b"")
        if not ctx.files.resolve(name).startswith(SHARED):
            ctx.files.chmod(name, mode)
    await ctx.save(name, data)


async def _events(ctx: Context) -> int:
    if ctx.phone.ui_automation.owner:
        raise Refused("Killed", KILLED)
    with ctx.phone.ui_automation.connect("uiautomator", suppress=True):
        arrived: asyncio.Queue[str] = asyncio.Queue()
        unsubscribe = ctx.phone.events.subscribe(lambda event: arrived.put_nowait(printed(event)))
        try:
            while True:
                event, now = await arrived.get(), ctx.phone.clock.now()
                await ctx.out(f"{now:%m-%d %H:%M:%S}.{now.microsecond // 1000:03} {event}\n")
        finally:
            unsubscribe()


def printed(event: AccessibilityEvent) -> str:
    """Format an event as its `toString` does."""
    lists = {
        name: f"[{', '.join(getattr(event, name))}]"
        for name in ("text", "content_change_types", "window_change_types")
    }
    return fill("accessibility_event", event=event, **lists)
