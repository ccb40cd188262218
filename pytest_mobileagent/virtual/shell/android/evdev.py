"""getevent and sendevent: access to the kernel's input devices."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, Refused, command
from pytest_mobileagent.virtual.system.input.evdev import (
    ABSOLUTE,
    DEVICE,
    DEVICE_NAME,
    FULL,
    KEYS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYBOARD, KEYBOARD_NAME = "/dev/input/event0", "virtio_input_keyboard"
MOST = {"ABS_MT_SLOT": 9, "ABS_MT_TRACKING_ID": 65535, "ABS_MT_PRESSURE": 1024}


@command("sendevent")
async def sendevent(ctx: Context, args: list[str]) -> int:
    """Send an event to a device."""
    if len(args) != 4:
        raise Refused("usage: sendevent DEVICE TYPE CODE VALUE", 1)
    if args[0] not in (DEVICE, KEYBOARD):
        raise Failure(f"{args[0]}: No such file or directory")
    ctx.phone.touchscreen.event(*(_integer(word) for word in args[1:]))
    return 0


def _integer(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise Failure(f"not integer: {word}") from None


@command("getevent")
async def getevent(ctx: Context, args: list[str]) -> int:
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
    return 0


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
