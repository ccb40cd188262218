"""The project's own apps, on one phone."""

from pathlib import Path

import pytest

from pytest_mobileagent.virtual.intent import Intent
from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
CLOCK, COURSERA = "com.android.deskclock", "org.coursera.android"
NOTES, SETTINGS = "com.simplemobiletools.notes.pro", "com.android.settings"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


def brightness(phone: Phone, y: int) -> int:
    """How light the left edge of the screen is: its green, between 0 and 255."""
    width, _, pixels = phone.raw_screenshot()
    return pixels[4 * width * y + 1]


def test_courseras_dark_mode_is_its_own(phone: Phone, hand: Hand) -> None:
    phone.packages.app(COURSERA).preferences().put("dark_mode", True)
    phone.activities.launch(COURSERA)
    assert brightness(phone, 1200) < 60
    phone.activities.launch(SETTINGS)
    assert brightness(phone, 1200) > 200


def test_a_dialog_that_asks_for_a_name_is_ready_to_type(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CLOCK)
    hand.tap("content-desc", "Expand alarm")
    hand.tap("text", "Early train")
    assert 'focused="true"' in hand.node("resource-id", f"{CLOCK}:id/label_input_field")
    phone.type_text("s")
    assert hand.sees("Early trains")
    assert phone.windows.find("keyboard")
    hand.tap("text", "Cancel")
    assert not phone.windows.find("keyboard")


def test_the_keyboard_of_a_dialog_leaves_the_screen_behind_as_it_is(
    phone: Phone, hand: Hand
) -> None:
    phone.activities.launch(CLOCK)
    hand.tap("content-desc", "Expand alarm")
    window = phone.windows.find("activity")
    assert window
    before = window.box
    hand.tap("text", "Early train")
    assert phone.windows.find("keyboard")
    window = phone.windows.find("activity")
    assert window
    assert [box.bounds for box in window.box.walk()] == [box.bounds for box in before.walk()]


def test_all_of_a_page_is_the_field_of_a_note(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(NOTES)
    right, bottom = hand.bounds("resource-id", f"{NOTES}:id/text_note_view")[2:]
    phone.tap(right - 20, bottom - 20)
    phone.type_text(" Really.")
    assert hand.sees("Call the dentist about Thursday. Really.")


def test_settings_answers_for_its_pages(phone: Phone, hand: Hand) -> None:
    phone.activities.start(Intent("android.settings.WIFI_SETTINGS"))
    assert hand.sees("AndroidWifi")


def test_a_dialog_takes_the_focus_only_once(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CLOCK)
    hand.tap("content-desc", "Expand alarm")
    hand.tap("text", "Early train")
    assert phone.windows.find("keyboard")
    phone.key("BACK")
    assert not phone.windows.find("keyboard")
    assert hand.sees("Early train")
    phone.key("BACK")
    hand.tap("text", "Early train")
    assert phone.windows.find("keyboard")


def test_an_alarm_that_opens_at_the_end_comes_into_view(phone: Phone, hand: Hand) -> None:
    phone.activities.launch(CLOCK)
    for _ in range(4):
        hand.tap("content-desc", "Add alarm")
        hand.tap("text", "OK")
    delete = hand.bounds("text", "Delete")
    fab = hand.bounds("content-desc", "Add alarm")
    assert delete[3] <= fab[1]
