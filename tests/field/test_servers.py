"""Tests of reading what adb servers, emulators and their consoles answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb.shell import listed
from pytest_mobileagent.device.sdk import Sdk
from pytest_mobileagent.device.sources.attached import AttachedSource
from tests.field.corpus import SERIAL, adb_server, block, outputs_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.field.corpus import Output


@outputs_of("adb_devices")
def test_states_of_listed_devices(entry: Output) -> None:
    def read() -> dict[str, str]:
        with adb_server(b"OKAY" + block(entry.output)) as address:
            states = listed(address.adb_host, address.adb_port)
        AttachedSource(SERIAL)._check_state(address, states)
        return states

    entry.check(read)


@outputs_of("emulator_list_avds")
def test_names_of_avds(entry: Output, tmp_path: Path) -> None:
    sdk = Sdk(tmp_path)
    sdk.emulator.parent.mkdir()
    (tmp_path / "printed").write_text(entry.output, "utf-8")
    sdk.emulator.write_text(f"#!/bin/sh\ncat '{tmp_path}/printed'\nexit {entry.status}\n", "utf-8")
    sdk.emulator.chmod(0o755)
    entry.check(sdk.avds)
