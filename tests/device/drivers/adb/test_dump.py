"""uiautomator's ways to write a hierarchy, and not to."""

from __future__ import annotations

import pytest

from pytest_mobileagent.device.drivers.adb.adb_device import hierarchy, reason

XML = "<?xml version='1.0'?><hierarchy rotation=\"0\"><node/></hierarchy>"
SAID = "UI hierchary dumped to: /data/local/tmp/x.xml"


@pytest.mark.parametrize(
    "output", [XML, f"{SAID}\n{XML}", f"{XML}{SAID}\n", f"WARNING: linker: x\n{SAID}\r\n{XML}\n"]
)
def test_the_hierarchy_is_found_wherever_it_stands(output):
    assert hierarchy(output) == XML


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("ERROR: could not get idle state.\ncat: x: No such file or directory", "comes to rest"),
        ("ERROR: null root node returned by UiTestAutomationBridge.", "no window is active"),
        ("Killed", "another automation server"),
        ("UiAutomationService x already registered!", "another automation server"),
        (f"{SAID}\ncat: x: No such file or directory", "it wrote no file"),
        (f"{SAID}\n<?xml version='1.0'?><hierarchy", "UI hierchary dumped"),
        ("", "says 'nothing'"),
    ],
)
def test_that_there_is_none_is_explained(output, why):
    assert hierarchy(output) is None
    assert why in reason(output)
