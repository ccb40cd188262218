"""screencap, uiautomator, screenrecord: the screen as a picture, a hierarchy and a video."""

from __future__ import annotations

import asyncio
import getopt
import re
import struct
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pytest_mobileagent.virtual.content.video import FRAMES, NoEncoder, Video
from pytest_mobileagent.virtual.kernel.files import SHARED
from pytest_mobileagent.virtual.shell.android.service import fill, help_text
from pytest_mobileagent.virtual.shell.commands import Context, Refused, UsageError, command, parse
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.system.configuration import DISPLAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent

RGBA_8888, SRGB = 1, 1
KILLED = 137
DEFAULT_DUMP = "/sdcard/window_dump.xml"


@command("screencap")
async def screencap(ctx: Context, args: list[str]) -> None:
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
    if "p" in options or name.endswith(".png"):
        data = ctx.phone.screenshot()
    else:
        width, height, pixels = ctx.phone.raw_screenshot()
        data = struct.pack("<4I", width, height, RGBA_8888, SRGB) + pixels
    if not name:
        await ctx.out(data)
        return
    try:
        await _save(ctx, name, data, mode=0o664)
    except OSError as error:
        raise Refused(f"Error opening file: {name} ({error.strerror})", 1) from error


@command("uiautomator")
async def uiautomator(ctx: Context, args: list[str]) -> str:
    """Dump the hierarchy, or print accessibility events."""
    match args:
        case ["dump", *words]:
            return await _dump(ctx, words)
        case ["events", *_]:
            return await _events(ctx)
        case _:
            raise Refused(help_text("uiautomator"), 0)


async def _dump(ctx: Context, words: list[str]) -> str:
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
    tree = faults.tree(ctx.phone.dump("--compressed" in words))
    if faults.strikes("empty-dump"):
        tree = ""
    try:
        await _save(ctx, path, tree.encode(), mode=0o600)
    except OSError as error:
        ctx.phone.log.write("E", "AccessibilityNodeInfoDumper", f"failed to dump window: {error}")
    return f"UI hierchary dumped to: {path}\n"


async def _save(ctx: Context, name: str, data: bytes, mode: int) -> None:
    """Write a file; a new file gets the mode, except in shared storage, which has its own."""
    path = ctx.path(name)
    if not path.startswith("/dev/") and not ctx.files.exists(name):
        ctx.files.write(name, b"")
        if not ctx.files.resolve(name).startswith(SHARED):
            ctx.files.chmod(name, mode)
    await ctx.save(name, data)


async def _events(ctx: Context) -> NoReturn:
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


FLAGS = ("help", "verbose", "version", "bugreport")
VALUES = ("size=", "bit-rate=", "time-limit=", "display-id=", "output-format=")
LONGEST = 180  # seconds
MOST = 4096  # pixels of a side that the encoder takes
BIT_RATES = (100_000, 200_000_000)
HANG_UP, INTERRUPT = 1, 2  # signals that complete the file


class Wanted(NamedTuple):
    """What the options ask for; the size is that of the display unless it is given."""

    file: str
    size: tuple[int, int] | None = None
    rate: int = 20_000_000
    seconds: int = LONGEST
    verbose: bool = False


