"""event: what hands do, as text, mouse and events of the kernel."""

from __future__ import annotations

from pytest_mobileagent.virtual.system.input.evdev import CODES, TYPES
from pytest_mobileagent.virtual.wire.console.registry import Emulator, Refusal, command, group

group("event", "simulate hardware events")


@command("event send", "send a series of events to the kernel")
def _send(emulator: Emulator, words: str) -> None:
    if not words:
        raise Refusal("Usage: event send <type>:<code>:<value> ...")
    for word in words.split():
        kind, _, rest = word.partition(":")
        code, _, value = rest.partition(":")
        try:
            type_ = TYPES[kind] if kind in TYPES else int(kind, 0)
            number = CODES[kind][code] if code in CODES.get(kind, {}) else int(code, 0)
            amount = int(value, 0)
        except ValueError:
            raise Refusal("Usage: event send <type>:<code>:<value> ...") from None
        emulator.phone.hardware.touchscreen.event(type_, number, amount)


@command("event text", "simulate keystrokes from a given text")
def _text(emulator: Emulator, words: str) -> None:
    if not words:
        raise Refusal("argument missing, try 'event text <message>'")
    try:
        emulator.phone.type_text(words)
    except ValueError:
        raise Refusal("device does not support these characters") from None


@command("event mouse", "send a mouse event")
def _mouse(emulator: Emulator, words: str) -> None:
    """Press the first button, move, or let go: the screen takes a mouse for a finger."""
    try:
        x, y, _device, button = (int(word) for word in words.split())
    except ValueError:
        raise Refusal("Invalid arguments. Make sure you provide 4 integers.") from None
    finger, pressed = emulator.phone.finger, bool(button & 1)
    if pressed and not emulator.pressed:
        finger.down(x, y)
    elif pressed:
        finger.move(x, y)
    elif emulator.pressed:
        finger.up(x, y)
    emulator.pressed = pressed
