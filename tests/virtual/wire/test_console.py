"""The emulator console: through adb, directly, and its commands for place, calls and messages."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import TYPE_CHECKING, cast

import pytest

from pytest_mobileagent.virtual.wire.console import Console
from pytest_mobileagent.virtual.wire.console_commands import Emulator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.phones import Adb, Running, StartPhone

GREETING = """Android Console: Authentication required
Android Console: type 'auth <auth_token>' to authenticate
Android Console: you can find your <auth_token> in \n'{token}'
OK
"""
READY = "Android Console: type 'help' for a list of commands\nOK\n"
NO_SNAPSHOT = """KO: Device 'encrypt' does not have the requested snapshot 'nope'
KO: Snapshot load failure: snapshot doesn't exist"""
AVD_HELP = """control virtual device execution

available sub-commands:
"""


def talk(phone: Running, *lines: str | bytes) -> str:
    """Send lines to the console, and return its output until it closes the connection."""
    address = ("127.0.0.1", phone.server.console_port)
    with socket.create_connection(address, timeout=10) as connection:
        for line in (*lines, "quit"):
            connection.sendall((line if isinstance(line, bytes) else line.encode()) + b"\n")
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as said:
            return said.read().decode().replace("\r\n", "\n")


@pytest.fixture
def token_file(home: Path) -> Path:
    return home / ".emulator_console_auth_token"


REPLIES = (
    ("ping", "I am alive!\nOK"),
    ("avd name", "virtual\nOK"),
    ("avd snapshot save", "KO: Argument missing, try 'avd snapshot save <name>'"),
    ("avd snapshot load", "KO: Argument missing, try 'avd snapshot load <name>'"),
    ("avd snapshot del", "KO: Argument missing, try 'avd snapshot list <name>'"),
    ("avd snapshot del nope", "OK"),
    ("avd snapshot load nope", NO_SNAPSHOT),
    ("power capacity 101", 'KO: Usage: "capacity <percentage>"'),
    ("power ac maybe", 'KO: Usage: "ac on" or "ac off"'),
    ("nonsense", "KO: unknown command, try 'help'"),
    ("fold", "KO: unknown command, try 'help'"),
)


def test_replies_that_adb_emu_prints(adb: Adb) -> None:
    for command, reply in REPLIES:
        assert (command, adb.text("emu", command)) == (command, reply)
        assert (command, adb.text("emu", *command.split())) == (command, reply)


def test_a_group_without_a_part_is_explained(adb: Adb) -> None:
    for command, end in (("avd", "missing"), ("avd nonsense", " bad")):
        reply = adb.text("emu", command)
        assert reply.startswith(AVD_HELP)
        assert "    snapshot         state snapshot commands\n" in reply
        assert reply.endswith(f"\n\nKO: {end} sub-command")


def test_help_lists_what_is_there(adb: Adb) -> None:
    listing = adb.text("emu", "help")
    assert listing.startswith("Android console commands:\n    help|h|?\n")
    assert adb.text("emu", "help", "ping") == "check if the emulator is alive\nOK"
    assert adb.text("emu", "help", "nope") == listing.removesuffix("OK") + "\nKO: unknown command"


def test_snapshots_are_saved_listed_loaded_and_deleted(own_phone: Running) -> None:
    adb, files = own_phone.adb, own_phone.phone.files
    files.write("/sdcard/note", b"before")
    assert adb.text("emu", "avd", "snapshot", "save", "mine") == "OK"
    files.write("/sdcard/note", b"after")
    assert adb.text("emu", "avd", "snapshot", "load", "mine") == "OK"
    assert files.read("/sdcard/note") == b"before"
    assert adb.text("emu", "avd", "snapshot", "get") == "mine\nOK"
    title, head, *rows, ok = adb.text("emu", "avd", "snapshot", "list").splitlines()
    assert title == "List of snapshots present on all disks:"
    assert head == "ID        TAG                 VM SIZE                DATE       VM CLOCK"
    row = r"--        (\S+) +[\d.]+[KM]? \d{4}-\d\d-\d\d \d\d:\d\d:\d\d   \d\d:\d\d:\d\d\.\d{3}"
    assert [re.fullmatch(row, text)[1] for text in rows] == ["default_boot", "mine"]  # type: ignore[index]
    assert ok == "OK"
    assert adb.text("emu", "avd", "snapshot", "delete", "mine") == "OK"
    assert "mine" not in adb.text("emu", "avd", "snapshot", "list")
    assert adb.text("emu", "avd", "snapshot", "del", "default_boot") == "OK"
    assert adb.text("emu", "avd", "snapshot", "list") == "There is no snapshot available.\nOK"