@command("screenrecord")
async def screenrecord(ctx: Context, args: list[str]) -> None:
    """Record the display until the time limit, or until an interrupt or a hang-up.

    The encoder chooses the bit rate. Another signal leaves a file without its index, as on a phone.
    """
    wanted = _wanted(args)
    try:
        await ctx.save(wanted.file, b"")
    except OSError as error:
        raise Refused(f"Unable to open '{wanted.file}': {error.strerror}", 1) from error
    shown = ctx.phone.sight.picture().size
    width, height = wanted.size or (shown[0] // 2 * 2, shown[1] // 2 * 2)
    say = ctx.out if wanted.verbose else _nothing
    try:
        video = Video(width, height)
    except NoEncoder:
        raise Refused("ERROR: unable to create video/avc codec instance", 1) from None
    with video:
        await say(f"Main display is {shown[0]}x{shown[1]} @60.00fps (orientation=0)\n")
        await say(f"Configuring recorder for {width}x{height} video/avc at ")
        await say(f"{wanted.rate / 1_000_000:.2f}Mbps\n")
        try:
            await _record(ctx, video, wanted.seconds)
            await say("Time limit reached\n")
        except asyncio.CancelledError:
            process, task = processes_of(ctx.phone).find(ctx.pid), asyncio.current_task()
            signal = process.signal if process else None  # None: the client has disconnected
            if signal in {None, HANG_UP, INTERRUPT}:
                await ctx.save(wanted.file, video.data())
            if signal != INTERRUPT or task is None:
                raise
            task.uncancel()
        else:
            await ctx.save(wanted.file, video.data())
        await say(f"Encoder stopping; recorded {video.frames} frames in ")
        await say(f"{video.frames // FRAMES} seconds\nStopping encoder and muxer\n")


async def _record(ctx: Context, video: Video, seconds: int) -> None:
    """Show in the video what the display shows, for at most `seconds`."""
    now = asyncio.get_running_loop().time
    start, picture = now(), ctx.phone.sight.picture()
    try:
        while (elapsed := now() - start) < seconds:
            video.show(picture, elapsed)
            picture = ctx.phone.sight.picture()
            await asyncio.sleep(1 / FRAMES - (elapsed % (1 / FRAMES)))
    finally:
        video.show(picture, min(max(now() - start, 1 / FRAMES), seconds))


def _wanted(args: list[str]) -> Wanted:
    """Read the options, which are checked in their order."""
    try:
        options, rest = getopt.gnu_getopt(args, "", [*FLAGS, *VALUES])
    except getopt.GetoptError as error:
        option = f"--{error.opt}"
        fault = "unrecognized option" if "recognized" in error.msg else "bad use of option"
        raise Refused(f"screenrecord: {fault} `{option}'", 2) from error
    found = {}
    for option, value in options:
        match option:
            case "--help":
                raise Refused(help_text("screenrecord"), 0)
            case "--version":
                raise Refused("1.3", 0, out=True)
            case "--output-format" if value != "mp4":
                raise Refused("ERROR: unable to create video/avc codec instance", 1)
        if option in PARSERS:
            field, parser = PARSERS[option]
            found[field] = parser(value)
    if len(rest) != 1:
        raise Refused("Must specify output file (see --help).", 2)
    return Wanted(rest[0], **found)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})x(\d{1,9})", text, re.ASCII)
    if not match:
        raise Refused(f"Invalid size '{text}', must be width x height", 2)
    width, height = int(match[1]), int(match[2])
    if not width or not height:
        raise Refused(f"Invalid size {width}x{height}, width and height may not be zero", 2)
    if max(width, height) > MOST:
        codec = f"video/avc codec at {width}x{height}"
        raise Refused(f"ERROR: unable to configure {codec} (err=-22)", 1)
    return width, height


def _rate(text: str) -> int:
    match = re.fullmatch(r"(\d{1,9})([mM]?)", text, re.ASCII)
    if not match:
        raise Refused("", 2)
    rate, (least, most) = int(match[1]) * (1_000_000 if match[2] else 1), BIT_RATES
    if not least <= rate <= most:
        raise Refused(f"Bit rate {rate}bps outside acceptable range [{least},{most}]", 2)
    return rate


def _seconds(text: str) -> int:
    match = re.match(r"\s*(-?\d{1,9})", text, re.ASCII)  # as atoi
    seconds = int(match[1]) if match else 0
    if not 1 <= seconds <= LONGEST:
        raise Refused(f"Time limit {seconds}s outside acceptable range [1,{LONGEST}]", 2)
    return seconds


PARSERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "--size": ("size", _size),
    "--bit-rate": ("rate", _rate),
    "--time-limit": ("seconds", _seconds),
    "--verbose": ("verbose", lambda _: True),
}


async def _nothing(_: str) -> None:
    """Print nothing."""
