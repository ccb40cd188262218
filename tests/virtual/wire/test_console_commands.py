"""The console's commands for position, calls and messages."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from pytest_mobileagent.virtual.wire.console import Console
from pytest_mobileagent.virtual.wire.console_commands import Emulator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone


class Terminal:
    """Collects the console's output."""

    def __init__(self):
        self.said = b""

    def write(self, data):
        self.said += data

    async def drain(self):
        pass

    def close(self):
        pass


@pytest.fixture
def console(phone: Phone, tmp_path: Path) -> Callable[..., str]:
    token = tmp_path / "token"
    token.write_text("")

    def say(*lines: str) -> str:
        async def talk() -> str:
            reader, writer = asyncio.StreamReader(), Terminal()
            reader.feed_data("".join(f"{line}\n" for line in lines).encode())
            reader.feed_eof()
            emulator = Emulator(phone, lambda: None)
            await Console(emulator, token).serve(reader, cast("asyncio.StreamWriter", writer))
            return writer.said.decode().replace("\r\n", "\n")

        return asyncio.run(talk()).partition("OK\n")[2]

    return say


REPLIES = [
    ("geo fix -122 37", "OK\n"),
    ("geo fix 2.5", "KO: not enough arguments: see 'help geo fix' for details\n"),
    ("geo fix a 2", "KO: argument 'a' is not a number\n"),
    ("geo fix 181 2", "KO: invalid longitude value. Should be in [-180,+180] range\n"),
    ("geo fix 1 91", "KO: invalid latitude value. Should be in [-90,+90] range\n"),
    ("geo fix 1 2 3 13",
     "KO: invalid number of satellites. Must be an integer between 1 and 12\n"),
    ("gsm call", "KO: missing argument, try 'gsm call <phonenumber>'\n"),
    ("gsm call abc", "KO: bad phone number format, use digits, # and + only\n"),
    ("gsm cancel 1", "KO: no current call to/from number '1'\n"),
    ("sms send 555", "KO: missing argument, try 'sms send <phonenumber> <text message>'\n"),
    ("sms send x55 hi", "KO: bad phone number format, must be [+](0-9)*\n"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "reply"), REPLIES, ids=[reply[0] for reply in REPLIES])
def test_replies(console, line, reply):
    assert console(line) == reply


def test_a_fix_is_where_the_phone_is(console, phone, sh):
    console("geo fix 13.4 52.5 34.5 7 10")
    fix = phone.hardware.fix
    assert (fix.longitude, fix.latitude, fix.altitude, fix.satellites) == (13.4, 52.5, 34.5, 7)
    assert "Location[gps 52.500000,13.400000 " in sh("dumpsys location")
    phone.snapshots.load("default_boot")
    assert phone.hardware.fix.longitude == pytest.approx(-122.084)


def test_rotation_follows_the_phone_only_if_free(console, demo, sh):
    told = console("rotate")
    assert "auto-rotate is off" in told
    assert told.endswith("accelerometer_rotation 1\nOK\n")
    assert demo.display.rotation == 0
    sh("settings put system accelerometer_rotation 1")
    assert demo.display.rotation == 3
    assert console("rotate", "rotate", "rotate", "rotate") == "OK\n" * 4
    assert demo.dump().split(">")[1].endswith('rotation="3"')
    assert demo.raw_screenshot()[:2] == (2400, 1080)
    assert sh("wm user-rotation") == "free\n"
    sh("wm user-rotation lock")
    console("rotate", "rotate", "rotate")
    assert (demo.display.rotation, sh("wm user-rotation")) == (3, "lock 3\n")
    sh("wm user-rotation free")
    assert demo.display.rotation == 0
    console("rotate", "rotate", "rotate")
    assert demo.display.rotation == 1


def test_gsm_calls(console, phone):
    assert console("gsm call 5551234", "gsm list") == (
        "OK\ninbound from 5551234    : incoming\nOK\n"
    )
    assert phone.telephony.state == "RINGING"
    assert "active" in console("gsm accept 5551234", "gsm list")
    assert phone.telephony.state == "OFFHOOK"
    assert "held" in console("gsm hold 5551234", "gsm list")
    assert console("gsm cancel 5551234", "gsm list") == "OK\nOK\n"
    assert phone.telephony.state == "IDLE"
    phone.telephony.dial("999")
    assert console("gsm list") == "outbound to  999        : dialing\nOK\n"
    assert console("gsm busy 999", "gsm list") == "OK\nOK\n"


def test_an_sms_arrives_once(console, phone, sh):
    console(r"sms send +15551234 Hello\nworld \u00e9\x21")
    rows = phone.resolver.query("content://sms/inbox")
    assert [(row["address"], row["body"]) for row in rows] == [("+15551234", "Hello\nworld é!")]
    sh("cmd connectivity airplane-mode enable")
    console("sms send 555 lost")
    assert len(phone.resolver.query("content://sms/inbox")) == 1


def test_touches_by_events(demo, hand, sh):
    x, y = hand.center("text", "Milk")
    touch_x, touch_y = x * 32768 // 1080 + 1, y * 32768 // 2400 + 1
    device = "/dev/input/event1"
    events = f"3 57 7|3 53 {touch_x}|3 54 {touch_y}|0 0 0|3 57 4294967295|0 0 0"
    sh(";".join(f"sendevent {device} {event}" for event in events.split("|")))
    assert hand.sees("Edit note")
    sh(f"sendevent {device} 1 158 1; sendevent {device} 1 158 0")
    assert hand.sees("Milk")


def test_help_lists_the_groups(console):
    said = console("help gsm")
    assert said.startswith("GSM related commands\n\navailable sub-commands:\n   gsm list   ")
    assert "KO: missing sub-command" in console("geo")
