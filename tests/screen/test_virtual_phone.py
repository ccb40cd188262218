"""Tests that the virtual phone's hierarchy, marks and screenshot show the same."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Open, Screen
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.perception.listing import autodroid_html
from pytest_mobileagent.perception.marks import appagent_marks, som_marks
from pytest_mobileagent.screen.ocr import read_text
from pytest_mobileagent.screen.text import folded

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Address


@pytest.fixture(scope="module")
def screen(phone: Address) -> Screen:
    with contextlib.closing(AdbDevice(phone)) as device:
        device.system.shell("am force-stop com.example.counter")  # another test may have used it
        device.perform(Open("com.example.counter"))
        return device.observe().screen


@pytest.mark.slow
def test_ocr_reads_what_the_hierarchy_says(screen):
    read = {folded(line.text): line.bounds for line in read_text(screen.image)}
    for element in screen.elements:
        if element.text:
            assert element.bounds.contains(*read[folded(element.text)].center)


def test_every_button_is_marked(screen):
    buttons = screen.find_all(clickable=True)
    assert len(buttons) >= 2
    for marks in (appagent_marks(screen), som_marks(screen)):
        assert [mark.element for mark in marks if mark.element in buttons] == buttons


def test_every_text_is_on_the_page(screen):
    html, _ = autodroid_html([screen])
    assert all(element.text in html for element in screen.elements)
