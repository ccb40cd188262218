"""input: injects touches and keys."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    JavaError,
    Service,
    fill,
    illegal,
)
from pytest_mobileagent.virtual.shell.commands import command
from pytest_mobileagent.virtual.system.input.keymap import CODES, MODIFIERS, key, known

SOURCES = (
    "dpad", "gamepad", "joystick", "keyboard", "mouse", "rotaryencoder", "stylus",
    "touchnavigation", "touchpad", "touchscreen", "trackball",
)  # fmt: skip
DISPLAYS = ("DEFAULT_DISPLAY", "INVALID_DISPLAY")
SHELL = "com.android.server.input.InputShellCommand"
service = Service("input", interface="android.hardware.input.IInputManager", unknown_status=0)


@command("input")
async def input_command(ctx: Context, args: list[str]) -> int:
    """Run an input command, after an optional source and display."""
    words = args[1:] if args and args[0] in SOURCES else args
    return await service.run(ctx, words)


@service.command("-d")
async def on_display(ctx: Context, args: Arguments) -> int:
    """Run a command on the only display."""
    display = args.next() or ""
    if display not in DISPLAYS and not display.lstrip("-").isdecimal():
        raise illegal("Error: Invalid arguments for display ID.")
    return await service.run(ctx, args.rest())


def _floats(args: Arguments, name: str, counts: tuple[int, ...]) -> list[float]:
    words = args.rest()
    if len(words) not in counts:
        raise illegal(f"Error: Invalid arguments for command: {name}")
    try:
        return [float(word) for word in words]
    except ValueError:
        raise illegal(f"Error: Invalid arguments for command: {name}") from None


@service.command("tap")
def tap(ctx: Context, args: Arguments) -> None:
    """Tap the screen."""
    ctx.phone.tap(*_floats(args, "tap", (2,)))


@service.command("swipe")
def swipe(ctx: Context, args: Arguments) -> None:
    """Swipe across the screen."""
    x1, y1, x2, y2, *duration = _floats(args, "swipe", (4, 5))
    ctx.phone.swipe(x1, y1, x2, y2, _duration(duration))


@service.command("draganddrop")
def drag_and_drop(ctx: Context, args: Arguments) -> None:
    """Hold a finger, move it, and release it."""
    x1, y1, x2, y2, *duration = _floats(args, "draganddrop", (4, 5))
    ctx.phone.gestures.drag(x1, y1, x2, y2, _duration(duration))


def _duration(given: list[float]) -> int:
    return int(given[0]) if given and given[0] >= 0 else 300


@service.command("text")
def text(ctx: Context, args: Arguments) -> None:
    """Type text on the virtual keyboard; %s is a space."""
    words = args.required().replace("%s", " ")
    try:
        ctx.phone.type_text(words)
    except ValueError as error:
        frame = f"{SHELL}.sendText(InputShellCommand.java:346)"
        raise JavaError("NullPointerException", str(error), frame) from error


@service.command("keyevent")
def keyevent(ctx: Context, args: Arguments) -> None:
    """Press keys in sequence; unknown ones have no effect."""
    options = args.options(("--delay",), ("--async", "--doubletap", "--longpress"))
    for code in [args.required(), *args.rest()]:
        repeats = "--longpress" in options and key(code).repeats
        for _ in range(2 if repeats or "--doubletap" in options else 1):
            ctx.phone.key(code)


@service.command("keycombination")
def keycombination(ctx: Context, args: Arguments) -> None:
    """Press keys together, such as Ctrl and A."""
    args.options(("-t",))
    words = args.rest()
    for word in words:
        if not known(word):
            raise illegal(f"Unknown keycode: {word}")
    if len(words) < 2:
        raise illegal("keycombination requires at least 2 keycodes")
    meta = 0
    for word in words:
        code = CODES.get(key(word).name, 0)
        meta |= MODIFIERS.get(code, 0)
        if code not in MODIFIERS:
            ctx.phone.key(code, meta)


@service.command("motionevent")
def motionevent(ctx: Context, args: Arguments) -> None:
    """Put a finger down, move it or lift it."""
    action = args.required().upper()
    if action not in ("DOWN", "UP", "MOVE", "CANCEL"):
        raise illegal(f"Unknown action: {action}")
    point = _floats(args, "motionevent", (0, 2) if action == "CANCEL" else (2,))
    getattr(ctx.phone.finger, action.lower())(*point)


@service.command("press", "roll")
def trackball(_: Context, args: Arguments) -> None:
    """Use a trackball, which has no effect on a phone."""
    args.rest()


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Describe the input devices and the display's rotation."""
    display, awake = ctx.phone.display, ctx.phone.power.awake
    return fill(
        "input",
        awake=awake,
        metrics=display.metrics,
        rotation=display.rotation,
        turned=display.physical_size[:: -1 if display.rotation % 2 else 1],
        focus=ctx.phone.windows.active.title if awake else "",
    )
