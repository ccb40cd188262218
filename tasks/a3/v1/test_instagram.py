"""A3's first release: its nine tasks in Instagram."""

from pytest_mobileagent import tasks

from .asks import both, part, shows, touches, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "instagram"
ID = "com.instagram.android:id/"
CLIPS = shows(resource_id=f"{ID}clips_tab", selected=True)
LIKED = {"resource_id": f"{ID}like_button", "selected": True}
DELETE = {"resource_id": f"{ID}control_option_text", "text": "Delete"}


def liked_two(episode):
    CLIPS(episode)
    episode.screen.get(**LIKED)

    def shows_a_like(moment):
        return moment.screen.find(**LIKED)

    def shows_another_clip(moment):
        return moment.screen.find(**{**LIKED, "selected": False})

    assert episode.in_order(shows_a_like, shows_another_clip, shows_a_like)


def posted(episode):
    status = f"{ID}row_pending_media_status_textview"
    assert episode.saw(resource_id=status, text=part("Done posting"))


BODIES: Bodies = {
    "instagram_0": shows(resource_id=f"{ID}action_bar_title", text=word("Notifications")),
    "instagram_1": shows(resource_id=f"{ID}action_bar_search_edit_text", text=word("CUHK")),
    "instagram_2": shows(resource_id=f"{ID}profile_header_follow_button", text=word("Following")),
    "instagram_3": CLIPS,
    "instagram_4": both(CLIPS, shows(LIKED)),
    "instagram_5": liked_two,
    "instagram_7": posted,
    "instagram_8": touches(DELETE, {"resource_id": f"{ID}igds_alert_dialog_primary_button"}),
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_instagram(episode, row, judge):
    decide(BODIES, episode, row, judge)
