"""The windows on the screen: dialogs, menus, toasts, bars, themes and sizes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Hand


@pytest.fixture
def asked(demo: Phone, hand: Hand) -> Phone:
    hand.tap("content-desc", "More options")
    hand.tap("text", "Rate")
    return demo


def rating(phone):
    return phone.activities.top.activity.state["rating"]


def test_a_dialog_is_all_that_is_dumped_and_touched(asked, hand):
    assert hand.sees("Rate Demo")
    assert not hand.sees("Milk")
    assert 'resource-id="android:id/button1"' in hand.node("text", "Yes")


def test_a_tap_on_the_shade_cancels_the_dialog(asked):
    asked.tap(540, 300)
    assert rating(asked) == "cancelled"


def test_a_tap_just_beside_the_dialog_does_not(asked, hand):
    left, top, _, _ = asked.windows.find("dialog").box.bounds
    asked.tap(left + 50, top - 20)
    assert rating(asked) == "asked"


def test_back_cancels_the_dialog_and_nothing_else(asked):
    asked.key("BACK")
    assert rating(asked) == "cancelled"
    assert asked.activities.top.component.endswith("NotesActivity")


def test_a_toast_is_on_the_screen_but_not_in_the_dump(asked, hand):
    hand.tap("text", "Yes")
    assert asked.windows.find("toast")
    assert "Thank you" not in asked.dump()
    before, version = asked.screenshot(), asked.version
    for _ in range(3):  # in frozen time an input takes a second
        asked.tap(5, 200)
    assert asked.windows.find("toast") is None
    assert asked.version > version
    assert asked.screenshot() != before


def test_a_tap_outside_a_menu_only_closes_it(demo, hand):
    hand.tap("content-desc", "More options")
    demo.tap(300, 1800)
    assert hand.sees("Milk")
    assert demo.activities.top.component.endswith("NotesActivity")


def test_the_version_stays_while_nothing_happens_and_rises_with_time(demo, hand):
    version = demo.version
    demo.screenshot()
    demo.dump()
    assert demo.version == version
    demo.clock.set(demo.clock.time() + 60)
    assert demo.version > version


def test_an_activity_that_shows_time_is_drawn_every_second(demo, hand):
    hand.tap("content-desc", "More options")
    hand.tap("text", "About")
    assert hand.sees("It is 12:00:00")
    demo.clock.set(demo.clock.time() + 1)
    assert hand.sees("It is 12:00:01")


def changes(phone, change):
    before = phone.screenshot(), phone.dump()
    change(phone)
    return phone.screenshot() != before[0], phone.dump() != before[1]


CHANGES = [  # an action, whether it changes the picture, and the bounds
    ("dark theme", lambda phone: setattr(phone.display, "dark", True), True, False),
    ("font scale", lambda phone: phone.settings.put("system", "font_scale", "1.3"), True, True),
    ("size", lambda phone: setattr(phone.display, "size_override", (720, 1280)), True, True),
    ("density", lambda phone: setattr(phone.display, "density_override", 320), True, True),
    ("rotation", lambda phone: phone.settings.put("system", "user_rotation", "1"), True, True),
    ("wifi", lambda phone: phone.radios.set_wifi(False), True, False),
    ("time", lambda phone: phone.clock.set(3661), True, False),
    ("sleep", lambda phone: phone.key("SLEEP"), True, True),
]


@pytest.mark.parametrize(("change", "picture", "bounds"), [c[1:] for c in CHANGES],
                         ids=[c[0] for c in CHANGES])  # fmt: skip
def test_settings_show_at_once(demo, change, picture, bounds):
    assert changes(demo, change) == (picture, bounds)


def test_an_app_may_wear_its_own_night_theme(demo, hand, monkeypatch):
    day, app = demo.raw_screenshot(), type(demo.packages.app("org.demo"))
    monkeypatch.setattr(app, "dark", True)
    demo.changed()
    night = demo.raw_screenshot()
    assert night != day
    demo.display.dark = True
    assert demo.raw_screenshot() == night
    monkeypatch.setattr(app, "dark", False)
    demo.changed()
    assert demo.raw_screenshot() == day


def test_in_landscape_the_screen_is_wide(demo):
    demo.settings.put("system", "user_rotation", "1")
    assert '<hierarchy rotation="1">' in demo.dump()
    assert 'bounds="[0,0][2400,1080]"' in demo.dump()
    width, height, pixels = demo.raw_screenshot()
    assert (width, height, len(pixels)) == (2400, 1080, 2400 * 1080 * 4)


def test_every_screen_can_be_dumped_and_drawn(phone, hand):
    def look():
        assert phone.screenshot().startswith(b"\x89PNG")
        assert re.fullmatch(r"<\?xml .*</hierarchy>", phone.dump())

    for keys in (["HOME"], ["APP_SWITCH"], ["NOTIFICATION"]):
        for key in keys:
            phone.key(key)
        look()
    phone.key("HOME")
    phone.swipe(540, 1500, 540, 700)
    look()


def test_two_phones_have_nothing_in_common(demo):
    other = boot()
    assert "org.demo" not in other.packages
    other.settings.put("system", "font_scale", "2.0")
    assert demo.settings.text("system", "font_scale") == "1.0"
