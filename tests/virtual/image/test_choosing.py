"""Several apps handle an intent: the resolver's sheet, and the share sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.content.intent import SEND, VIEW, Filter
from pytest_mobileagent.virtual.sdk import Activity, App, Button, Column, Icon, Text, View

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

RESOLVER = "android/com.android.internal.app.ResolverActivity"
OPEN = f"am start -a {VIEW} -d 'geo:1,2' 2>/dev/null"
SHARE = "com.android.intentresolver:id/"


class Place(Activity):
    name = ".Place"
    title = "Place"
    actions = (VIEW,)
    schemes = ("geo", "https")

    def content(self) -> View:
        pick = Button("Take", on_click=lambda: self.finish(place=self.app.label))
        return Column([Text(f"{self.app.label} shows {self.intent.data}"), pick])


class Receive(Activity):
    name = ".Receive"
    title = "Receive"
    actions = (SEND,)
    mime_types = ("text/plain",)
    filters = (Filter((VIEW,), schemes=("https",), hosts=("maps.example",)),)

    def content(self) -> View:
        words = self.extras.get("android.intent.extra.TEXT", self.intent.data)
        return Text(f"{self.app.label} got {words}")


class Start(Activity):
    name = ".Start"
    title = "Start"

    def on_create(self) -> None:
        self.state = {"result": ""}

    def content(self) -> View:
        return Column(
            [
                Button("Ask", on_click=self.choose),
                Button("Share", on_click=lambda: self.share("a word", subject="Words")),
                Text(f"result {self.state['result']}"),
            ]
        )

    def choose(self) -> None:
        from pytest_mobileagent.virtual.sdk import Intent

        self.start(Intent(VIEW, data="geo:3,4"), request="place")

    def on_result(self, request: str, result: dict[str, object]) -> None:
        self.set(result=f"{request} {result['place']}")


class One(App):
    package, label, icon = "org.one", "One", Icon("map")
    activities = (Start, Place)


class Two(App):
    package, label, icon = "org.two", "Two", Icon("map")
    activities = (Start, Place, Receive)


@pytest.fixture(scope="module")
def booted() -> Phone:
    return boot([One, Two], frozen=True)


def test_an_app_can_be_chosen_once(phone, sh, hand):
    sh(f"{OPEN}")
    assert phone.activities.top.component == RESOLVER
    assert 'text="Open with"' in hand.node("resource-id", "android:id/title")
    assert 'enabled="false"' in hand.node("resource-id", "android:id/button_once")
    hand.tap("text", "Two")
    hand.tap("resource-id", "android:id/button_once")
    assert hand.sees("Two shows geo:1,2")
    phone.key("HOME")
    sh(f"{OPEN}")
    hand.tap("text", "One")
    hand.tap("text", "One")
    assert hand.sees("One shows geo:1,2")


def test_an_app_can_be_chosen_for_good(phone, sh, hand):
    sh(OPEN)
    hand.tap("text", "One")
    hand.tap("resource-id", "android:id/button_always")
    phone.key("HOME")
    phone.snapshots.save("chosen")
    sh(OPEN)
    assert hand.sees("One shows geo:1,2")
    sh("cmd package clear org.two")
    assert sh(f"cmd package resolve-activity --components -a {VIEW} -d geo:0") == "org.one/.Place\n"
    phone.defaults.forget("org.one")
    assert sh(f"cmd package resolve-activity --components -a {VIEW} -d geo:0") == f"{RESOLVER}\n"
    phone.snapshots.load("chosen")
    assert phone.defaults.opens("org.one")


def test_a_tap_above_the_sheet_and_the_home_key_close_it(phone, sh, hand):
    sh(OPEN)
    phone.tap(500, 300)
    assert phone.activities.top.package == phone.launcher
    sh(OPEN)
    phone.key("HOME")
    assert RESOLVER not in [record.component for record in phone.activities.records()]
    assert not phone.activities.recent()


def test_the_chosen_app_returns_its_result_to_the_caller(phone, hand):
    phone.activities.launch("org.one")
    hand.tap("text", "Ask")
    hand.tap("text", "Two")
    hand.tap("resource-id", "android:id/button_once")
    hand.tap("text", "Take")
    assert hand.sees("result place Two")


def test_a_link_goes_to_the_app_that_names_its_host(phone, sh, hand):
    sh(f"am start -a {VIEW} -d https://maps.example/x")
    assert hand.sees("Two got https://maps.example/x")
    sh(f"am start -a {VIEW} -d https://other.example/")
    assert hand.sees("Open links with")


def test_the_share_sheet_previews_and_hands_over(phone, hand):
    phone.activities.launch("org.one")
    hand.tap("text", "Share")
    assert phone.activities.top.component.startswith("com.android.intentresolver/")
    assert 'text="a word"' in hand.node("resource-id", f"{SHARE}content_preview_text")
    assert hand.sees("Sharing text")
    assert not hand.sees("One")
    hand.tap("text", "Two")
    assert hand.sees("Two got a word")
    phone.key("BACK")
    assert hand.sees("result ")


def test_the_share_sheet_copies(phone, hand):
    phone.activities.launch("org.one")
    hand.tap("text", "Share")
    hand.tap("content-desc", "Copy text")
    assert phone.clipboard.text == "a word"
    assert hand.sees("result ")


LOW = "settings put system user_rotation 1; wm size 720x1280; wm density 420"


@pytest.mark.parametrize(
    ("ask", "seen"),
    [(OPEN, "android:id/button_always"), (f"am start -a {VIEW} -d geo:1", "android:id/title")],
)
def test_a_low_display_shows_the_ends_of_the_sheet_and_scrolls_between(phone, sh, hand, ask, seen):
    sh(f"settings put system accelerometer_rotation 0; {LOW}; {ask}")
    _, top, _, bottom = hand.bounds("resource-id", seen)
    assert 63 <= top < bottom <= 720 - 63, "under a bar"
    assert 'scrollable="true"' in hand.node("resource-id", "android:id/resolver_list")
