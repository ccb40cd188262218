"""Files, settings, the shop and pictures, with names that are drawn."""

from functools import partial

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

from .drawing import fresh, taps

WISHES = sqlite(
    "/data/data/com.contextlogic.wish/databases/wish.db",
    "SELECT w.name AS list, p.name FROM wishes JOIN wishlists w ON w._id = list_id"
    " JOIN products p ON p._id = product_id",
)
WORDS = ("Lighthouse", "Pebble", "Heron", "Juniper", "Comet", "Saffron")


def any_name(dice):
    return {"name": f"{dice.choice(WORDS)} {dice.randint(1, 9)}"}


def name_it(text):
    """Return moves that enter a name for a file or a folder."""
    return [type_text(text, clear=True, resource_id="text1"), *taps("OK")]


def choose(file, item):
    """Return moves that choose an item of the menu for a file."""
    return [open_app(), long_press(text=file), *taps("More options", item)]


with_a_name = partial(task, level=2, parameters=any_name)
of_files = partial(
    with_a_name,
    app="com.google.android.documentsui",
    probes={"downloads": files("/sdcard/Download")},
)


@pytest.mark.parametrize("file", ["timetable.csv", "invoice-2026-10.pdf"])
@of_files(
    'In Files, rename "{file}" in my Downloads to "{name}".',
    solution=[*choose("{file}", "Rename"), *name_it("{name}")],
)
def test_rename(episode, file, name):
    assert name in episode.probe("downloads")
    assert file not in episode.probe("downloads")


@pytest.mark.parametrize("file", ["choir-scores.zip"])
@of_files(
    'In Files, rename the archive "{file}" in my Downloads to "{name}.zip".',
    solution=[*choose("{file}", "Rename"), *name_it("{name}.zip")],
)
def test_rename_archive(episode, file, name):
    test_rename(episode, file, f"{name}.zip")


@of_files(
    'In Files, make a folder "{name}" in Downloads and move timetable.csv into it.',
    level=3,
    solution=[
        *choose("timetable.csv", "Move to…"),
        *taps("Download", "More options", "New folder"),
        *name_it("{name}"),
        *taps("Move"),
    ],
)
def test_move(episode, name):
    assert f"{name}/timetable.csv" in episode.probe("downloads")
    assert "timetable.csv" not in episode.probe("downloads")


@with_a_name(
    'Give this phone the name "{name}".',
    app="com.android.settings",
    probes={"name": setting("global", "device_name")},
    solution=[
        open_app(),
        scroll("up", until={"text": "About phone"}),
        *taps("About phone", "Device name"),
        type_text("{name}", clear=True, class_name="EditText"),
        *taps("OK"),
    ],
)
def test_phone_name(episode, name):
    assert episode.probe("name") == name


@pytest.mark.parametrize("product", ["notebook", "flashlight", "bottle", "poncho"])
@with_a_name(
    'Search Wish for a {product}, and put the first result on a new wishlist "{name}".',
    app="com.contextlogic.wish",
    probes={"wishes": WISHES},
    solution=[
        open_app(),
        tap(resource_id="home_page_search_text"),
        type_text("{product}", enter=True, resource_id="search_edit_text"),
        tap(resource_id="product_tile", nth=0),
        *taps("Add to wishlist", "New wishlist"),
        type_text("{name}", resource_id="name"),
        *taps("Create"),
    ],
)
def test_wishlist(episode, product, name):
    added = fresh(episode, "wishes")
    assert [row["list"] for row in added] == [name]
    assert product in added[0]["name"].lower()
