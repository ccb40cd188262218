"""Markor: notes that are made, edited, moved and deleted; and one that is sent as a message."""

from posixpath import splitext

from pytest_mobileagent import long_press, open_app, scroll, tap, type_text

from ._registry import solves
from .sms import write as write_message

MARKOR = "net.gsantner.markor"
EDITOR = "document__fragment__edit__highlighting_editor"
OK, BACK, MENU = tap(text="OK"), tap(content_desc="Navigate up"), tap(content_desc="More options")
SAVE, DELETE = tap(resource_id="action_save"), tap(resource_id="action_delete_selected_items")
FILES = "//*[starts-with(@content-desc, 'File ')]"
REST = f"({FILES} | //*[@resource-id='{MARKOR}:id/toolbar'])[last()]"  # a file, or what is no use
START = (0.03, 0.121)  # of the text in the editor
MOST = 5  # other files that there may be


def shown(name):
    return scroll("up", until={"text": name})


def new(name, text):
    """Make a note, whose extension is typed, or chosen where there is none."""
    stem, extension = splitext(name)
    none = [tap(resource_id="new_file_dialog__type"), tap(text="None")]
    typed = [type_text(extension, clear=True, resource_id="new_file_dialog__ext")]
    return [
        open_app(MARKOR),
        tap(resource_id="fab_add_new_item"),
        type_text(stem, resource_id="new_file_dialog__name"),
        *(typed if extension else none),
        OK,
        type_text(text, resource_id=EDITOR),
        SAVE,
    ]


def rename(old, name):
    return [
        BACK,
        shown(old),
        long_press(text=old),
        tap(resource_id="action_rename_selected_item"),
        type_text(name, clear=True, resource_id="new_name"),
        OK,
    ]


def write(name, text):
    """Replace the text of a note."""
    edit = type_text(text, clear=True, resource_id=EDITOR)
    return [open_app(MARKOR), shown(name), tap(text=name), edit, SAVE]


@solves("MarkorCreateNote", "MarkorTranscribeReceipt")
def create_note(params):
    return new(params["file_name"], params["text"])


@solves("MarkorCreateNoteAndSms")
def create_note_and_send(params):
    return [*create_note(params), *write_message(params["number"], params["text"])]


@solves("MarkorMergeNotes")
def merge_notes(params):
    texts = [params[f"file{number}_content"] for number in (1, 2, 3)]
    return new(params["new_file_name"], "\n\n".join(texts))


@solves("MarkorCreateFolder")
def create_folder(params):
    name = type_text(params["folder_name"], resource_id="new_file_dialog__name")
    return [open_app(MARKOR), tap(resource_id="fab_add_new_item"), name, tap(text="FOLDER")]


@solves("MarkorEditNote")
def edit_note(params):
    name, kind = params["file_name"], params["edit_type"]
    if kind == "replace":
        return write(name, params["replace_text"])
    opened = [open_app(MARKOR), shown(name), tap(text=name)]
    if kind == "footer":
        return [*opened, type_text(params["footer"], resource_id=EDITOR), SAVE]
    return [*opened, tap(at=START), type_text(params["header"] + "\n"), SAVE]


@solves("MarkorChangeNoteContent")
def change_note(params):
    old = params["original_name"]
    return [*write(old, params["updated_content"]), *rename(old, params["new_name"])]


@solves("MarkorAddNoteHeader")
def add_header(params):
    old, text = params["original_name"], f"{params['header']}\n\n{params['original_content']}\n"
    return [*write(old, text), *rename(old, params["new_name"])]


@solves("MarkorDeleteNote")
def delete_note(params):
    name = params["file_name"]
    return [open_app(MARKOR), shown(name), long_press(text=name), DELETE, OK]


@solves("MarkorDeleteNewestNote")
def delete_newest(params):
    by_date = [tap(resource_id="action_sort"), tap(text="Date")]
    return [open_app(MARKOR), *by_date, long_press(xpath=f"({FILES})[1]"), DELETE, OK]


@solves("MarkorDeleteAllNotes")
def delete_all(params):
    first = long_press(xpath=f"({FILES})[last()]")
    return [open_app(MARKOR), first, *[tap(xpath=REST)] * MOST, DELETE, OK]


@solves("MarkorMoveNote")
def move_note(params):
    name, source, target = (params[k] for k in ("file_name", "source_folder", "destination_folder"))
    start = [open_app(MARKOR), tap(text=source), shown(name), long_press(text=name)]
    return [*start, MENU, tap(text="Move"), tap(text=".."), tap(text=target),
            tap(text="SELECT THIS FOLDER")]  # fmt: skip
