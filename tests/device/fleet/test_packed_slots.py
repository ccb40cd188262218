"""Several virtual phones in one program: their addresses, replacement, and forks among them."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Open, Tap
from pytest_mobileagent.__main__ import main
from pytest_mobileagent.device.device import DeviceOptions, ForkingSystem
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots
from pytest_mobileagent.errors import DeviceError
from tests.conftest import APPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.sources import ProgramSlots

SIZE = (720, 1600)


@pytest.fixture(scope="module")
def slots() -> Iterator[ProgramSlots]:
    with contextlib.closing(SharedRun()) as run:
        options = DeviceOptions(workers=3, apps=(APPS,), per_program=2, size=SIZE)
        yield virtual_slots(run, options)


def test_phones_share_a_program_and_have_small_screens(slots):
    addresses = [slots.address(number) for number in range(3)]
    assert len({each.serial for each in addresses}) == 3
    pids = [slots.start(number, slots.command).record["pid"] for number in (0, 1)]
    assert len(set(pids)) == 2
    device = AdbDevice(addresses[1])
    assert device.observe().screen.size == SIZE
    assert device.info.density == 280
    device.close()


def test_a_lost_program_is_replaced_once_for_all_its_phones(slots):
    first, second = slots.address(0), slots.address(1)
    os.kill(slots.start(0, slots.command).record["pid"], signal.SIGKILL)
    replaced = slots.address(0, fresh=True)
    assert replaced != first
    assert slots.address(1, fresh=True) != second  # a phone of the new program
    assert slots.address(0) == replaced


def test_a_phone_is_forked_in_the_middle_of_what_it_does(slots):
    one, other = (AdbDevice(slots.address(number)) for number in (0, 1))
    one.perform(Open("com.example.counter"))
    seen = one.observe().screen
    one.perform(Tap(*seen.get(text="Add one").bounds.center))
    seen = one.observe().screen
    assert isinstance(one.system, ForkingSystem)
    one.system.fork(other.system)
    forked = other.observe().screen
    assert (forked.xml, forked.png) == (seen.xml, seen.png)
    other.system.shell("settings put system screen_off_timeout 7000")
    assert "7000" not in one.system.shell("settings get system screen_off_timeout")
    for device in (one, other):
        device.close()


def test_a_fork_on_a_phone_of_another_program_is_an_error(slots):
    one, other = (AdbDevice(slots.address(number)) for number in (0, 2))
    with pytest.raises(DeviceError, match=r"cannot be forked on .* only virtual phones of one pro"):
        one.system.fork(other.system)
    for device in (one, other):
        device.close()


def test_a_number_of_phones_below_one_is_refused(capsys):
    assert main(["device", "--phones=0", "--apps", str(APPS)]) == 1
    assert "--phones=0 must be 1 or more" in capsys.readouterr().err
