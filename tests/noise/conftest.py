from __future__ import annotations

import functools

import pytest

from pytest_mobileagent import Screen
from pytest_mobileagent.noise.template import load
from pytest_mobileagent.testing import make_screen

NODE = (
    '<{tag} index="{index}" {text}package="com.example.shop" class="{name}" {more}'
    'checkable="false" checked="false" clickable="{click}" enabled="true" focusable="true" '
    'focused="{focus}" long-clickable="false" password="false" scrollable="false" '
    'selected="false" bounds="{bounds}"'
)
SIZE = (1080, 2400)


@functools.cache
def _by_name():
    return {each.name: each for each in load()}


@pytest.fixture
def templates():
    """Return all templates of the package but injections, by name."""
    return {name: each for name, each in _by_name().items() if not each.order}


@pytest.fixture
def injections():
    """Return all injections of the package."""
    return [each for each in _by_name().values() if each.order]


@pytest.fixture
def raw() -> Screen:
    """Return a hierarchy from `uiautomator dump`: a list with a focused field."""
    screen = make_screen(
        {"text": "", "class": "android.widget.FrameLayout", "bounds": "[0,0][1080,2400]"},
        package="com.example.shop",
    )
    xml = (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
        '<hierarchy rotation="0">'
        + _raw("android.widget.FrameLayout", "[0,0][1080,2400]", close=False)
        + _raw("android.widget.EditText", "[0,200][1080,320]", text="milk", focus="true")
        + _raw("android.widget.Button", "[0,400][1080,520]", text="Buy", click="true")
        + "</node></hierarchy>"
    )
    return Screen(xml, screen.png, "com.example.shop", ".Main", screen.time)


@pytest.fixture
def appium(raw: Screen) -> Screen:
    """Return the same hierarchy as Appium's server formats it."""
    xml = (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
        '<hierarchy index="0" class="hierarchy" rotation="0" width="1080" height="2400">'
        + _of("android.widget.FrameLayout", "[0,0][1080,2400]", close=False)
        + _of("android.widget.EditText", "[0,200][1080,320]", text="milk", focus="true")
        + _of("android.widget.Button", "[0,400][1080,520]", text="Buy", click="true")
        + "</android.widget.FrameLayout></hierarchy>"
    )
    return Screen(xml, raw.png, raw.package, raw.activity, raw.time)


def _raw(name, bounds, *, text="", click="false", focus="false", close=True):
    more = 'resource-id="" content-desc="" '
    node = NODE.format(
        tag="node", index=0, text=f'text="{text}" ', name=name, more=more, click=click,
        focus=focus, bounds=bounds,
    )  # fmt: skip
    return f"{node}{' /' if close else ''}>"


def _of(name, bounds, *, text="", click="false", focus="false", close=True):
    node = NODE.format(
        tag=name, index=0, text=f'text="{text}" ', name=name, more='displayed="true" ',
        click=click, focus=focus, bounds=bounds,
    )  # fmt: skip
    return f"{node}{' /' if close else ''}>"
