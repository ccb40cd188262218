"""Photos: pictures are files, whatever is done to them."""

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
PHOTOS = "com.google.android.apps.photos"
NEWEST = "Photo taken on Nov 20, 2026 8:07 AM"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


@pytest.fixture
def photos(phone: Phone, hand: Hand) -> Hand:
    phone.activities.launch(PHOTOS)
    return hand


def test_what_is_trashed_is_hidden_and_comes_back(photos: Hand, sh: "Callable[[str], str]") -> None:
    photos.tap("content-desc", NEWEST)
    photos.tap("content-desc", "Delete")
    photos.tap("text", "Move to trash")
    assert "PXL_20261120" not in sh("ls /sdcard/DCIM/Camera")
    assert ".trashed-" in sh("ls -a /sdcard/DCIM/Camera")
    photos.phone.key("BACK")
    photos.tap("text", "Library")
    photos.tap("text", "Trash")
    photos.tap("content-desc", "PXL_20261120_080700100.jpg")
    photos.tap("text", "Restore")
    assert "PXL_20261120" in sh("ls /sdcard/DCIM/Camera")


def test_a_favorite_is_one_for_every_app(photos: Hand, sh: "Callable[[str], str]") -> None:
    photos.tap("content-desc", NEWEST)
    photos.tap("content-desc", "Favorite")
    rows = sh(
        "content query --uri content://media/external/images/media"
        " --projection _display_name --where is_favorite=1"
    )
    assert rows.count("Row:") == 1
    assert "PXL_20261120_080700100.jpg" in rows


def test_a_picture_that_is_none_is_shown_grey(photos: Hand, sh: "Callable[[str], str]") -> None:
    sh("echo broken > /sdcard/DCIM/Camera/PXL_20261120_115900199.jpg")
    photos.phone.changed()
    photos.tap("content-desc", "Photo taken on Nov 20, 2026 12:00 PM")
    assert photos.phone.screenshot()
    assert photos.phone.activities.top.package == PHOTOS


def test_another_app_has_a_picture_shown(photos: Hand) -> None:
    path = "file:///sdcard/DCIM/Camera/PXL_20261120_080700100.jpg"
    photos.phone.activities.start(
        Intent("android.intent.action.VIEW", data=path, type="image/jpeg")
    )
    assert photos.nodes("content-desc", NEWEST)
    photos.phone.swipe(900, 1200, 200, 1200)
    assert not photos.nodes("content-desc", NEWEST)


def test_an_album_is_named_as_soon_as_it_is_asked_for(photos: Hand) -> None:
    photos.phone.long_press(*photos.center("content-desc", NEWEST))
    photos.tap("content-desc", "Add to album")
    photos.tap("text", "New album")
    photos.phone.type_text("Trip")
    photos.tap("text", "Save")
    photos.tap("text", "Library")
    assert photos.nodes("content-desc", "Trip, 1 item")
