"""What a program's streams are read as."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.program.adb import recorded
from pytest_mobileagent.program.adb.splitter import default_reading

ADDRESS = Address("emulator-5554", "127.0.0.1", 1, "")


@pytest.mark.parametrize(("user", "refused"), [(b"0\n", False), (b"2000\n", True), (None, True)])
def test_root_passes_where_it_restarts_nothing(
    user: bytes | None, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask_service(_: Address, service: str) -> bytes:
        assert service == "exec:id -u"
        if user is None:
            msg = "gone"
            raise DeviceError(msg)
        return user

    monkeypatch.setattr(recorded, "ask_service", ask_service)
    nobody = cast("Any", None)
    reader = recorded.Relay(ADDRESS, nobody, default_reading(), nobody, nobody)
    assert bool(asyncio.run(reader._read("root:")).refused) is refused
    assert asyncio.run(reader._read("unroot:")).refused
