"""Tests of reading what a phone's commands print about its state."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.device import (
    LOCK,
    POWER,
    ROOM,
    Address,
    free_mb,
    is_locked,
    wakefulness,
)
from pytest_mobileagent.device.doctor import checks
from pytest_mobileagent.device.drivers.adb.streams import EventStream, LogStream
from pytest_mobileagent.device.drivers.adb.system import FOCUS, AdbSystem, clear, focus, read_info
from tests.field.corpus import SERIAL, outputs_of

if TYPE_CHECKING:
    from pytest_mobileagent.episode.observation import DeviceInfo
    from tests.field.corpus import Output

OTHERS = {
    "getprop ro.build.version.sdk": "34\n",
    "wm size": "Physical size: 1080x2400\n",
    "wm density": "Physical density: 420\n",
}

MISSING = {"getprop ro.build.version.sdk": "\n"}


def info(entry: Output) -> DeviceInfo:
    """Return the facts about a device, where the entry's command prints its output."""
    others = {command: text for command, text in OTHERS.items() if command != entry.command}
    return read_info(replace(entry, also=others | entry.also).shell)


def device(entry: Output) -> Any:
    """Return a device whose shell prints the entry's output."""
    return SimpleNamespace(
        system=SimpleNamespace(shell=entry.text), info=SimpleNamespace(serial="")
    )


def system(entry: Output) -> AdbSystem:
    """Return the system of a device that has booted, without events and a log."""
    system = AdbSystem.__new__(AdbSystem)
    system.address = Address(SERIAL)
    vars(system).update(
        _shell=entry.shell,
        _listener=EventStream(system.address),
        _log=LogStream(system.address, "off"),
        _packages=None,
    )
    return system


@outputs_of("wm_size")
def test_the_size_of_the_screen(entry: Output) -> None:
    entry.check(lambda: info(entry).size)


@outputs_of("wm_density")
def test_the_density_of_the_screen(entry: Output) -> None:
    entry.check(lambda: info(entry).density)


@outputs_of("getprop")
def test_the_properties(entry: Output) -> None:
    known = re.findall(r"\[(.*)\]: \[(.*)\]", entry.output)
    each = {f"getprop {name}": f"{value}\n" for name, value in known}
    shell = replace(entry, output="\n", also={**OTHERS, **MISSING, **each}).shell

    def read() -> list[str | int]:
        found = read_info(shell)
        return [found.model, found.android, found.sdk, found.locale]

    entry.check(read)


@outputs_of("dumpsys_window")
def test_the_focused_package_and_activity(entry: Output) -> None:
    entry.check(lambda: focus(entry.text(FOCUS)))


@outputs_of("lock")
def test_whether_the_phone_is_locked(entry: Output) -> None:
    entry.check(lambda: is_locked(entry.text(LOCK)))


@outputs_of("dumpsys_power")
def test_whether_the_screen_is_on(entry: Output) -> None:
    entry.check(lambda: wakefulness(entry.text(POWER)))


@outputs_of("df")
def test_the_free_storage(entry: Output) -> None:
    entry.check(lambda: free_mb(entry.text(ROOM)))


@outputs_of("ime_list")
def test_the_keyboards(entry: Output) -> None:
    entry.check(lambda: checks.keyboard(device(entry)))


@outputs_of("pm_clear")
def test_whether_an_app_was_cleared(entry: Output) -> None:
    entry.check(lambda: clear(entry.shell, ["com.example.notes"]))


@outputs_of("pm_list_packages")
def test_the_installed_packages(entry: Output) -> None:
    entry.check(lambda: dict(system(entry).versions()))
