"""The console's commands that act on the phone as hands do: event text, mouse, send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.input.evdev import CODES, TYPES
from pytest_mobileagent.virtual.wire.console.console import Command, Refusal

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


def input_commands(phone: Phone) -> Command:
    """Give the group event."""
    events = _EventCommands(phone)
    return Command("event", "simulate hardware events", parts=(
        Command("send", "send a series of events to the kernel", events.send),
        Command("types", "list all <type> aliases", events.types),
        Command("codes", "list all <code> aliases for a given <type>", events.codes),
        Command("text", "simulate keystrokes from a given text", events.text),
        Command("mouse", "send a mouse event", events.mouse),
    ))  # fmt: skip


class _EventCommands:
    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._screen = phone.touchscreen
        self._down = False

    def text(self, words: str) -> None:
        if not words:
            raise Refusal("argument missing, try 'event text <message>'")
        try:
            self._phone.type_text(words)
        except ValueError:
            raise Refusal("device does not support these characters") from None

    def mouse(self, words: str) -> None:
        """Press the first button, move, or let go: the screen takes a mouse for a finger."""
        try:
            x, y, _device, button = (int(word) for word in words.split())
        except ValueError:
            raise Refusal("Invalid arguments. Make sure you provide 4 integers.") from None
        finger, pressed = self._phone.finger, bool(button & 1)
        if pressed and not self._down:
            finger.down(x, y)
        elif pressed:
            finger.move(x, y)
        elif self._down:
            finger.up(x, y)
        self._down = pressed

    def send(self, words: str) -> None:
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
            self._screen.event(type_, number, amount)

    def types(self, _: str) -> str:
        rows = (
            f"    {name:<9} ({len(CODES[name])} code aliases)" if name in CODES else f"    {name}"
            for name in TYPES
        )
        return "event <type> can be an integer or one of the following aliases\n" + "".join(
            f"{row}\n" for row in rows
        )

    def codes(self, kind: str) -> str:
        if not kind:
            raise Refusal("argument missing, try 'event codes <type>'")
        if kind not in TYPES:
            raise Refusal("bad argument, see 'help event codes' for valid <type> values")
        if kind not in CODES:
            return "no code aliases defined for this type\n"
        names = "".join(f"    {name}\n" for name in CODES[kind])
        return f"type '{kind}' accepts the following <code> aliases:\n{names}"
