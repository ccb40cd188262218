"""Files: two tasks."""

from pytest_mobileagent import long_press, open_app, scroll, tap

from ._registry import solves

FILES = "com.google.android.documentsui"
DEVICE = "//*[contains(@resource-id, 'roots_list')]/*[last()]"


def to(name):
    """Return the moves that open a folder among those that are shown."""
    return [scroll("up", until={"text": name}), tap(text=name)]


def find(folder, name):
    """Return the moves that choose a file in a folder of the phone's own storage."""
    return [
        open_app(FILES),
        tap(content_desc="Show roots"),
        tap(xpath=DEVICE),
        *to(folder),
        scroll("up", until={"text": name}),
        long_press(text=name),
    ]


@solves("FilesDeleteFile")
def delete_file(params):
    file = find(params["subfolder"], params["file_name"])
    return [*file, tap(content_desc="Delete"), tap(text="OK")]


@solves("FilesMoveFile")
def move_file(params):
    return [
        *find(params["source_folder"], params["file_name"]),
        tap(content_desc="More options"),
        tap(text="Move to…"),
        *to(params["destination_folder"]),
        tap(text="Move"),
    ]
