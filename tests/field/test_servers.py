"""Tests of reading what adb servers, emulators and their consoles answer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.console import _reply, snapshot_names
from pytest_mobileagent.device.drivers.adb.shell import listed, open_service, restart_as_root
from pytest_mobileagent.device.emulator import Emulator, advice
from pytest_mobileagent.device.sources.attached import AttachedSource
from pytest_mobileagent.device.sources.avd import Sdk
from tests.field.corpus import SERIAL, adb_server, block, outputs_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.field.corpus import Output


@outputs_of("adb_devices")
def test_states_of_listed_devices(entry: Output) -> None:
    def read() -> dict[str, str]:
        with adb_server(b"OKAY" + block(entry.output)) as address:
            states = listed(address.adb_host, address.adb_port)
        serial = SERIAL if SERIAL in states else next(iter(states))
        AttachedSource(serial)._check_state(replace(address, serial=serial), states)
        return states

    entry.check(read)


@outputs_of("adb_root")
def test_whether_adbd_becomes_root(entry: Output) -> None:
    with adb_server(b"OKAY", b"OKAY" + entry.raw) as address:
        entry.check(lambda: restart_as_root(address))


@outputs_of("adb_transport")
def test_devices_that_are_not_reached(entry: Output) -> None:
    with adb_server(b"FAIL" + block(entry.output.strip())) as address:
        entry.check(lambda: open_service(address, "shell,v2,raw:"))


@outputs_of("avd_snapshot_list")
def test_names_of_snapshots(entry: Output) -> None:
    lines = [f"{line}\r\n" for line in entry.output.splitlines()]
    entry.check(lambda: snapshot_names(_reply(lines)))


@outputs_of("emulator_log")
def test_replies_of_an_emulator(entry: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    emulator: Any = Emulator.__new__(Emulator)
    monkeypatch.setattr(Emulator, "_output", lambda _: entry.output)
    vars(emulator).update(address=Address(SERIAL), snapshot="")

    def read() -> list[str]:
        found = re.search(r"To fix it: (.*?)(?::| in )", advice(entry.output))
        return [emulator.loaded(), found[1] if found else ""]

    entry.check(read)


@outputs_of("emulator_list_avds")
def test_names_of_avds(entry: Output, tmp_path: Path) -> None:
    sdk = Sdk(tmp_path)
    sdk.emulator.parent.mkdir()
    (tmp_path / "printed").write_text(entry.output, "utf-8")
    sdk.emulator.write_text(f"#!/bin/sh\ncat '{tmp_path}/printed'\nexit {entry.status}\n", "utf-8")
    sdk.emulator.chmod(0o755)
    entry.check(sdk.avds)
