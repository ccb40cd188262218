"""The home screen: its items, where they are stored, and how it fits displays."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.image.workspace import DESKTOP, HOTSEAT, uri
from pytest_mobileagent.virtual.sdk import Activity, App, Text

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

DATABASE = "/data/data/com.google.android.apps.nexuslauncher/databases/launcher.db"
LAUNCHER = "com.google.android.apps.nexuslauncher"
DEMO = "org.demo/org.demo.NotesActivity"
WALLPAPER = "/data/system/users/0/wallpaper_orig"


def rows(phone):
    query = "SELECT title, container, screen, cellX, cellY, intent FROM favorites"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(phone.files.read(DATABASE))
        return connection.execute(query).fetchall()


def put(phone, *items):
    """Replace the database by one created elsewhere, and end the launcher."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE favorites (_id INTEGER PRIMARY KEY, title TEXT, intent TEXT, container INT,"
        " screen INT, cellX INT, cellY INT, spanX INT, spanY INT, itemType INT, rank INT)"
    )
    for component, container, screen, x, y in items:
        connection.execute(
            "INSERT INTO favorites VALUES (NULL, 'x', ?, ?, ?, ?, ?, 1, 1, 0, 0)",
            (uri(component), container, screen, x, y),
        )
    phone.files.write(DATABASE, connection.serialize())
    connection.close()
    phone.activities.force_stop(LAUNCHER)


def test_a_new_phone_has_its_apps_in_the_database(phone):
    (row,) = rows(phone)
    assert row[:5] == ("Demo", DESKTOP, 0, 0, 4)
    assert "component=org.demo/org.demo.NotesActivity;end" in row[5]


def test_a_database_that_is_pushed_counts_once_the_launcher_starts_anew(phone, hand):
    before = hand.center("text", "Demo")
    put(phone, (DEMO, DESKTOP, 0, 3, 2))
    after = hand.center("text", "Demo")
    assert after[0] > before[0] + 500
    assert after[1] < before[1] - 300
    phone.tap(*after)
    assert phone.activities.top.package == "org.demo"


def test_pages_follow_the_finger(phone, hand):
    put(phone, (DEMO, DESKTOP, 2, 0, 0))
    assert not hand.sees("Demo")
    assert hand.node("content-desc", "Page 1 of 2")
    phone.swipe(900, 1000, 200, 1000)
    assert hand.sees("Demo")
    phone.swipe(200, 1000, 900, 1000)
    assert not hand.sees("Demo")


def test_in_arabic_pages_lead_the_other_way_and_icons_begin_at_the_right(phone, hand):
    put(phone, (DEMO, DESKTOP, 0, 0, 2), (DEMO, DESKTOP, 1, 0, 0))
    phone.locales.change(["ar-EG"])
    left, _, right, _ = hand.bounds("text", "Demo")
    assert left > 540
    assert right > 1000
    phone.swipe(200, 1000, 900, 1000)
    assert hand.node("content-desc", "صفحة ٢ من ٢")


def test_the_hotseat_is_on_every_page(phone, hand):
    put(phone, (DEMO, HOTSEAT, 1, 1, 0), (DEMO, DESKTOP, 3, 0, 0))
    assert len(hand.nodes("text", "Demo")) == 1
    phone.swipe(900, 1000, 200, 1000)
    assert len(hand.nodes("text", "Demo")) == 2


def test_icons_keep_their_size_on_a_phone_that_lies_on_its_side(crowded):
    crowded.snapshots.load("default_boot")
    crowded.display.lock_rotation(1)
    box = crowded.windows.find("activity").box
    icons = [b.view for b in box.walk() if isinstance(b.view, Text) and b.view.icon_top]
    assert min(icon.icon_size for icon in icons) >= 38, "with room for a label under each"


