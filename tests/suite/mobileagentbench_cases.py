"""Screens on which the goals of MobileAgentBench's tasks are met, and the words to make them."""

from __future__ import annotations

import calendar
from datetime import datetime
from typing import Any

from pytest_mobileagent.testing.phones import as_screen
from tests.suite.made_screens import Case, at_last, n, way

KEYS = {"+": "plus", "-": "minus", "×": "multiply", "÷": "divide", "^": "power", "√": "root",
        ".": "decimal", "C": "clear", "=": "equals"}  # fmt: skip
OK = n("android:id/button1", touch=True)
FAB = n("calendar_fab")
SAVE = n("save", touch=True)


def typed(name: str, signs: str, value: str) -> Case:
    """Return a case in which keys of Calculator are pressed, and a result is shown."""
    keys = [(n(f"btn_{KEYS.get(sign, sign)}", touch=True),) for sign in signs]
    return way(f"calculator_{name}", *keys, (n("result", value),))


def units(name: str, **shown: tuple[str, str]) -> Case:
    nodes = []
    for place, (unit, value) in shown.items():
        nodes += [n(f"{place}_unit_name", unit), n(f"{place}_unit_text", value)]
    return at_last(f"calculator_convert_length {name}", *nodes)


def box(name: str, *, on: bool = True, **more: Any) -> Any:
    return n(name, cls="RadioButton", checked=on, **more)


def chosen(name: str, *boxes: Any, then: Any = ()) -> Case:
    """Return a case in which OK closes a dialog with boxes."""
    return way(name, (*boxes, OK), then)


def search(name: str, text: str) -> Case:
    return at_last(name, n("top_toolbar_search", text, cls="EditText"))


def on_title(text: str) -> Any:
    return n("pager_title", text, cls="TextView")


SIZE = box("sorting_dialog_radio_size")
UP, DOWN = box("sorting_dialog_radio_ascending"), box("sorting_dialog_radio_descending")
TITLE, CUSTOM = box("sorting_dialog_radio_title"), box("sorting_dialog_radio_custom")
CREATED = box("sorting_dialog_radio_date_created")
YEAR = n(text="Year", cls="RadioButton", checked=True)
MEDIA = [
    box(f"filter_media_{kind}", on=kind in {"images", "videos"}, fact=kind in {"images", "videos"})
    for kind in ("images", "videos", "gifs", "raws", "svgs", "portraits")
]
FOLDER = n("dir_holder", touch=True, inside=[n("dir_name", "Download")])
IMAGE = n("media_item_holder", touch=True)
LAUNDRY = n("event_title", "laundry", cls="EditText")
TASK = (
    n("task_title", "laundry"),
    n("task_description", "wash all my clothes"),
    box("task_all_day"),
)
NOON = as_screen("<hierarchy/>").time or datetime(2000, 1, 1)
NEXT = NOON.month % 12 + 1
DETAILS = (n(text="Message details"), n("property_value", "123456789"))
LIST = n("conversations_fab")
ARCHIVE = (n(text="Are you sure you want to archive 1 conversation?"), OK)
PLAYLIST = (n("new_playlist_title", "test", cls="EditText"), OK)
NOTE = (n("locked_note_title", "TODO List", cls="EditText"), box("type_checklist"), OK)
SHOPPING = (n("locked_note_title", "Shopping list", cls="EditText"), box("type_checklist"), OK)
FINISHED = n("locked_note_title", "finished_task", cls="EditText")
MILK = n("checklist_title", "Milk")


def removal(title: str) -> tuple[Any, ...]:
    return (n(text=f"Are you sure you want to delete note “{title}”?"), OK)


def item(text: str, *, on: bool = True) -> Any:
    parts = [n("checklist_checkbox", checked=on), n("checklist_title", text)]
    return n("checklist_holder", inside=parts)


