"""A3's second release: 100 tasks, judged by their essential states in windows of four screens.

The rewritten goals in some copies mention different or fewer things than the states: these tasks
are judged by their goals alone.
"""

from pytest_mobileagent import files, long_press, open_app, rows, tap, tasks, type_text

from ..release import NOISY, official

ROWS = rows("../v2.toml", wording=official)
REWRITTEN = {
    "remarks": ("a rewrite of the release: judged by its words alone, not by the essential states",)
}
DOWNLOADS, DOCUMENTS = files("/sdcard/Download"), files("/sdcard/Documents")
STORED = {"downloads": DOWNLOADS, "documents": DOCUMENTS}
STORAGE = "//*[contains(@resource-id, 'roots_list')]/*[last()]"


def stocking(*paths):
    """Return a function that creates files on the phone, as on the release's own phone."""

    def prepare(device):
        for path in paths:
            folder = path.rpartition("/")[0]
            device.system.shell(f"mkdir -p '{folder}'; echo {len(path)} > '{path}'")

    return prepare


def folder(name):
    return tap(xpath=f"//*[contains(@resource-id, 'item_root')][.//*[@text='{name}']]")


def move_on(what, name):
    """Return the moves that copy or move the chosen file into Documents, or a folder inside it."""
    return [
        tap(content_desc="More options"),
        tap(text=f"{what} to…"),
        folder("Documents"),
        *([folder(name)] if name else []),
        tap(text=what),
    ]


DOCUMENTS_FOLDER = [
    open_app(),
    tap(content_desc="Show roots"),
    tap(xpath=STORAGE),
    folder("Documents"),
]
CHECKED = {
    "file_copy_testtxt": {
        "probes": STORED,
        "prepare": stocking("/sdcard/Download/test.txt"),
        "solution": [open_app(), long_press(text="test.txt"), *move_on("Copy", "")],
    },
    "file_delete_todelete": {
        "probes": STORED,
        "prepare": stocking("/sdcard/Documents/to_delete.txt"),
        "solution": [
            *DOCUMENTS_FOLDER,
            long_press(text="to_delete.txt"),
            tap(content_desc="Delete"),
            tap(text="OK"),
        ],
    },
    "file_create_mypng_folder": {
        "probes": STORED,
        "prepare": stocking("/sdcard/Download/pic1.jpeg"),
        "solution": [
            *DOCUMENTS_FOLDER,
            tap(content_desc="More options"),
            tap(text="New folder"),
            type_text("MyPNG", resource_id="text1"),
            tap(text="OK"),
            open_app(),
            tap(content_desc="Show roots"),
            tap(text="Downloads"),
            long_press(text="pic1.jpeg"),
            *move_on("Copy", "MyPNG"),
        ],
    },
}


def copied(episode):
    assert "test.txt" in episode.probe("documents")
    assert "test.txt" in episode.probe("downloads")


def deleted(episode):
    before, after = episode.initial_probe("documents"), episode.probe("documents")
    assert [name for name in before if name not in after] == ["to_delete.txt"]


def in_new_folder(episode):
    assert "MyPNG/pic1.jpeg" in episode.probe("documents")
    assert "pic1.jpeg" in episode.probe("downloads")


BODIES = {
    "file_copy_testtxt": copied,
    "file_delete_todelete": deleted,
    "file_create_mypng_folder": in_new_folder,
}


EACH = {
    row.test_id: REWRITTEN if row.goal_variant == NOISY else CHECKED.get(row.id, {}) for row in ROWS
}


@tasks(ROWS, each=EACH, source="A3 v2")
def test_v2(episode, row, judge):
    asked = {"rubric": row.rubric, "window": 4}
    if row.goal_variant == NOISY:
        assert judge(episode, window=4)
    elif row.id in BODIES:
        judge.beside(episode, **asked)
        BODIES[row.id](episode)
    else:
        assert judge(episode, **asked)
