from __future__ import annotations

import functools
from dataclasses import replace

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


def _page(root: str, more: str, tag: str = "") -> str:
    """Return a hierarchy of a list with a focused field; its nodes are called by class or `tag`."""

    def node(name: str, bounds: str, end: str = " /", **values: str) -> str:
        given = {"text": "", "click": "false", "focus": "false", **values}
        given["text"] = f'text="{given["text"]}" '
        name = f"android.widget.{name}"
        node = NODE.format(tag=tag or name, index=0, name=name, more=more, bounds=bounds, **given)
        return f"{node}{end}>"

    nodes = [
        node("FrameLayout", "[0,0][1080,2400]", ""),
        node("EditText", "[0,200][1080,320]", text="milk", focus="true"),
        node("Button", "[0,400][1080,520]", text="Buy", click="true"),
    ]
    declaration = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
    end = f"</{tag or 'android.widget.FrameLayout'}></hierarchy>"
    return f"{declaration}<hierarchy {root}>{''.join(nodes)}{end}"


@pytest.fixture
def raw() -> Screen:
    """Return a screen with a hierarchy from `uiautomator dump`."""
    screen = make_screen(
        {"text": "", "class": "android.widget.FrameLayout", "bounds": "[0,0][1080,2400]"},
        package="com.example.shop",
    )
    xml = _page('rotation="0"', 'resource-id="" content-desc="" ', "node")
    return Screen(xml, screen.png, "com.example.shop", ".Main", screen.time)


@pytest.fixture
def appium(raw: Screen) -> Screen:
    """Return the same hierarchy as Appium's server formats it."""
    root = 'index="0" class="hierarchy" rotation="0" width="1080" height="2400"'
    return replace(raw, xml=_page(root, 'displayed="true" '))