def apps(*names: str) -> tuple[Any, ...]:
    """Return the main screen of App Launcher; an app without a name has an icon only."""
    search = n("top_toolbar_search", cls="EditText", fact=False)
    labels = [n("launcher_label", name) for name in names if name]
    icons = [n("launcher_icon", fact=not any(names)) for _ in names]
    return (search, n("launchers_grid", inside=[*labels, *icons]))


CASES = [
    typed("add", "3+5=", "8"),
    typed("cube", "3^3=", "27"),
    typed("divide", "12÷3=", "4"),
    units("down", top=("Mile", "1"), bottom=("Kilometer", "1.609344")),
    units("up", top=("Kilometer", "1.609344"), bottom=("Mile", "1")),
    typed("minus", "12-4=", "8"),
    typed("mixed", "24×3=", "87"),
    typed("multiply", "12×4=", "48"),
    typed("point", "19.7-81.3=", "-61.6"),
    typed("recalculate", "C5=", "60"),
    typed("square", "√16+3=", "7"),
    way(
        "calendar_create_and_search",
        (LAUNDRY, SAVE),
        (FAB,),
        (n("top_toolbar_search", "Laundry"),),
    ),
    at_last("calendar_daily_view", n("day_events")),
    way(
        "calendar_delete_tasks",
        (OK,),
        (n("calendar_events_list", inside=[n("event_item_title", "Cooking")]),),
    ),
    way("calendar_laundry", (LAUNDRY, SAVE), (FAB,)),
    way("calendar_laundry on leaving", (LAUNDRY,), (n(text="Save", touch=True),), (FAB,)),
    way("calendar_new_task", (*TASK, SAVE), (FAB,)),
    at_last("calendar_next_month", n("top_value", calendar.month_name[NEXT])),
    search("calendar_search", "Laundry"),
    at_last("calendar_snooze_time", n("settings_snooze_time", "1 minute")),
    at_last("calendar_start_week", n("settings_start_week_on", "Monday")),
    way(
        "contacts_filter",
        (n(text="Phone storage (1)", touch=True),),
        (OK,),
        (n(text="Change filter"),),
    ),
    chosen("contacts_hide_email", n("manage_visible_fields_emails")),
    way(
        "contacts_create in the app's own storage",
        (n("contact_first_name", "Yuzai"), n("contact_number", "123456789"), SAVE),
        (n("fragment_fab"),),
    ),
    at_last("contacts_remove_dialog", n("fragment_fab")),
    search("contacts_search", "yuzai"),
    chosen(
        "contacts_sort",
        CREATED,
        DOWN,
        then=(n("item_contact_name", "Zack"), n("item_contact_name", "Yuzai")),
    ),
    at_last(
        "filemanager_check_file_properties",
        n(text="Properties"),
        n("property_value", "Testfile.txt"),
        n("property_value", "/storage/emulated/0/Download"),
    ),
    at_last("filemanager_check_storage", n("total_space", "Total storage: 64 GB")),
    search("filemanager_search_file", "Testfile.txt"),
    chosen("filemanager_sort_folder_by_size_desc", SIZE, DOWN),
    chosen("gallery_filter_by_images_and_videos", *MEDIA),
    way("gallery_group_by_file_type", (FOLDER,), (box("grouping_dialog_radio_file_type"), OK), ()),
    chosen("gallery_list_view_type", box("change_view_type_dialog_radio_list")),
    at_last("gallery_play_videos_automatically", box("settings_autoplay_videos")),
    at_last("gallery_remember_playback_position", box("settings_remember_last_video_position")),
    way("gallery_set_favorite", (FOLDER,), (IMAGE,), (n("bottom_favorite", touch=True),)),
    way(
        "gallery_set_favorite in the menu",
        (FOLDER,),
        (IMAGE,),
        (n(text="Add to favorites", touch=True),),
    ),
    way("gallery_set_wallpaper", (FOLDER,), (IMAGE,), (n(text="Home screen", touch=True),)),
    at_last("gallery_show_hidden_items", box("settings_show_hidden_items")),
    chosen("gallery_sort_by_size_asc", SIZE, UP),
    chosen("gallery_use_24_hour_time_format", box("change_date_time_dialog_24_hour")),
    at_last("launcher_add_apps", *apps("Chrome", "Camera")),
    at_last("launcher_hide_app_name", *apps("", "")),
    at_last("launcher_remove_app", *apps("Camera")),
    at_last("launcher_rename_app", *apps("MyChrome")),
    at_last("launcher_search_app", n("top_toolbar_search", "chrome"), apps("Chrome")[1]),
    at_last("launcher_setting_close_app_when_launching", box("settings_close_app", on=False)),
    chosen("launcher_sort_by_custom", CUSTOM),
    chosen("launcher_sort_by_title_desc", TITLE, DOWN),
    at_last("messager_add_block_numbers", n("manage_blocked_number_title", "123456789")),
    at_last("messager_change_font_size", n("settings_font_size", "Large")),
    at_last("messager_check_message_properties", *DETAILS),
    way("messager_make_conversation_archived", ARCHIVE, (LIST,)),
    search("messager_search_contacts", "123456789"),
    search("messager_search_message", "I luv u"),
    chosen("music_player_album_sort_by_year", YEAR, then=(n("albums_list"),)),
    at_last("music_player_config_equalizer", n("equalizer_preset", "Heavy Metal")),
    way("music_player_create_playlist", PLAYLIST, ()),
    way("music_player_create_playlist_and_search", PLAYLIST, (n("top_toolbar_search", "test"),)),
    way("music_player_create_playlist_and_sort_desc", PLAYLIST, (DOWN, OK), (n("playlists_list"),)),
    way(
        "music_player_create_playlist_and_sort_desc late",
        (DOWN, OK),
        (n("playlists_list"),),
        PLAYLIST,
        (),
    ),
    chosen("music_player_playlist_sort_desc", DOWN, then=(n("playlists_list"),)),
    way("music_player_rescan_media", (n(text="Rescan media", touch=True),), ()),
    search("music_player_search_playlist", "Test"),
    way("note_add", (NOTE[0], n("type_checklist"), OK), (on_title("TODO List"),)),
    way(
        "note_delete",
        removal("to_do_list"),
        removal("meeting"),
        (n("pager_title", "work_list", fact=False),),
    ),
    at_last("note_item_checked", item("eggs")),
    way("note_lock", (n("pin_ok", touch=True),), (n("checklist_title", "unique2580"),)),
    way("note_new_checklist", NOTE, (on_title("TODO List"),)),
    way("note_new_checklist_items", SHOPPING, (on_title("Shopping list"), MILK)),
    at_last("note_open", n("text_note_view", "9pm May 5th 2024")),
    way("note_rename", (FINISHED, OK), (on_title("finished_task"), n("text_note_view", "Undo"))),
    at_last(
        "note_search",
        n("search_query", "secret"),
        n("text_note_view", "The secret is I love you"),
    ),
    at_last("recorder_bit_rate", n("settings_bitrate", "32 kbps")),
    at_last("recorder_delete", n("recordings_placeholder", "No recordings created by this app")),
    at_last("recorder_delete_all", n("recordings_placeholder", "No recordings have been found")),
    way(
        "recorder_empty_trash",
        (n("settings_empty_recycle_bin_holder", touch=True),),
        (n("settings_empty_recycle_bin_holder"),),
    ),
    at_last("recorder_extension", n("settings_extension", "mp3")),
    at_last("recorder_recycle_bin", n("trash_placeholder", fact=True)),
    at_last("recorder_recycle_settings", n("settings_use_recycle_bin")),
    at_last("recorder_rename", n("recording_title", "voice.m4a")),
    at_last(
        "recorder_rename_all",
        *(n("recording_title", f"Voice{number}.m4a") for number in (3, 1, 2)),
    ),
    way("recorder_theme", (n("customization_theme", "Dark red"), n(desc="Save", touch=True)), ()),
]