def test_loading_a_snapshot_keeps_connections(running_phone: Running) -> None:
    with running_phone.device.open_shell("echo ready; read LINE; echo got $LINE") as stream:
        assert stream.conn.recv(100) == b"ready\n"
        assert running_phone.adb.text("emu", "avd", "snapshot", "load", "default_boot") == "OK"
        stream.conn.sendall(b"through\n")
        assert stream.read_until_close() == "got through\n"


def test_snapshots_are_kept_in_a_folder_under_any_name(
    start_phone: StartPhone, server: Adb, tmp_path: Path
) -> None:
    folder = tmp_path / "kept"
    with start_phone(server, folder) as phone:
        phone.phone.files.write("/sdcard/note", b"kept")
        phone.adb.run("emu", "avd", "snapshot", "save", "../ä b")
        phone.adb.run("emu", "avd", "snapshot", "save", "gone")
        phone.adb.run("emu", "avd", "snapshot", "del", "gone")
    assert len(list(tmp_path.iterdir())) == len(list(folder.iterdir())) == 1
    with start_phone(server, folder) as phone:
        assert phone.adb.text("emu", "avd", "snapshot", "load", "../ä b") == "OK"
        assert phone.phone.files.read("/sdcard/note") == b"kept"


def test_the_battery_can_be_set(adb: Adb) -> None:
    for command in ("ac on", "status charging", "capacity 42"):
        assert adb.text("emu", "power", command) == "OK"
    told = adb.text("shell", "dumpsys", "battery")
    assert all(line in told for line in ("AC powered: true", "status: 2", "level: 42"))


def test_unauthenticated_clients_may_do_little(running_phone: Running, token_file: Path) -> None:
    assert token_file.stat().st_mode & 0o777 == 0o600
    greeting = GREETING.format(token=token_file)
    assert talk(running_phone, "ping", "kill", "auth", "auth wrong") == (
        f"{greeting}I am alive!\nOK\n"
        "KO: unknown command, try 'help'\n"
        "KO: missing authentication token\n"
        "KO: authentication token does not match ~/.emulator_console_auth_token\n"
    )
    talked = talk(running_phone, "help", f"auth {token_file.read_text()}", "ping", "auth x")
    listing = "Android console commands:\n    help|h|?\n    ping\n    avd\n"
    assert talked.startswith(f"{greeting}{listing}    auth\n    quit|exit\n\nTry")
    assert talked.endswith(f"OK\n{READY}I am alive!\nOK\nKO: unknown command, try 'help'\n")


@pytest.mark.parametrize(
    ("line", "last"),
    [
        (b"GET / HTTP/1.1", "KO: Forbidden HTTP request. Aborting\n"),
        (b"\xff\xfe", "KO: Forbidden binary request. Aborting\n"),
        (b"x" * 100_000, "OK\n"),
    ],
)
def test_requests_of_other_protocols_end_the_connection(
    running_phone: Running, line: bytes, last: str
) -> None:
    address = ("127.0.0.1", running_phone.server.console_port)
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(line + b"\n")
        with connection.makefile("rb") as said:
            assert said.read().decode().replace("\r\n", "\n").endswith(last)
    assert running_phone.adb.text("emu", "ping") == "I am alive!\nOK"


def test_an_empty_token_file_opens_the_console(running_phone: Running, token_file: Path) -> None:
    token = token_file.read_text()
    token_file.write_text("")
    try:
        assert talk(running_phone, "ping") == f"{READY}I am alive!\nOK\n"
    finally:
        token_file.write_text(token)


def test_kill_stops_the_phone(own_phone: Running) -> None:
    assert own_phone.adb.text("emu", "kill") == "OK: killing emulator, bye bye"
    assert own_phone.server.stopped.is_set()


def test_a_read_only_emulator_leaves_its_snapshots_alone(
    start_phone: StartPhone, server: Adb
) -> None:
    with start_phone(server, read_only=True) as phone:
        for what in ("save", "load", "delete"):
            reply = phone.adb.text("emu", "avd", "snapshot", what, "default_boot")
            assert reply == f'KO: Snapshot {what} is disabled because "-read-only" was specified'
        assert "default_boot" in phone.adb.text("emu", "avd", "snapshot", "list")


def test_adb_may_lose_a_phone_that_has_loaded_a_snapshot_and_finds_it_again(
    start_phone: StartPhone, server: Adb
) -> None:
    with start_phone(server, drop_on_load=0) as phone:
        with phone.device.shell("cat", stream=True) as stream:
            assert phone.adb.text("emu", "avd", "snapshot", "load", "default_boot") == "OK"
            assert stream.read_until_close() == ""
        phone.adb.run("wait-for-device")
        assert phone.adb.text("shell", "echo back") == "back"


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


ANSWERS = [
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


@pytest.mark.parametrize(("line", "reply"), ANSWERS, ids=[reply[0] for reply in ANSWERS])
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
