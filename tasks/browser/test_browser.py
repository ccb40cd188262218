"""Reading, comparing, and filling in forms on the web."""

import json

from pytest_mobileagent import answer, open_app, press, scroll, sqlite, tap, task, type_text

CHROME = "com.android.chrome"
DATABASE = "/data/data/com.android.chrome/databases/chrome.db"
BOOKMARKS = sqlite(DATABASE, "SELECT url, title FROM bookmarks")
SITES = sqlite(DATABASE, "SELECT host, key, value FROM site_data")


def go(words):
    """Return moves that type an address or words into the address bar of a new tab."""
    return [open_app(), type_text(words, enter=True, resource_id="url_bar")]


@task(
    'Search the web with Chrome for "grey heron", open the article of Openlex, and bookmark it.',
    app=CHROME,
    level=1,
    probes={"bookmarks": BOOKMARKS},
    solution=[
        *go("grey heron"),
        tap(text="Grey heron - Openlex"),
        tap(resource_id="menu_button"),
        tap(content_desc="Bookmark"),
    ],
)
def test_bookmark(episode):
    assert "Grey heron - Openlex" in [row["title"] for row in episode.probe("bookmarks")]


@task(
    "Open skycheck.net in Chrome. In which of its places is it coldest tomorrow, and how cold?",
    app=CHROME,
    kind="multi-frame query",
    level=3,
    solution=[
        *go("skycheck.net"),
        tap(text="Lindholm"),
        press("back"),
        tap(text="Sandvik"),
        press("back"),
        tap(text="Birch Ridge"),
        answer("Birch Ridge, -7 °C"),
    ],
)
def test_coldest(episode):
    assert episode.saw(text="-7 °C")
    assert episode.answers(["Birch Ridge", "-7 °C"])


@task(
    "How far does a grey heron's wings span? Look at openlex.org/grey-heron in Chrome, and answer "
    "with the length only.",
    app=CHROME,
    kind="single-frame query",
    level=1,
    solution=[
        *go("openlex.org/grey-heron"),
        answer("195 cm"),
    ],
)
def test_wings(episode):
    assert episode.saw(xpath="//*[starts-with(@text, 'Its wings span')]")
    assert episode.answers("195 cm")


@task(
    'Post the comment "Good with olives" as Mina below the recipe for chickpea stew on '
    "panandspoon.com. Use Chrome.",
    app=CHROME,
    level=2,
    probes={"sites": SITES},
    solution=[
        *go("panandspoon.com/recipes/chickpea-stew"),
        type_text("Mina", xpath="//*[@text='Your name']/following-sibling::*[1]"),
        press("back"),
        type_text("Good with olives", xpath="//*[@text='Comment']/following-sibling::*[1]"),
        press("back"),
        scroll("up"),
        tap(text="Post comment"),
    ],
)
def test_comment(episode):
    posted = {row["key"]: json.loads(row["value"]) for row in episode.probe("sites")}
    assert posted.get("comments /recipes/chickpea-stew") == [["Mina", "Good with olives"]]


@task(
    "Open the History of Chrome.",
    app=CHROME,
    level=1,
    solution=[open_app(), tap(resource_id="menu_button"), tap(text="History")],
)
def test_open_history(episode):
    assert episode.screen.find(resource_id="clear_browsing_data_button")
