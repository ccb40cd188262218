"""input, getevent and sendevent, and the input methods: touches, keys and text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from zlib import crc32

from pytest_mobileagent.virtual.shell.android.service import (
    Answer,
    Arguments,
    Context,
    JavaError,
    Refused,
    Service,
    fill,
    help_text,
    illegal,
)
from pytest_mobileagent.virtual.shell.commands import Failure, command
from pytest_mobileagent.virtual.system.input.dispatcher import (
    ABSOLUTE,
    DEVICE,
    DEVICE_NAME,
    FULL,
    KEYS,
)
from pytest_mobileagent.virtual.system.input.ime import Keyboard, UnknownInputMethod
from pytest_mobileagent.virtual.system.input.keys import CODES, MODIFIERS, key, known

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = (
    "dpad", "gamepad", "joystick", "keyboard", "mouse", "rotaryencoder", "stylus",
    "touchnavigation", "touchpad", "touchscreen", "trackball",
)  # fmt: skip
DISPLAYS = ("DEFAULT_DISPLAY", "INVALID_DISPLAY")
SHELL = "com.android.server.input.InputShellCommand"
service = Service("input", interface="android.hardware.input.IInputManager", unknown_status=0)


@command("input")
async def input_command(ctx: Context, args: list[str]) -> Answer:
    """Run an input command, after an optional source and display."""
    return await service.run(ctx, args[1:] if args and args[0] in SOURCES else args)


@service.command("-d")
async def on_display(ctx: Context, args: Arguments) -> Answer:
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
    try:
        ctx.phone.type_text(args.required().replace("%s", " "))
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


KEYBOARD, KEYBOARD_NAME = "/dev/input/event0", "virtio_input_keyboard"
MOST = {"ABS_MT_SLOT": 9, "ABS_MT_TRACKING_ID": 65535, "ABS_MT_PRESSURE": 1024}


@command("sendevent")
async def sendevent(ctx: Context, args: list[str]) -> None:
    """Send an event to a device."""
    if len(args) != 4:
        raise Refused("usage: sendevent DEVICE TYPE CODE VALUE", 1)
    if args[0] not in (DEVICE, KEYBOARD):
        raise Failure(f"{args[0]}: No such file or directory")
    ctx.phone.touchscreen.event(*(_integer(word) for word in args[1:]))


def _integer(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise Failure(f"not integer: {word}") from None


@command("getevent")
async def getevent(ctx: Context, args: list[str]) -> None:
    """Describe the devices with -p or -i, or wait for events; injected input causes none."""
    letters = {letter for word in args if word.startswith("-") for letter in word[1:]}
    named = [word for word in args if word.startswith("/dev/input/")]
    described = bool(letters & {"p", "i"})
    for at, (path, name) in enumerate(((DEVICE, DEVICE_NAME), (KEYBOARD, KEYBOARD_NAME)), 1):
        if named and path not in named:
            continue
        await ctx.out(f'add device {at}: {path}\n  name:     "{name}"\n')
        if described:
            await ctx.out("".join(_described(path, names="l" in letters)))
    if not described:
        await asyncio.Event().wait()


def _described(path: str, *, names: bool) -> Iterator[str]:
    """Yield the description of a device, with numbers or names."""
    yield "  events:\n"
    if path == KEYBOARD:
        keys = [f"{name:<22}" if names else f"{code:04x} " for name, (code, _) in KEYS.items()]
        for at in range(0, len(keys), 4):
            yield f"{'    KEY (0001): ':<16}" if at == 0 else " " * 16
            yield "".join(keys[at : at + 4]).rstrip() + "\n"
        yield "  input props:\n    <none>\n"
        return
    for name, code in ABSOLUTE.items():
        yield "    ABS (0003): " if code == 0 else " " * 16
        label = f"{name:<21}" if names else f"{code:04x} "
        most = MOST.get(name, FULL)
        yield f"{label} : value 0, min 0, max {most}, fuzz 0, flat 0, resolution 0\n"
    yield "  input props:\n    INPUT_PROP_DIRECT\n"


PARTICIPLES = {"enable": "enabled", "disable": "disabled", "set": "selected"}
input_methods = Service("input_method", interface="com.android.internal.view.IInputMethodManager")


@command("ime")
async def ime(ctx: Context, args: list[str]) -> Answer:
    """Run a command of the input method service."""
    return await input_methods.run(ctx, ["ime", *args] if args else [])


@input_methods.command("ime")
def ime_command(ctx: Context, args: Arguments) -> str:
    """Run one of the commands of `ime`."""
    verb = args.next() or "help"
    if verb == "list":
        return _list(ctx, args)
    if verb == "reset":
        return _reset(ctx)
    if verb not in PARTICIPLES:
        said = help_text("input_method") if verb in ("help", "-h") else f"Unknown command: {verb}"
        raise Refused(said, out=True)
    args.options()
    ime, wanted = ctx.phone.ime, args.required()
    try:
        if verb == "enable":
            done = f": {'now' if ime.enable(wanted) else 'already'} enabled"
        elif verb == "disable":
            ime.disable(wanted)
            done = ": now disabled"
        else:
            ime.choose(wanted)
            done = " selected"
    except UnknownInputMethod as error:
        words = f"Unknown input method {wanted} cannot be {PARTICIPLES[verb]} for user #0"
        raise Refused(words) from error
    return f"Input method {wanted}{done} for user #0\n"


def _list(ctx: Context, args: Arguments) -> str:
    options = args.options(switches=("-a", "-s"))
    methods = ctx.phone.ime.installed() if "-a" in options else ctx.phone.ime.enabled()
    return "".join(f"{each.id}\n" if "-s" in options else _block(each) for each in methods)


def _reset(ctx: Context) -> str:
    ctx.phone.ime.reset()
    enabled = "".join(f"  {method.id}\n" for method in ctx.phone.ime.enabled())
    return (
        "Reset current and enabled IMEs for user #0\n"
        f"Newly selected IME: {ctx.phone.ime.current}\nNewly enabled IMEs: {{\n{enabled}}}\n"
    )


def _block(method: Keyboard) -> str:
    package, _, name = method.id.partition("/")
    return fill("input_method_one", id=method.id, name=name, package=package)


@input_methods.dump
def dump_input_methods(ctx: Context, _: list[str]) -> str:
    """Describe the state of the soft keyboard."""
    ime, windows = ctx.phone.ime, ctx.phone.windows
    box = windows.focused() if windows.focused_field() else None
    view = f"{box.view.kind}{{{crc32(box.key.encode()):x} VFED..CL.}}" if box else None
    connection = (
        "RemoteInputConnectionImpl{connection=InputConnection finished=false"
        f" mParentInputMethodManager.isActive()=true mServedView={view}}}"
    )
    return fill(
        "input_method",
        ime=ime,
        count=len(ime.installed()),
        client=windows.active.package,
        view=view,
        connection=connection if box else None,
    )
