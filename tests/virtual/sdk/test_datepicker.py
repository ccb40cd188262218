"""The date picker, in an app that asks for a day."""

from __future__ import annotations

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.sdk import Activity, App, Text, datepicker
from tests.virtual.conftest import NOON, Hand


class Main(Activity):
    name = ".Main"

    def on_create(self):
        today = self.phone.clock.now().date()
        self.ask("day", picker=datepicker.fresh(today), day="none")

    def content(self):
        return Text(f"day: {self.state['day']}", on_click=self.on_create)

    def ask_day(self):
        def done(day):
            self.set(asks="", day=day.isoformat())

        return datepicker.dialog(self, "picker", done=done, close=self.close)


class Asks(App):
    package, label = "org.asks", "Asks"
    activities = (Main,)


@pytest.fixture(scope="module")
def booted():
    return boot([Asks], time=NOON, frozen=True)


@pytest.fixture
def asked(phone):
    phone.activities.launch("org.asks")
    return Hand(phone)


def test_today_is_chosen_first(asked):
    assert asked.sees("Fri, Nov 20")
    assert 'selected="true"' in asked.node("content-desc", "20 November 2026")
    asked.tap("text", "OK")
    assert asked.sees("day: 2026-11-20")


def test_another_month_and_year_is_reached(asked):
    for _ in range(2):
        asked.tap("content-desc", "Next month")
    assert asked.sees("January 2027")
    asked.tap("content-desc", "31 January 2027")
    assert asked.sees("Sun, Jan 31")
    asked.tap("content-desc", "Previous month")
    asked.tap("text", "OK")
    assert asked.sees("day: 2027-01-31")


def test_nothing_is_chosen_by_leaving(asked):
    asked.tap("content-desc", "21 November 2026")
    asked.phone.key("BACK")
    assert asked.sees("day: none")


@pytest.mark.parametrize(("language", "first"), [("en-US", 0), ("de-DE", 6)])
def test_weeks_start_as_the_region_has_them(asked, language, first):
    asked.phone.locales.change([language])
    left = asked.bounds("text", "1")[0]  # a Sunday
    lefts = sorted({asked.bounds("text", str(day))[0] for day in range(1, 8)})
    assert lefts.index(left) == first


def test_digits_are_those_of_the_language(asked):
    asked.phone.locales.change(["ar-EG"])
    assert asked.sees("٢٠")


def test_there_is_room_in_landscape(asked):
    asked.phone.settings.put("system", "accelerometer_rotation", "0")
    asked.phone.settings.put("system", "user_rotation", "1")
    assert not asked.nodes("resource-id", "android:id/date_picker_header_date")
    asked.tap("content-desc", "05 November 2026")
    asked.tap("text", "OK")
    assert asked.sees("day: 2026-11-05")
