"""Chrome: a web of its own, and what it does where that ends."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.intent import Intent
from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

if TYPE_CHECKING:
    from collections.abc import Callable

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
CHROME = "com.android.chrome"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


@pytest.fixture
def chrome(phone: Phone, hand: Hand) -> Hand:
    phone.activities.launch(CHROME)
    return hand


def visit(hand: Hand, words: str) -> None:
    hand.tap("resource-id", f"{CHROME}:id/url_bar")
    hand.phone.type_text(f"{words}\n")


def test_an_address_is_opened_and_words_are_looked_for(chrome: Hand) -> None:
    visit(chrome, "openlex.org/otter")
    assert chrome.nodes("class", "android.webkit.WebView")
    assert chrome.sees("Otter - Openlex")
    visit(chrome, "neap tides")
    chrome.tap("text", "Tide - Openlex")
    assert 'text="openlex.org/tide"' in chrome.node("resource-id", f"{CHROME}:id/url_bar")
    chrome.phone.key("BACK")
    assert chrome.sees("neap tides - Findling")


@pytest.mark.parametrize(
    ("offline", "error"),
    [(False, "ERR_NAME_NOT_RESOLVED"), (True, "ERR_INTERNET_DISCONNECTED")],
)
def test_what_is_not_there_fails_as_in_chrome(
    chrome: Hand, sh: "Callable[[str], str]", offline: bool, error: str
) -> None:
    if offline:
        sh("svc wifi disable; svc data disable")
    visit(chrome, "example.nowhere")
    assert chrome.sees(error)


def test_an_order_is_placed_once_however_often_its_page_is_shown(
    chrome: Hand, sh: "Callable[[str], str]"
) -> None:
    visit(chrome, "cornerlamp.shop/finch")
    chrome.tap("text", "Add to basket")
    for _ in range(3):
        chrome.phone.changed()
        chrome.phone.dump()
    assert chrome.sees("Total: $70.80")


def test_tabs_are_counted_and_outlive_the_app(chrome: Hand, sh: "Callable[[str], str]") -> None:
    visit(chrome, "skycheck.net")
    chrome.phone.activities.start(
        Intent("android.intent.action.VIEW", data="https://openlex.org/tide")
    )
    assert "2 open tabs" in chrome.node("resource-id", f"{CHROME}:id/tab_switcher_button")
    sh("am force-stop com.android.chrome")
    chrome.phone.activities.launch(CHROME)
    assert chrome.sees("openlex.org/tide")
    chrome.tap("resource-id", f"{CHROME}:id/tab_switcher_button")
    assert len(chrome.nodes("resource-id", f"{CHROME}:id/card_view")) == 2


def test_history_forgets_incognito(chrome: Hand) -> None:
    visit(chrome, "openlex.org/tide")
    chrome.tap("resource-id", f"{CHROME}:id/menu_button")
    chrome.tap("text", "New Incognito tab")
    visit(chrome, "openlex.org/otter")
    chrome.tap("resource-id", f"{CHROME}:id/menu_button")
    chrome.tap("text", "History")
    assert "HistoryActivity" in chrome.phone.activities.top.component
    assert chrome.sees("Tide - Openlex")
    assert not chrome.sees("Otter - Openlex")


def test_a_page_of_the_phone_is_shown_whatever_is_in_it(
    chrome: Hand, sh: "Callable[[str], str]"
) -> None:
    sh("echo '<h1>Hello<p>{x} %s &lt;b&gt; <a href=\"//[\">bad' > /sdcard/Download/a.html")
    visit(chrome, "http://[")
    visit(chrome, "file:///sdcard/Download/a.html")
    assert chrome.sees("Hello")
    chrome.tap("text", "bad")
    assert chrome.phone.activities.top.package == CHROME
