"""A3's first release: its 15 tasks in YouTube Music."""

from pytest_mobileagent import tasks

from .asks import part, shows, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "YTmusic"
APP = "com.google.android.apps.youtube.music"
TABS = ("Home", "Samples", "Explore", "Library")
COMMENT = word("Excellent music")


def second_song(episode):
    playing = episode.screen.get(resource_id=f"{APP}:id/current_song_view").text
    lists = [screen.find_all(resource_id=f"{APP}:id/title") for screen in episode.screens]
    assert playing in [songs[1].text for songs in lists if len(songs) > 1]


def commented(episode):
    assert episode.saw(text=COMMENT, content_desc=COMMENT)


BODIES: Bodies = {
    "YTmusic_1": shows(*({"resource_id": f"{APP}:id/text1", "text": word(tab)} for tab in TABS)),
    "YTmusic_2": shows(resource_id=f"{APP}:id/search_edit_text", text=word("Taylor Swift")),
    "YTmusic_3": shows(content_desc=part("Unsubscribe from Taylor Swift")),
    "YTmusic_4": second_song,
    "YTmusic_5": shows(
        resource_id=f"{APP}:id/player_control_play_pause_replay_button",
        content_desc="Play video",
    ),
    "YTmusic_7": shows(content_desc="Lyrics", selected=True),
    "YTmusic_9": commented,
    "YTmusic_10": shows(text="History", package=APP),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_music(episode, row, judge):
    decide(BODIES, episode, row, judge)
