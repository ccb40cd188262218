"""The console's commands for calls and text messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.wire.console.console import Command, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.telephony import Call, Telephony

_ESCAPE = re.compile(r"\\(?:n|\\|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))")
REGISTRATIONS = ("unregistered", "home", "roaming", "searching", "denied", "off", "on")
MOST_BARS, STRONGEST, UNKNOWN_SIGNAL = 4, 31, 99


def telephony_commands(phone: Phone) -> tuple[Command, ...]:
    """Give the groups gsm and sms."""
    calls, line = phone.telephony, _LineCommands(phone)
    return (
        Command("gsm", "GSM related commands", parts=(
            Command("list", "list current phone calls", line.list),
            Command("call", "create inbound phone call", line.call),
            Command("busy", "close waiting outbound call as busy", line.cancel),
            Command("hold", "change the state of an outbound call to 'held'",
                    line.hold),
            Command("accept", "change the state of an outbound call to 'active'",
                    line.accept),
            Command("cancel", "disconnect an inbound or outbound phone call",
                    line.cancel),
            Command("data", "modify data connection state", line.register("data")),
            Command("voice", "modify voice connection state", line.register("voice")),
            Command("status", "display GSM status", line.status),
            Command("signal", "set GSM signal strength", line.strength),
            Command("signal-profile", "set the signal strength profile",
                    line.profile),
        )),
        Command("sms", "SMS related commands", parts=(
            Command("send", "send inbound SMS text message", lambda text: _send(calls, text)),
        )),
    )  # fmt: skip


class _LineCommands:
    """`gsm …`."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._line = phone.telephony

    def list(self, _: str) -> str:
        call = self._line.call
        if call is None:
            return ""
        way = "inbound from" if call.incoming else "outbound to "
        return f"{way} {call.number:<10} : {_state(call)}\n"

    def call(self, text: str) -> None:
        self._line.ring(_number(text, "call"))

    def cancel(self, text: str) -> None:
        self._find(text, "cancel")
        self._line.cancel()

    def accept(self, text: str) -> None:
        call = self._find(text, "accept")
        if call.incoming and not call.active:
            self._line.answer()
        else:
            since = call.since if call.active else self._phone.clock.uptime()
            self._line.change(active=True, held=False, since=since)

    def hold(self, text: str) -> None:
        self._find(text, "hold")
        self._line.change(held=True)

    def register(self, name: str) -> Callable[[str], None]:
        def run(text: str) -> None:
            if not text:
                raise Refusal(f"missing argument, try 'gsm {name} <state>'")
            if text not in REGISTRATIONS:
                raise Refusal(
                    f"bad GSM {name} state name, try 'help gsm {name}' for list of valid values"
                )
            state = {"on": "home", "off": "unregistered"}.get(text, text)
            self._phone.hardware.registered[name] = state
            self._phone.changed()

        return run

    def status(self, _: str) -> str:
        registered = self._phone.hardware.registered
        return f"gsm voice state: {registered['voice']}\ngsm data state:  {registered['data']}\n"

    def strength(self, text: str) -> None:
        words = text.split()
        if not words:
            raise Refusal("not enough arguments: see 'help gsm signal' for details")
        for word in words[:2]:
            if not word.isdecimal():
                raise Refusal(f"argument '{word}' is not a number")
        rssi = int(words[0])
        if rssi > STRONGEST and rssi != UNKNOWN_SIGNAL:
            raise Refusal("invalid RSSI - must be 0..31 or 99")
        self._phone.hardware.signal[1] = rssi

    def profile(self, text: str) -> None:
        if not text:
            raise Refusal("not enough arguments: see 'help gsm signal-profile' for details")
        if not text.isdecimal():
            raise Refusal(f"argument '{text}' is not a number")
        if int(text) > MOST_BARS:
            raise Refusal("invalid signal strength profile - must be 0..4")
        self._phone.hardware.signal[0] = int(text)

    def _find(self, text: str, command: str) -> Call:
        number, call = _number(text, command), self._line.call
        if call is None or call.number != number:
            raise Refusal(f"no current call to/from number '{number}'")
        return call


def _number(text: str, command: str) -> str:
    if not text:
        raise Refusal(f"missing argument, try 'gsm {command} <phonenumber>'")
    if not re.fullmatch(r"[0-9#+]+", text):
        raise Refusal("bad phone number format, use digits, # and + only")
    return text


def _state(call: Call) -> str:
    if call.active:
        return "held" if call.held else "active"
    return "incoming" if call.incoming else "dialing"


def _send(calls: Telephony, text: str) -> None:
    number, _, message = text.partition(" ")
    if not number or not message.strip():
        raise Refusal("missing argument, try 'sms send <phonenumber> <text message>'")
    if not re.fullmatch(r"\+?[0-9]*", number):
        raise Refusal("bad phone number format, must be [+](0-9)*")
    calls.receive(number, _ESCAPE.sub(_unescape, message.strip()))


def _unescape(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16))
    return "\n" if match[0] == "\\n" else "\\"
