"""Tests of reading what commands print that act on a phone, or change its settings."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Tap, probes
from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice, hierarchy, reason
from pytest_mobileagent.device.drivers.adb.gestures import open_app
from pytest_mobileagent.device.screen import Panels, Shot
from pytest_mobileagent.environment.apply import _set_looks
from tests.field.corpus import PNG, SERIAL, outputs_of

if TYPE_CHECKING:
    from tests.field.corpus import Output


@outputs_of("input")
def test_refused_input(entry: Output) -> None:
    device: Any = AdbDevice.__new__(AdbDevice)
    device.system = SimpleNamespace(
        address=Address(SERIAL),
        info=SimpleNamespace(sdk=34),
        panels=Panels(),
        run=lambda *scripts: [entry.run(script) for script in scripts],
    )
    device._size, device._spares = (1080, 2400), False
    entry.check(lambda: device.perform(Tap(1, 2)))


@outputs_of("resolve_activity")
def test_apps_that_open(entry: Output) -> None:
    entry.check(lambda: {app: "started" in entry.text(open_app(app)) for app in entry.read})


@outputs_of("settings_put")
def test_settings_that_do_not_change(entry: Output) -> None:
    wanted: Any = SimpleNamespace(id="1", size=(1080, 2400), density=420, font_scale=1.0, dark=True)
    others = dict.fromkeys(("wm size", "wm density", "settings put", "cmd uimode"), "")
    others.pop(entry.command.removesuffix(" night yes"), None)
    entry = replace(entry, also=others)
    device: Any = SimpleNamespace(
        system=SimpleNamespace(shell=entry.text), info=SimpleNamespace(serial=SERIAL)
    )
    entry.check(lambda: _set_looks(device, wanted))


@outputs_of("base64")
def test_files(entry: Output) -> None:
    probe = probes.file("/sdcard/list.txt")
    entry.check(lambda: probe.parse(entry.text(probe.script)))


@outputs_of("screencap")
def test_screenshots(entry: Output) -> None:
    def read() -> str:
        shot = Shot.of(entry.run(Panels().script).raw)
        return "picture" if shot.png == PNG else shot.said

    entry.check(read)


@outputs_of("uiautomator_dump")
def test_view_hierarchies(entry: Output) -> None:
    printed = entry.text("uiautomator dump")
    found = hierarchy(printed) or reason(printed)
    assert entry.read in found
