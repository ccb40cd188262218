"""File Manager: ten tasks of MobileAgentBench."""

import re

from pytest_mobileagent import files as files_probe
from pytest_mobileagent import long_press, tap, tasks, type_text

from .checks import OK, confirmed, equal, searched, texts
from .setups import DOWNLOAD, files, fresh, press, script
from .table import SOURCE, fields, of

VIDEOS = ("3gp", "avi", "m4v", "mkv", "mov", "mp4", "webm")


def paths(episode):
    """Return what is in the folder now."""
    return [name.lower() for name in episode.probe("download")]


def remaining(*endings):
    """Ask whether all files with these endings are gone, and no others."""

    def gone(episode):
        before = [name.lower() for name in episode.initial_probe("download")]
        return equal(paths(episode), [name for name in before if not name.endswith(endings)])

    return gone


def renamed(episode):
    before = {name.lower() for name in episode.initial_probe("download")}
    return equal({*paths(episode)}, before - {"testfile.txt"} | {"testfile1.txt"})


def hidden(episode):
    """Ask whether the folder is hidden, and the app shows the folder around it without it."""
    there = paths(episode)
    is_hidden = ".hidden/" in there and "hidden/" not in there
    crumbs = " ".join(texts(episode, "breadcrumb_text"))
    return is_hidden and "Download" in crumbs and ".hidden" not in texts(episode, "item_name")


def properties(episode):
    shown = {text.lower() for text in texts(episode, "property_value")}
    title = episode.screen.find(text="Properties", package=episode.app)
    return title and "testfile.txt" in shown and any("/download" in text for text in shown)


QUESTIONS = {
    "filemanager_check_file_properties": properties,
    "filemanager_check_storage": lambda e: e.screen.find(
        text=re.compile("Total storage"), package=e.app
    ),
    "filemanager_create_new_file": lambda e: "testfile.txt" in paths(e),
    "filemanager_delete_file": remaining("testfile.txt"),
    "filemanager_delete_txt": remaining(".txt"),
    "filemanager_delete_videos": remaining(*VIDEOS),
    "filemanager_hide_folder": hidden,
    "filemanager_rename_file": renamed,
    "filemanager_search_file": searched("testfile.txt"),
    "filemanager_sort_folder_by_size_desc": lambda e: confirmed(
        e, "sorting_dialog_radio_size", "sorting_dialog_radio_descending"
    ),
}
OPEN = press(text="Download")  # the folder, in which the release leaves the app
ONE = files("Testfile.txt")
SETUPS = {
    "filemanager_check_file_properties": fresh(ONE, after=[OPEN]),
    "filemanager_create_new_file": fresh(script(f"rm -f {DOWNLOAD}/[Tt]estfile.txt")),
    "filemanager_delete_file": fresh(ONE, after=[OPEN]),
    "filemanager_delete_txt": fresh(files("voice.m4a", "random.txt", "video.mov"), after=[OPEN]),
    "filemanager_delete_videos": fresh(
        files("iccv.mp3", "icml.mp4", "aaai.txt", "corl.avi", "neurips.exe", "cvpr.mov"),
        after=[OPEN],
    ),
    "filemanager_hide_folder": fresh(
        script(f"rm -rf {DOWNLOAD}/.hidden; mkdir -p {DOWNLOAD}/hidden"),
        after=[OPEN, press(content_desc="More options"), press(text="Temporarily show hidden")],
    ),
    "filemanager_rename_file": fresh(script(f"rm -f {DOWNLOAD}/testfile1.txt"), ONE, after=[OPEN]),
    "filemanager_search_file": fresh(ONE, after=[OPEN]),
}

MENU, CONFIRM = tap(content_desc="More options"), tap(resource_id=OK)
DELETE = [tap(content_desc="Delete"), CONFIRM]
CHOSEN = long_press(text="Testfile.txt")
SOLUTIONS = {
    "filemanager_check_file_properties": [CHOSEN, tap(content_desc="Properties")],
    "filemanager_check_storage": [tap(resource_id="tab_item_holder", nth=2)],
    "filemanager_create_new_file": [
        tap(text="Download"),
        tap(resource_id="items_fab"),
        type_text("testfile.txt", resource_id="item_title"),
        tap(resource_id="dialog_radio_file"),
        CONFIRM,
    ],
    "filemanager_delete_file": [CHOSEN, *DELETE],
    "filemanager_delete_txt": [long_press(text="random.txt"), *DELETE],
    "filemanager_delete_videos": [
        long_press(text="icml.mp4"),
        tap(text="corl.avi"),
        tap(text="cvpr.mov"),
        *DELETE,
    ],
    "filemanager_hide_folder": [
        long_press(text="hidden"),
        MENU,
        tap(text="Hide"),
        MENU,
        tap(text="Stop showing hidden media"),
    ],
    "filemanager_rename_file": [
        CHOSEN,
        tap(content_desc="Rename"),
        type_text("testfile1", clear=True, resource_id="rename_item_name"),
        CONFIRM,
    ],
    "filemanager_search_file": [type_text("testfile.txt", resource_id="top_toolbar_search")],
    "filemanager_sort_folder_by_size_desc": [
        tap(content_desc="Sort by"),
        tap(resource_id="sorting_dialog_radio_size"),
        tap(resource_id="sorting_dialog_radio_descending"),
        CONFIRM,
    ],
}


@tasks(
    of("filemanager"),
    each=fields("filemanager", SOLUTIONS, SETUPS, probes={"download": files_probe(DOWNLOAD)}),
    source=SOURCE,
)
def test_filemanager(episode, row):
    assert episode.ever(QUESTIONS[row.id])
