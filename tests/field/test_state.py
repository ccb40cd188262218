"""Tests of reading what a phone's commands print about its state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb.system import read_info
from tests.field.corpus import outputs_of

if TYPE_CHECKING:
    from pytest_mobileagent.episode.observation import DeviceInfo
    from tests.field.corpus import Output


OTHERS = {
    "getprop ro.build.version.sdk": "34\n",
    "wm size": "Physical size: 1080x2400\n",
    "wm density": "Physical density: 420\n",
}


def info(entry: Output) -> DeviceInfo:
    """Return the facts about a device, where the entry's command prints its output."""
    others = {command: text for command, text in OTHERS.items() if command != entry.command}
    return read_info(replace(entry, also=others | entry.also).shell)


@outputs_of("wm_size")
def test_the_size_of_the_screen(entry: Output) -> None:
    entry.check(lambda: info(entry).size)
