"""The emulator console, through `adb emu` and directly."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

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
