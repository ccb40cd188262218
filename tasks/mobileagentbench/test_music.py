"""Music Player: ten tasks of MobileAgentBench."""

from pytest_mobileagent import tasks

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


@tasks(of("music_player"), each=fields("music_player", {}, SETUPS), source=SOURCE)
def test_music(episode, row):
    assert episode.ever(QUESTIONS[row.id])
