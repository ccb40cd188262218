"""Tests of resets as data and in words."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Reset
from pytest_mobileagent.jsonable import read_as

LOADED = Reset("snapshot", "default_boot")
CLEARED = Reset("cleared", cleared=("com.a", "com.b"), reason="no snapshot")


@pytest.mark.parametrize("reset", [LOADED, CLEARED, Reset("none", reason="recorded")])
def test_reset_survives_json(reset):
    assert read_as(Reset, reset.to_json(), "reset") == reset


def test_reset_is_described():
    assert str(LOADED) == "snapshot default_boot"
    assert str(CLEARED) == "no snapshot: cleared com.a, com.b"


@pytest.mark.parametrize(
    "junk", [{"kind": 3}, {"kind": "none", "cleared": "com.a"}, {"cleared": [1]}, {"reason": []}]
)
def test_invalid_resets_are_refused(junk):
    with pytest.raises(TypeError, match=r"reset\."):
        read_as(Reset, junk, "reset")
