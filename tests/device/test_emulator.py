"""Tests of the command that starts an emulator, and of its ports."""

from __future__ import annotations

import socket
from argparse import Namespace

import pytest

from pytest_mobileagent.device import emulator as ports
from pytest_mobileagent.device.emulator import Emulator, command, console_port
from pytest_mobileagent.errors import HostError


def options(**given):
    base = {"emulator": "/sdk/emulator", "avd": "a", "gpu": "software", "snapshot": None}
    return Namespace(**base | {"writable": False, "flags": ["-accel", "off"]} | given)


def test_instances_share_a_read_only_avd_and_load_a_snapshot():
    assert command(options(snapshot="ready"), 5556) == [
        *("/sdk/emulator", "-avd", "a", "-port", "5556", "-no-window", "-no-audio"),
        *("-no-boot-anim", "-no-snapshot-save", "-gpu", "swiftshader_indirect"),
        *("-read-only", "-snapshot", "ready", "-accel", "off"),
    ]


def test_an_emulator_that_saves_boots_without_a_snapshot():
    words = command(options(writable=True, gpu="host"), 5554)
    assert "-no-snapshot" in words
    assert "-read-only" not in words
    assert words[words.index("-gpu") + 1] == "host"


def test_log_is_not_written_through_a_symlink(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    diary = tmp_path / "diary"
    diary.write_text("dear diary")
    (tmp_path / "emulator-5554.log").symlink_to(diary)
    with pytest.raises(HostError, match="cannot be run"):
        Emulator(options(emulator=str(tmp_path / "none"), adb_server_port=1), 5554)
    assert diary.read_text() == "dear diary"
    assert {path.name for path in tmp_path.iterdir()} == {"diary", "emulator-5554.log"}


def test_ports_that_are_locked_or_to_avoid_are_not_used():
    with console_port() as one, console_port() as two:
        assert one % 2 == two % 2 == 0
        assert one != two
    with console_port({one}) as three:
        assert three != one


def test_port_pair_must_be_completely_free(monkeypatch):
    with console_port() as port, socket.create_server(("127.0.0.1", port + 1)):
        monkeypatch.setattr(ports, "CONSOLE_PORTS", [port])
        monkeypatch.setattr(ports, "_locked", lambda _: socket.socket())
        with pytest.raises(HostError, match="no two ports in a row are free"), console_port():
            pass
