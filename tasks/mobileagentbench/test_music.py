"""Music Player: ten tasks of MobileAgentBench."""

from pytest_mobileagent import tap, tasks, type_text

from .checks import OK, at, confirmed, has, says, searched, view
from .setups import MUSIC, fresh, script, sounds, stored
from .table import SOURCE, fields, of

DESCENDING = "sorting_dialog_radio_descending"


def created(episode):
    """Ask whether a dialog for a new playlist was closed by OK with the name in it."""

    def okay(screen):
        named = says(view(episode, "new_playlist_title", screen), "test")
        return screen.find_all(resource_id=OK) if named else []

    return episode.tapped(okay) and not view(episode, "new_playlist_title")


def sort_descending(episode):
    return confirmed(episode, DESCENDING, to="playlists_list")


QUESTIONS = {
    "music_player_open_faq": at(".FAQActivity"),
    "music_player_album_sort_by_year": lambda e: confirmed(e, "Year", to="albums_list"),
    "music_player_config_equalizer": has("equalizer_preset", "Heavy Metal"),
    "music_player_create_playlist": created,
    "music_player_create_playlist_and_search": lambda e: e.in_order(created, searched("test")),
    "music_player_create_playlist_and_sort_desc": lambda e: created(e) and sort_descending(e),
    "music_player_open_settings": at(".SettingsActivity"),
    "music_player_playlist_sort_desc": sort_descending,
    "music_player_rescan_media": lambda e: e.tapped(text="Rescan media"),
    "music_player_search_playlist": searched("test"),
}
TRACKS = sounds(MUSIC, "music1.wav", "music2.wav")
SETUPS = {
    "music_player_album_sort_by_year": fresh(TRACKS),
    "music_player_rescan_media": fresh(
        script(f"rm -f {MUSIC}/music1.wav {MUSIC}/music2.wav"),
        after=[sounds(MUSIC, "music1.wav", "music2.wav", scanned=False)],
    ),
    "music_player_search_playlist": fresh(
        stored("songs.db", "INSERT INTO playlists (title) VALUES ('Test')")
    ),
}


MORE, SORT, CONFIRM = (
    tap(content_desc="More options"),
    tap(content_desc="Sort by"),
    tap(resource_id=OK),
)
PLAYLISTS = tap(resource_id="tab_item_holder", nth=0)
CREATE = [
    MORE,
    tap(text="Create new playlist"),
    type_text("test", resource_id="new_playlist_title"),
    CONFIRM,
]
DOWN = [SORT, tap(resource_id=DESCENDING), CONFIRM]
SOLUTIONS = {
    "music_player_open_faq": [MORE, tap(text="About"), tap(text="Frequently asked questions")],
    "music_player_album_sort_by_year": [
        tap(resource_id="tab_item_holder", nth=3),
        SORT,
        tap(text="Year"),
        CONFIRM,
    ],
    "music_player_config_equalizer": [
        tap(content_desc="Equalizer"),
        tap(resource_id="equalizer_preset"),
        tap(text="Heavy Metal"),
    ],
    "music_player_create_playlist": CREATE,
    "music_player_create_playlist_and_search": [
        *CREATE,
        PLAYLISTS,
        type_text("test", resource_id="top_toolbar_search"),
    ],
    "music_player_create_playlist_and_sort_desc": [*CREATE, PLAYLISTS, *DOWN],
    "music_player_open_settings": [MORE, tap(text="Settings")],
    "music_player_playlist_sort_desc": [PLAYLISTS, *DOWN],
    "music_player_rescan_media": [MORE, tap(text="Rescan media")],
    "music_player_search_playlist": [
        PLAYLISTS,
        type_text("test", resource_id="top_toolbar_search"),
    ],
}


@tasks(of("music_player"), each=fields("music_player", SOLUTIONS, SETUPS), source=SOURCE)
def test_music(episode, row):
    assert episode.ever(QUESTIONS[row.id])
