"""Gallery: ten tasks of MobileAgentBench."""

from pytest_mobileagent import tap, tasks

from .checks import OK, confirmed, is_on
from .setups import fresh, image
from .table import SOURCE, fields, of

FOLDER = "//*[contains(@resource-id, ':id/dir_holder')][.//*[@text='Download']]"


def opened(episode):
    """Return whether the folder was opened."""
    return episode.tapped(xpath=FOLDER)


def first(episode):
    """Return whether the folder was opened, and the first image in it was touched after that."""
    holder = f"{episode.app}:id/media_item_holder"
    return episode.in_order(opened, lambda e: e.tapped(lambda s: s.find(resource_id=holder)))


def favorite(episode):
    button = {"resource_id": f"{episode.app}:id/bottom_favorite"}
    return episode.in_order(
        first, lambda e: e.tapped(**button) or e.tapped(text="Add to favorites")
    )


def filtered(episode):
    off = tuple(f"filter_media_{kind}" for kind in ("gifs", "raws", "svgs", "portraits"))
    return confirmed(episode, "filter_media_images", "filter_media_videos", off=off)


def sort_by_size(episode):
    return confirmed(episode, "sorting_dialog_radio_size", "sorting_dialog_radio_ascending")


QUESTIONS = {
    "gallery_filter_by_images_and_videos": filtered,
    "gallery_group_by_file_type": lambda e: e.in_order(
        opened, lambda e: confirmed(e, "grouping_dialog_radio_file_type")
    ),
    "gallery_list_view_type": lambda e: confirmed(e, "change_view_type_dialog_radio_list"),
    "gallery_play_videos_automatically": is_on("settings_autoplay_videos"),
    "gallery_remember_playback_position": is_on("settings_remember_last_video_position"),
    "gallery_set_favorite": favorite,
    "gallery_set_wallpaper": lambda e: e.in_order(first, lambda e: e.tapped(text="Home screen")),
    "gallery_show_hidden_items": is_on("settings_show_hidden_items"),
    "gallery_sort_by_size_asc": sort_by_size,
    "gallery_use_24_hour_time_format": lambda e: confirmed(e, "change_date_time_dialog_24_hour"),
}
SETUPS = {row.id: fresh(image) for row in of("gallery")}

MORE, CONFIRM = tap(content_desc="More options"), tap(resource_id=OK)
OPEN, FIRST = tap(text="Download"), tap(resource_id="media_item_holder", nth=0)
SETTINGS = [MORE, tap(text="Settings")]
SOLUTIONS = {
    "gallery_filter_by_images_and_videos": [
        MORE,
        tap(text="Filter media"),
        tap(resource_id="filter_media_gifs"),
        tap(resource_id="filter_media_raws"),
        tap(resource_id="filter_media_svgs"),
        CONFIRM,
    ],
    "gallery_group_by_file_type": [
        OPEN,
        MORE,
        tap(text="Group by"),
        tap(resource_id="grouping_dialog_radio_file_type"),
        CONFIRM,
    ],
    "gallery_list_view_type": [
        MORE,
        tap(text="Change view type"),
        tap(resource_id="change_view_type_dialog_radio_list"),
        CONFIRM,
    ],
    "gallery_play_videos_automatically": [
        *SETTINGS,
        tap(resource_id="settings_autoplay_videos_holder"),
    ],
    "gallery_remember_playback_position": [
        *SETTINGS,
        tap(resource_id="settings_remember_last_video_position_holder"),
    ],
    "gallery_set_favorite": [OPEN, FIRST, tap(resource_id="bottom_favorite")],
    "gallery_set_wallpaper": [
        OPEN,
        FIRST,
        tap(content_desc="Set as"),
        tap(text="Gallery"),
        tap(content_desc="Save"),
        tap(text="Home screen"),
    ],
    "gallery_show_hidden_items": [
        *SETTINGS,
        tap(resource_id="settings_show_hidden_items_holder"),
    ],
    "gallery_sort_by_size_asc": [
        tap(content_desc="Sort by"),
        tap(resource_id="sorting_dialog_radio_size"),
        tap(resource_id="sorting_dialog_radio_ascending"),
        CONFIRM,
    ],
    "gallery_use_24_hour_time_format": [
        *SETTINGS,
        tap(resource_id="settings_change_date_time_format_holder"),
        tap(resource_id="change_date_time_dialog_24_hour"),
        CONFIRM,
    ],
}


@tasks(of("gallery"), each=fields("gallery", SOLUTIONS, SETUPS), source=SOURCE)
def test_gallery(episode, row):
    assert episode.ever(QUESTIONS[row.id])
