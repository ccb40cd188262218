"""Files, settings, the shop and pictures, with names that are drawn."""

import pytest

from pytest_mobileagent import (
    files,
    long_press,
    open_app,
    scroll,
    setting,
    sqlite,
    tap,
    task,
    type_text,
)

FILES = "com.google.android.documentsui"
SETTINGS = "com.android.settings"
WISH = "com.contextlogic.wish"
DOWNLOADS = files("/sdcard/Download")
WISHES = sqlite(
    "/data/data/com.contextlogic.wish/databases/wish.db",
    "SELECT w.name AS list, p.name FROM wishes JOIN wishlists w ON w._id = list_id"
    " JOIN products p ON p._id = product_id",
)
WORDS = ("Lighthouse", "Pebble", "Heron", "Juniper", "Comet", "Saffron")


def any_name(dice):
    return {"name": f"{dice.choice(WORDS)} {dice.randint(1, 9)}"}


@pytest.mark.parametrize("file", ["timetable.csv", "invoice-2026-10.pdf"])
@task(
    'In Files, rename "{file}" in my Downloads to "{name}".',
    app=FILES,
    level=2,
    probes={"downloads": DOWNLOADS},
    parameters=any_name,
    solution=[
        open_app(),
        long_press(text="{file}"),
        tap(content_desc="More options"),
        tap(text="Rename"),
        type_text("{name}", clear=True, resource_id="text1"),
        tap(text="OK"),
    ],
)
def test_rename(episode, file, name):
    assert name in episode.probe("downloads")
    assert file not in episode.probe("downloads")


@task(
    'In Files, make a folder "{name}" in Downloads and move timetable.csv into it.',
    app=FILES,
    level=3,
    probes={"downloads": DOWNLOADS},
    parameters=any_name,
    solution=[
        open_app(),
        long_press(text="timetable.csv"),
        tap(content_desc="More options"),
        tap(text="Move to…"),
        tap(text="Download"),
        tap(content_desc="More options"),
        tap(text="New folder"),
        type_text("{name}", resource_id="text1"),
        tap(text="OK"),
        tap(text="Move"),
    ],
)
def test_move(episode, name):
    assert f"{name}/timetable.csv" in episode.probe("downloads")
    assert "timetable.csv" not in episode.probe("downloads")


@task(
    'Give this phone the name "{name}".',
    app=SETTINGS,
    level=2,
    probes={"name": setting("global", "device_name")},
    parameters=any_name,
    solution=[
        open_app(),
        scroll("up", until={"text": "About phone"}),
        tap(text="About phone"),
        tap(text="Device name"),
        type_text("{name}", clear=True, class_name="EditText"),
        tap(text="OK"),
    ],
)
def test_phone_name(episode, name):
    assert episode.probe("name") == name


@pytest.mark.parametrize("product", ["notebook", "flashlight", "bottle", "poncho"])
@task(
    'Search Wish for a {product}, and put the first result on a new wishlist "{name}".',
    app=WISH,
    level=2,
    probes={"wishes": WISHES},
    parameters=any_name,
    solution=[
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text("{product}", enter=True, resource_id="search_edit_text"),
        tap(resource_id="product_tile", nth=0),
        tap(content_desc="Add to wishlist"),
        tap(text="New wishlist"),
        type_text("{name}", resource_id="name"),
        tap(text="Create"),
    ],
)
def test_wishlist(episode, product, name):
    fresh = [row for row in episode.probe("wishes") if row not in episode.initial_probe("wishes")]
    assert [row["list"] for row in fresh] == [name]
    assert product in fresh[0]["name"].lower()


@pytest.mark.parametrize("file", ["choir-scores.zip"])
@task(
    'In Files, rename the archive "{file}" in my Downloads to "{name}.zip".',
    app=FILES,
    level=2,
    probes={"downloads": DOWNLOADS},
    parameters=any_name,
    solution=[
        open_app(),
        long_press(text="{file}"),
        tap(content_desc="More options"),
        tap(text="Rename"),
        type_text("{name}.zip", clear=True, resource_id="text1"),
        tap(text="OK"),
    ],
)
def test_rename_archive(episode, file, name):
    assert f"{name}.zip" in episode.probe("downloads")
    assert file not in episode.probe("downloads")