def test_an_icon_without_an_app_is_not_shown(phone, hand):
    put(phone, ("org.gone/org.gone.Main", DESKTOP, 0, 0, 1), (DEMO, DESKTOP, 0, 1, 1))
    assert len([n for n in hand.nodes("class", "android.widget.TextView") if "org.gone" in n]) == 0
    assert hand.sees("Demo")


@pytest.mark.parametrize("data", [b"", b"no database at all", b"SQLite format 3\0broken"])
def test_a_broken_database_is_made_anew(phone, hand, data):
    phone.files.write(DATABASE, data)
    phone.activities.force_stop(LAUNCHER)
    assert hand.sees("Demo")
    assert len(rows(phone)) == 1


def overlapping(boxes):
    return [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[:i]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


class Main(Activity):
    name = ".Main"

    def content(self):
        return Text("Main")


@pytest.fixture(scope="module")
def crowded() -> Phone:
    apps = [
        type(
            f"App{n}",
            (App,),
            {"package": f"org.a{n}", "label": f"An app, {n}", "activities": (Main,)},
        )
        for n in range(30)
    ]
    return boot(apps, time=datetime(2026, 5, 1, tzinfo=UTC), frozen=True)


@pytest.mark.parametrize(("font", "locale"), [("0.85", "ar-EG"), ("1.3", "en-US")])
@pytest.mark.parametrize(
    ("size", "density"),
    [
        ((1080, 2160), 330),
        ((1080, 2160), 440),
        ((1080, 2160), 550),
        ((1440, 3040), 560),
        ((1080, 2400), 700),
        ((1280, 800), 160),
    ],
)
def test_icons_fit_every_display(crowded, size, density, font, locale):
    crowded.snapshots.load("default_boot")
    crowded.display.size_override, crowded.display.density_override = size, density
    crowded.settings.put("system", "font_scale", font)
    crowded.locales.change([locale])
    box = crowded.windows.find("activity").box
    icons = [b for b in box.walk() if isinstance(b.view, Text) and b.view.icon_top]
    assert len(icons) == 20
    boxes = [icon.bounds for icon in icons]
    others = [
        box.find(key).bounds for key in ("page_indicator", "search_container_hotseat", "date")
    ]
    assert not overlapping([*boxes, *others])
    for icon in icons:
        assert icon.visible == icon.bounds
        assert icon.view.icon_size >= 24
    screenshot = Image.open(io.BytesIO(crowded.screenshot()))
    assert screenshot.size == size


@pytest.mark.parametrize(("size", "density"), [((2400, 1080), 420), ((1280, 720), 320)])
def test_labels_can_be_read_in_landscape(crowded, size, density):
    crowded.snapshots.load("default_boot")
    crowded.display.size_override, crowded.display.density_override = size, density
    box = crowded.windows.find("activity").box
    icons = [b.view for b in box.walk() if isinstance(b.view, Text) and b.view.icon_top]
    assert {(view.color, view.size) for view in icons} == {("#ffffff", 12)}
    assert min(view.icon_size for view in icons) >= 28


def middle(phone):
    return Image.open(io.BytesIO(phone.screenshot())).convert("RGB").getpixel((540, 900))


def test_the_wallpaper_is_the_picture_in_its_place(phone):
    buffer = io.BytesIO()
    Image.new("RGB", (20, 40), "#cc0000").save(buffer, "PNG")
    phone.files.write(WALLPAPER, buffer.getvalue())
    assert middle(phone) == (0xCC, 0, 0)
    phone.files.write(WALLPAPER, b"no picture")
    assert middle(phone) != (0xCC, 0, 0)
    phone.files.write(WALLPAPER.removesuffix("_orig"), buffer.getvalue())
    assert middle(phone) != (0xCC, 0, 0)
    phone.reboot()
    assert middle(phone) == (0xCC, 0, 0)


def test_all_apps_are_in_the_order_of_the_language(phone):
    apps = [app.name for app in phone.packages.launchable()]
    assert apps == sorted(apps, key=phone.locales.current.sort_key)
