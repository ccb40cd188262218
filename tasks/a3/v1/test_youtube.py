"""A3's first release: its ten tasks in YouTube."""

import re

from pytest_mobileagent import tasks

from .asks import both, shows, touches, word
from .table import SOURCE, Bodies, decide, fields, of

FOLDER = "youtube"
ID = "com.google.android.youtube:id/"
SHORTS = {"content_desc": "Shorts"}
LIKE = {"content_desc": re.compile("^like this video")}
COUNT = re.compile(r"^View ([\d,.]+[KM]?) comments$")


def sorted_by_relevance(episode):
    label = episode.screen.get(resource_id=f"{ID}label", text=word("Sort by"))
    around = next(iter(label.ancestors))
    episode.screen.get(resource_id="android:id/text1", text=word("Relevance"), inside=around)


def recommended(episode):
    title = episode.screen.get(resource_id="android:id/title", text=word("Recommended videos"))
    row = list(title.ancestors)[1]
    episode.screen.get(resource_id="android:id/switch_widget", checked=True, inside=row)


def subscribed(episode):
    now = episode.screen.get(content_desc=re.compile("^Unsubscribe from ")).content_desc
    maker = now.removeprefix("Unsubscribe from ").strip()
    assert episode.saw(content_desc=word(f"Subscribe to {maker}"))


def liked_comment(episode):
    episode.screen.get(resource_id=f"{ID}modern_title", text="Comments")
    episode.screen.get(content_desc=word("Unlike"))
    first = "(//*[starts-with(@content-desc, 'Like this comment')])[1]"
    assert episode.tapped(xpath=first)


def comments(episode):
    count = COUNT.search(episode.screen.get(content_desc=COUNT).content_desc)
    assert count
    assert episode.answers(count[1])


BODIES: Bodies = {
    "youtube_1": shows(resource_id=f"{ID}search_query", text=word("Michael Jackson")),
    "youtube_2": sorted_by_relevance,
    "youtube_3": recommended,
    "youtube_4": shows(resource_id=f"{ID}title", text=word("Most relevant")),
    "youtube_5": both(touches(SHORTS, LIKE), shows(content_desc=word("unlike"))),
    "youtube_6": subscribed,
    "youtube_7": liked_comment,
    "youtube_9": comments,
}


@tasks(of(FOLDER), each=fields(FOLDER), source=SOURCE)
def test_youtube(episode, row, judge):
    decide(BODIES, episode, row, judge)
