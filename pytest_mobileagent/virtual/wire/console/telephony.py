"""gsm and sms: calls and text messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.wire.console.registry import Emulator, Refusal, command, group

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.system.telephony import Call

_ESCAPE = re.compile(r"\\(?:n|\\|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))")

group("gsm", "GSM related commands")
group("sms", "SMS related commands")


@command("gsm list", "list current phone calls")
def _list(emulator: Emulator, _: str) -> str:
    call = emulator.phone.telephony.call
    if call is None:
        return ""
    way = "inbound from" if call.incoming else "outbound to "
    return f"{way} {call.number:<10} : {_state(call)}\n"


@command("gsm call", "create inbound phone call")
def _call(emulator: Emulator, text: str) -> None:
    emulator.phone.telephony.ring(_number(text, "call"))


@command("gsm busy", "close waiting outbound call as busy")
@command("gsm cancel", "disconnect an inbound or outbound phone call")
def _cancel(emulator: Emulator, text: str) -> None:
    _find(emulator, text, "cancel")
    emulator.phone.telephony.cancel()


@command("gsm hold", "change the state of an outbound call to 'held'")
def _hold(emulator: Emulator, text: str) -> None:
    _find(emulator, text, "hold")
    emulator.phone.telephony.change(held=True)


@command("gsm accept", "change the state of an outbound call to 'active'")
def _accept(emulator: Emulator, text: str) -> None:
    call = _find(emulator, text, "accept")
    if call.incoming and not call.active:
        emulator.phone.telephony.answer()
    else:
        since = call.since if call.active else emulator.phone.clock.uptime()
        emulator.phone.telephony.change(active=True, held=False, since=since)


@command("sms send", "send inbound SMS text message")
def _send(emulator: Emulator, text: str) -> None:
    number, _, message = text.partition(" ")
    if not number or not message.strip():
        raise Refusal("missing argument, try 'sms send <phonenumber> <text message>'")
    if not re.fullmatch(r"\+?[0-9]*", number):
        raise Refusal("bad phone number format, must be [+](0-9)*")
    emulator.phone.telephony.receive(number, _ESCAPE.sub(_unescape, message.strip()))


def _unescape(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16))
    return "\n" if match[0] == "\\n" else "\\"


def _find(emulator: Emulator, text: str, command: str) -> Call:
    number, call = _number(text, command), emulator.phone.telephony.call
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
