"""Favourites, albums and the trash, and information about pictures."""

import re

from pytest_mobileagent import (
    answer,
    files,
    long_press,
    open_app,
    scroll,
    sqlite,
    tap,
    task,
    type_text,
)

PHOTOS = "com.google.android.apps.photos"
FAVORITES = sqlite(
    "/data/data/com.google.android.providers.media.module/databases/external.db",
    "SELECT _display_name AS name FROM files WHERE is_favorite",
)
ALBUMS = sqlite(
    "/data/data/com.google.android.apps.photos/databases/gphotos0.db",
    "SELECT title, count(path) AS photos FROM albums LEFT JOIN album_items ON album_id = _id"
    " GROUP BY _id",
)
CAMERA = files("/sdcard/DCIM/Camera")
PICTURE = re.compile("Photo taken on .*")


@task(
    "Mark the newest picture in Photos as a favorite.",
    app=PHOTOS,
    level=1,
    probes={"favorites": FAVORITES, "camera": CAMERA},
    solution=[open_app(), tap(content_desc=PICTURE, nth=0), tap(content_desc="Favorite")],
)
def test_favorite(episode):
    newest = max(episode.probe("camera"))
    assert [row["name"] for row in episode.probe("favorites")] == [newest]


@task(
    "Move both pictures of cats in Photos to the trash, and nothing else.",
    app=PHOTOS,
    level=2,
    probes={"camera": CAMERA},
    solution=[
        open_app(),
        tap(text="Search"),
        tap(text="Cat"),
        long_press(content_desc=PICTURE, nth=0),
        tap(content_desc=PICTURE, nth=1),
        tap(content_desc="Delete"),
        tap(text="Move to trash"),
    ],
)
def test_trash(episode):
    before, after = episode.initial_probe("camera"), episode.probe("camera")
    gone = [name for name in before if name not in after]
    assert [name[-7:] for name in gone] == ["103.jpg", "104.jpg"]
    assert len([name for name in after if name.startswith(".trashed-")]) == 2


@task(
    'Make an album "Birch Ridge" in Photos with the three pictures of our hike, taken 9 days ago.',
    app=PHOTOS,
    level=3,
    probes={"albums": ALBUMS},
    solution=[
        open_app(),
        tap(text="Search"),
        type_text("birch ridge", enter=True, resource_id="search_box"),
        long_press(content_desc=PICTURE, nth=0),
        tap(content_desc=PICTURE, nth=1),
        tap(content_desc=PICTURE, nth=2),
        tap(content_desc="Add to album"),
        tap(text="New album"),
        type_text("Birch Ridge", resource_id="title"),
        tap(text="Save"),
    ],
)
def test_album(episode):
    assert episode.probe("albums") == [{"title": "Birch Ridge", "photos": 3}]


@task(
    "Where was my last picture of a beach taken? Photos knows it.",
    app=PHOTOS,
    kind="multi-frame query",
    level=2,
    solution=[
        open_app(),
        tap(text="Search"),
        tap(text="Beach"),
        tap(content_desc=PICTURE, nth=0),
        scroll("up"),
        answer("Sandvik"),
    ],
)
def test_place(episode):
    assert episode.saw(text="Sandvik")
    assert episode.answers("Sandvik")


@task(
    "Open the Trash in the Library of Photos.",
    app=PHOTOS,
    level=1,
    solution=[open_app(), tap(text="Library"), tap(text="Trash")],
)
def test_open_trash(episode):
    assert episode.screen.find(text="Your trash is empty")
