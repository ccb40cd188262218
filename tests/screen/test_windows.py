"""Tests of hierarchies with several windows: a split screen, a keyboard over an app."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Screen
from pytest_mobileagent.screen.xml import parse

NODE = '<node class="{1}" package="{0}" bounds="{2}"><node text="{0}" bounds="{2}"/></node>'
TAG = (
    '<{1} class="{1}" package="{0}" bounds="{2}"><android.view.View text="{0}" bounds="{2}"/></{1}>'
)
WINDOWS = [  # topmost first, as Android lists them
    ("keyboard", "android.widget.FrameLayout", "[0,1600][1080,2400]"),
    ("upper", "android.widget.FrameLayout", "[0,0][1080,1200]"),
    ("lower", "android.widget.FrameLayout", "[0,1200][1080,2400]"),
]


def dump_of_windows() -> str:
    windows = "".join(
        f'<window index="{n}" active="true"><hierarchy rotation="1">{NODE.format(*window)}'
        "</hierarchy></window>"
        for n, window in enumerate(WINDOWS)
    )
    other = '<display id="2"><window><hierarchy rotation="0"><node/></hierarchy></window></display>'
    return f'<?xml version="1.0"?><displays><display id="0">{windows}</display>{other}</displays>'


def appium_source() -> str:
    windows = "".join(TAG.format(*window) for window in WINDOWS)
    return f'<hierarchy rotation="1" width="2400" height="1080">{windows}</hierarchy>'


@pytest.fixture(params=[dump_of_windows, appium_source], ids=["uiautomator", "appium"])
def screen(request: pytest.FixtureRequest) -> Screen:
    return Screen(request.param(), b"")


def test_every_window_is_seen(screen):
    assert screen.texts == ("keyboard", "upper", "lower")
    assert len(screen.root.children) == 3


def test_the_window_on_top_comes_first(screen):
    assert [e.package or e.text for e in screen.at(500, 2000)] == ["keyboard"] * 2 + ["lower"] * 2
    assert next(e.text for e in screen.at(500, 1300)) == "lower"


def test_a_display_without_windows_is_an_empty_hierarchy():
    assert parse("<displays><display id='0'/></displays>").children == ()
    assert parse("<displays/>").children == ()
