"""Tests of resets as data and in words."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Reset
from pytest_mobileagent.jsonable import read_as


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        (Reset("snapshot", "default_boot"), "snapshot default_boot"),
        (Reset("cleared", None, ("a", "b"), "no snapshot"), "no snapshot: cleared a, b"),
        (Reset("none", reason="recorded"), "recorded: cleared nothing"),
    ],
)
def test_reset_survives_json_and_is_described(reset, words):
    assert read_as(Reset, reset.to_json(), "reset") == reset
    assert str(reset) == words


@pytest.mark.parametrize(
    "junk", [{"kind": 3}, {"kind": "none", "cleared": "com.a"}, {"cleared": [1]}, {"reason": []}]
)
def test_invalid_resets_are_refused(junk):
    with pytest.raises(TypeError, match=r"reset\."):
        read_as(Reset, junk, "reset")
