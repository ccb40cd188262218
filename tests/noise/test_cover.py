"""Tests of noise on a screen: its pixels, and its nodes in the hierarchy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.noise import State
from pytest_mobileagent.noise.cover import cover, hierarchy, look_of
from pytest_mobileagent.noise.drawing import is_dark
from pytest_mobileagent.noise.layout import arrange, has_own_window, package_of
from pytest_mobileagent.testing.phones import png

if TYPE_CHECKING:
    from pytest_mobileagent import Screen


@pytest.mark.parametrize("kind", ["raw", "appium"])
def test_every_template_can_be_found_in_the_hierarchy_of_either_dialect(kind, request, templates):
    screen: Screen = request.getfixturevalue(kind)
    look = look_of(screen)
    for template in templates.values():
        root, own = arrange(template, look, State()), has_own_window(template, State())
        xml = hierarchy(screen, root, package_of(template, look, State()), own_window=own)
        covered = replace(screen, xml=xml)
        for part in root.iter():
            if part.text and (template.kind != "toast" or kind == "appium"):
                found = covered.find_all(text=part.text, clickable=bool(part.does))
                assert part.bounds in [element.bounds for element in found], template.name


@pytest.mark.parametrize("kind", ["raw", "appium"])
def test_noise_has_the_attributes_of_its_dialect(kind, request, templates):
    screen: Screen = request.getfixturevalue(kind)
    covered = cover(screen, templates["en-vip-half"], look_of(screen), State())
    tree = etree.fromstring(covered.xml.encode())
    known = next(tree.iterdescendants())
    button = next(node for node in tree.iter() if node.get("text") == "Get Gold")
    assert button.tag == ("node" if kind == "raw" else "android.widget.Button")
    assert set(known.attrib) <= set(button.attrib)
    assert button.get("package") == "com.example.shop"
    assert covered.xml.startswith("<?xml") == screen.xml.startswith("<?xml")


def test_a_card_lies_on_top_of_its_app_and_takes_the_focus(raw, templates):
    hostile = replace(templates["en-garden-week"], title='</node> & "x" {0} <script>')
    covered = cover(raw, hostile, look_of(raw))
    assert covered.beneath == covered.own == raw
    assert raw.own is raw
    assert (covered.size, covered.time, covered.package) == (raw.size, raw.time, raw.package)
    assert covered.get(resource_id="tv_title").text == hostile.title
    assert covered.find(text="Buy") is not None
    cross = covered.get(content_desc="Close")
    assert covered.at(*cross.bounds.center)[0] == cross
    assert [e for e in covered.elements if e.focused] == []
    assert raw.get(text="milk").focused


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("en-update-new", "com.example.shop"),
        ("en-splash-cola", "com.example.shop"),
        ("en-permission-contacts", "com.android.permissioncontroller"),
    ],
)
def test_a_window_of_its_own_is_all_that_a_dump_has(raw, templates, name, package):
    covered = cover(raw, templates[name], look_of(raw))
    assert covered.find(text="Buy") is None
    assert {element.package for element in covered.elements} == {package}
    assert covered.package == package


def test_with_several_windows_its_own_comes_first(raw, templates):
    several = replace(raw, xml=raw.xml.replace(
        "</hierarchy>", '<node index="1" text="12:00" package="com.android.systemui" class="x" '
        'bounds="[0,0][1080,63]" /></hierarchy>'))  # fmt: skip
    covered = cover(several, templates["en-update-new"], look_of(several))
    assert covered.find(text="Buy") is not None
    later = covered.get(text="Later")
    assert covered.at(*later.bounds.center)[0] == later


def test_a_dump_holds_no_toast_and_appium_does(raw, appium, templates):
    toast = templates["en-toast-sync"]
    assert cover(raw, toast, look_of(raw)).xml == raw.xml
    shown = cover(appium, toast, look_of(appium))
    assert shown.get(class_name="android.widget.Toast").text == toast.text
    assert shown.get(text="milk").focused


def test_a_page_that_an_ad_leads_to_looks_like_a_browser_s(raw, templates):
    ad = templates["en-click-shoes"]
    page = cover(raw, ad, look_of(raw), State(opened=True))
    assert page.package == "com.android.chrome"
    assert page.get(resource_id="url_bar").text == "example.com/brook"
    assert page.find(content_desc="Navigate up") is not None


def test_a_screen_without_a_hierarchy_stays_without_one(raw, templates):
    bare = replace(raw, xml="")
    covered = cover(bare, templates["en-garden-week"], look_of(bare))
    assert covered.xml == ""
    assert covered.png != bare.png


def test_the_same_gives_the_same_pixels(raw, templates):
    ad, look = templates["en-splash-cola"], look_of(raw)
    one, other = cover(raw, ad, look).png, cover(raw, ad, look).png
    assert one == other
    assert cover(raw, ad, look, State(left=1)).png != one, "the seconds that are left"


def test_a_dark_screen_gets_a_dark_card_and_all_but_the_noise_is_dimmed(raw, templates):
    dark = replace(raw, png=png(1080, 2400, 20))
    assert (is_dark(raw.image), is_dark(dark.image)) == (False, True)
    popup = templates["en-update-new"]
    light, night = (cover(each, popup, look_of(each)).image for each in (raw, dark))
    assert light.convert("L").getpixel((540, 1200)) > 180  # type: ignore[operator]
    assert night.convert("L").getpixel((540, 1200)) < 80  # type: ignore[operator]
    assert light.getpixel((5, 5)) == (114, 114, 114)
    toast = cover(raw, templates["en-toast-sync"], look_of(raw))
    assert toast.image.getpixel((5, 5)) == (255, 255, 255)


def test_a_picture_that_is_cut_off_is_the_device_s_fault(raw, templates):
    broken = replace(raw, png=raw.png[:100])
    with pytest.raises(ScreenError, match="cannot be decoded"):
        cover(broken, templates["en-garden-week"], look_of(raw))
